"""Settings of the conformance tests."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def without_advice(caplog: pytest.LogCaptureFixture) -> None:
    """The tape's advice on integer targets would drown the report."""
    caplog.set_level(logging.ERROR, "tensorflow")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the questions about one name side by side: the answers come from one program, kept until the next name."""
    places = [i for i, item in enumerate(items) if item.path.parent == HERE]
    for i, item in zip(places, sorted((items[i] for i in places), key=name_asked)):
        items[i] = item


def name_asked(item: pytest.Item) -> str:
    """The public name that a test asks about; empty for the others, which come first."""
    callspec = getattr(item, "callspec", None)
    return str(callspec.params.get("name", "")) if callspec else ""
