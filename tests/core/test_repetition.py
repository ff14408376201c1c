"""The number of repetitions of tests for rare events depends on the kind of run."""

from __future__ import annotations

import pytest

from tests.repetition import count


@pytest.mark.parametrize(("soak", "found"), [("1", [1000, 15, 3]), ("", [100, 1, 1]), ("0", [100, 1, 1])])
def test_count_is_full_only_in_the_long_run(monkeypatch, soak, found):
    monkeypatch.setenv("TFCOMPAT_SOAK", soak)
    assert [count(full) for full in (1000, 15, 3)] == found


def test_count_is_a_tenth_by_itself(monkeypatch):
    monkeypatch.delenv("TFCOMPAT_SOAK", raising=False)
    assert count(250) == 25
