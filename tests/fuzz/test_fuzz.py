"""Random programs have the same results under tfcompat and under TensorFlow, if it is installed."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings

import tfcompat as tf
from tests.fuzz.comparison import differences
from tests.fuzz.drawing import PROGRAMS
from tests.fuzz.machine import outcome
from tests.fuzz.oracle import Oracle, interpreter
from tests.fuzz.program import Program

HOW_MANY = int(os.environ.get("FUZZ_PROGRAMS", "200"))


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    python = interpreter()
    if python is None:
        pytest.skip("no TensorFlow to compare with: run `make fuzz`, or name a Python in TENSORFLOW_PYTHON")
    started = Oracle(python)
    yield started
    started.close()


@settings(max_examples=HOW_MANY, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(program=PROGRAMS)
def test_random_program_does_what_tensorflow_does(oracle: Oracle, program: Program) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = outcome(tf, program)
    assert not differences(ours, oracle.outcome(program))
