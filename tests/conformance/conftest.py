"""Settings of the conformance tests."""

from __future__ import annotations

import logging

import pytest


@pytest.fixture(autouse=True)
def without_advice(caplog: pytest.LogCaptureFixture) -> None:
    """The tape's advice on integer targets would drown the report."""
    caplog.set_level(logging.ERROR, "tensorflow")
