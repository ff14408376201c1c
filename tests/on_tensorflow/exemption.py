"""Tests that TensorFlow fails, by reason. Each stands by its name, for all of its cases, or with one case in brackets.

A test that is listed here and passes on TensorFlow fails the run, and so does a name that no test has.
"""

from __future__ import annotations

FAILS: dict[str, tuple[str, ...]] = {
    "refusal of what TensorFlow does": ("tests/state/test_random.py::test_seed_must_be_an_integer",),
    "tfcompat refuses with NotImplementedError, and TensorFlow for another reason": (
        "tests/state/test_variable.py::test_argument_that_cannot_be_honoured_names_itself[caching_device]",
        "tests/state/test_variable.py::test_argument_that_cannot_be_honoured_names_itself[variable_def]",
    ),
    "a fault of TensorFlow, or an error that it raises by accident": (
        "tests/state/test_creator.py::test_subclasses_and_other_threads_are_not_asked",
        "tests/state/test_generator.py::test_what_is_not_there_says_so",
        "tests/state/test_linear_operator.py::test_faults_are_none_here",
        "tests/state/test_structured_operator.py::test_spectra_are_looked_at",
        "tests/state/test_table.py::test_static_tables_refuse[TypeError-<lambda>3]",
    ),
    "tfcompat's rules for gradient functions under a Jacobian": (
        "tests/autodiff/test_execution.py::test_gradient_function_that_reads_a_value_cannot_be_vectorised",
    ),
}

# These end TensorFlow's process; they are not run.
NOT_RUN: dict[str, tuple[str, ...]] = {}
