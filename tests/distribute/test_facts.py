"""Each fact about TensorFlow's strategies has a test."""

from __future__ import annotations

import re
from pathlib import Path

from tests.distribute.facts import TESTS

FOLDER = Path(__file__).parent
DIFFERENCES = FOLDER.parent / "program" / "test_strategy_differences.py"


def test_each_fact_has_tests_that_exist():
    assert list(TESTS) == list(range(1, 69))
    files = [*FOLDER.glob("test_*.py"), DIFFERENCES]
    there = {name for path in files for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)}
    missing = {number: set(names) - there for number, names in TESTS.items() if not names or set(names) - there}
    assert not missing
