"""What a program prints with `import tensorflow` meaning tfcompat, against what TensorFlow printed."""

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
    """What `script` prints under tfcompat."""
    monkeypatch.setitem(sys.modules, "tensorflow", tfcompat)
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        runpy.run_path(str(script), run_name="__main__")
    return written.getvalue()


def words(text: str) -> list[str]:
    """The words of each line of `text`, with `#` for every number; how numbers are aligned counts nowhere."""
    return [re.sub(r"\s+", "", NUMBER.sub("#", line)) for line in text.strip().splitlines()]


def is_near(got: Iterable[str], want: Iterable[str]) -> bool:
    """Whether numbers that were printed agree to a thousandth, or to one unit of the last decimal place."""
    pairs = list(zip(got, want, strict=True))
    return all(float(g) == pytest.approx(float(w), **PRINTED) or is_neighbour(g, w) for g, w in pairs)


def is_neighbour(got: str, want: str) -> bool:
    """Whether numbers with three or more decimal places are rounded alike but for one unit of the last."""
    places = len(want.partition(".")[2])
    is_long = places >= 3 and "e" not in got + want
    return is_long and abs(float(got) - float(want)) < 1.5 * 10**-places


def assert_printed_alike(got: str, want: str) -> None:
    """The same words in the same lines, and the same numbers, as near as `is_near` says."""
    assert words(got) == words(want)
    assert is_near(NUMBER.findall(got), NUMBER.findall(want))
