"""Unmodified TensorFlow 2 programs print the same output as under TensorFlow 2.21: the .txt file next to each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import forked
from tests.tolerance import PRINTED

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAMS = sorted(path.stem for path in HERE.glob("*.txt"))
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?")


def words(text):
    """`text` without numbers and blanks."""
    return re.sub(r"\s", "", NUMBER.sub("#", text))


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_prints_what_it_prints_under_tensorflow(name):
    done = forked.run(["-m", "tfcompat", str(HERE / f"{name}.py")], cwd=ROOT)
    assert done.returncode == 0, done.stderr
    expected = (HERE / f"{name}.txt").read_text()
    assert words(done.stdout) == words(expected)
    got, want = (list(map(float, NUMBER.findall(text))) for text in (done.stdout, expected))
    assert got == pytest.approx(want, **PRINTED)
