"""Tests that TensorFlow fails, by reason. Each stands by its name, for all of its cases, or with one case in brackets.

A test that is listed here and passes on TensorFlow fails the run, and so does a name that no test has.
"""

from __future__ import annotations

FAILS: dict[str, tuple[str, ...]] = {
    "tfcompat's rules for gradient functions under a Jacobian": (
        "tests/autodiff/test_execution.py::test_gradient_function_that_reads_a_value_cannot_be_vectorised",
    ),
}

# These end TensorFlow's process; they are not run.
CRASHES: dict[str, tuple[str, ...]] = {}
