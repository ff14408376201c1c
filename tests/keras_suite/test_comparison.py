"""The comparison of outcomes with those on TensorFlow."""

from __future__ import annotations

from tests.keras_suite.comparison import Comparison, listed, normalised, recorded

FILE = "keras/src/losses/loss_test.py"
TESTS = [f"{FILE}::{name}" for name in ("a", "b", "c", "d")]


def test_missing_tests_are_those_that_pass_on_tensorflow_only():
    own = {TESTS[0]: ("passed", ""), TESTS[1]: ("failed", "E  wrong"), TESTS[2]: ("skipped", "")}
    found = Comparison([*TESTS, "keras/other_test.py::a"], {FILE: own}, {TESTS[0]: "reason", TESTS[2]: "reason"})
    assert found.missing == {TESTS[1]: "E  wrong", TESTS[2]: "", TESTS[3]: "did not run"}
    assert found.unexpected == [TESTS[1], TESTS[3]]
    assert found.outdated == [TESTS[0]]
    assert "1 of 4 tests that pass on TensorFlow: 25.00%" in found.text()


def test_addresses_and_spaces_are_left_out():
    assert normalised("t[<function f at 0x7f01>, 2]") == "t[<functionfat0x>,2]"


def test_listed_tests_pass_on_tensorflow_and_have_reasons():
    assert set(listed()) <= set(recorded())
    assert all(listed().values())
