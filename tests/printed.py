"""The output of a program under tfcompat, against its output under TensorFlow."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

import tfcompat
from tests.tolerance import PRINTED

NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?")


def printed_by(script: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The output of `script` under tfcompat."""
    monkeypatch.setitem(sys.modules, "tensorflow", tfcompat)
    written, level = io.StringIO(), tfcompat.get_logger().level
    try:
        with contextlib.redirect_stdout(written):
            runpy.run_path(str(script), run_name="__main__")
    finally:
        tfcompat.get_logger().setLevel(level)
    return written.getvalue()


def words(text: str) -> list[str]:
    """The words of each line of `text`, with `#` for every number; the alignment of numbers is ignored."""
    return [re.sub(r"\s+", "", NUMBER.sub("#", line)) for line in text.strip().splitlines()]


def is_near(got: Iterable[str], want: Iterable[str]) -> bool:
    """Whether numbers that were printed agree to a thousandth."""
    return list(map(float, got)) == pytest.approx(list(map(float, want)), **PRINTED)


def assert_printed_alike(got: str, want: str) -> None:
    """The same words in the same lines, and the same numbers to a thousandth."""
    assert words(got) == words(want)
    assert is_near(NUMBER.findall(got), NUMBER.findall(want))
