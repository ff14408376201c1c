"""The unmodified examples print the same output as under TensorFlow 2.21 (`examples/*.txt` beside this file)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.printed import assert_printed_alike, printed_by

EXPECTED = Path(__file__).parent / "examples"
EXAMPLES = Path(__file__).parents[2] / "examples"
# Written only for tfcompat: it prints the number of compiled programs.
OWN = {"demo"}


def test_every_example_has_what_tensorflow_printed():
    assert {path.stem for path in EXPECTED.glob("*.txt")} == {path.stem for path in EXAMPLES.glob("*.py")} - OWN


@pytest.mark.parametrize("name", sorted(path.stem for path in EXPECTED.glob("*.txt")))
def test_example_prints_what_it_prints_under_tensorflow(name, monkeypatch):
    printed = printed_by(EXAMPLES / f"{name}.py", monkeypatch)
    assert_printed_alike(printed, (EXPECTED / f"{name}.txt").read_text())


def test_demo_tells_the_spirals_apart_with_few_programs(monkeypatch):
    lines = printed_by(EXAMPLES / "demo.py", monkeypatch).splitlines()
    share = next(line for line in lines if line.endswith("of the points told apart"))
    assert float(share.split("%")[0]) > 99.0
    for line in (line for line in lines if line.endswith("compiled programs")):
        assert int(line.split()[-3]) <= 3
