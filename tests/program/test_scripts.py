"""Small training scripts of many kinds print the same output as under TensorFlow 2.21 (the .txt file next to each)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.printed import assert_printed_alike, printed_by

SCRIPTS = Path(__file__).parent / "scripts"


# `__array__` of Keras' variables has no argument `copy`, for which NumPy 2 asks.
@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
@pytest.mark.parametrize("name", sorted(path.stem for path in SCRIPTS.glob("*.py")))
def test_script_prints_what_it_prints_under_tensorflow(name, monkeypatch):
    printed = printed_by(SCRIPTS / f"{name}.py", monkeypatch)
    assert_printed_alike(printed, (SCRIPTS / f"{name}.txt").read_text())
