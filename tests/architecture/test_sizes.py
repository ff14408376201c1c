"""A file has one subject; one that has grown past 600 lines has several."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path for folder in ("tfcompat", "tests", "examples", "benchmarks") for path in (ROOT / folder).rglob("*.py")
)
MOST_LINES = 600


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_file_has_at_most_600_lines(path):
    lines = len(path.read_text().splitlines())
    assert lines <= MOST_LINES, "split it by subject"
