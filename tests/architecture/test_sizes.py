"""A file has one subject; one that has grown past 600 lines has several."""

from __future__ import annotations

from tests.architecture.source import ALL_FILES, name_of

MOST_LINES = 600


def test_files_have_at_most_600_lines():
    long = [name_of(path) for path in ALL_FILES if len(path.read_text().splitlines()) > MOST_LINES]
    assert not long, "split them by subject"
