"""The syntax trees of the package take 200 MB: they are kept for the tests of one file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.architecture.source import nodes


@pytest.fixture(scope="module", autouse=True)
def trees_are_forgotten() -> Iterator[None]:
    yield
    nodes.cache_clear()
