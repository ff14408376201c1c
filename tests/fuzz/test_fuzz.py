"""Random programs have the same results under tfcompat and under TensorFlow, if it is installed.

Where sizes vary, the recordings of a program become a family, which the host or padded programs compute.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings

import tfcompat as tf
from tests.daily import thorough
from tests.fuzz.comparison import differences
from tests.fuzz.drawing import PROGRAMS
from tests.fuzz.machine import outcome
from tests.fuzz.oracle import Oracle, interpreter
from tests.fuzz.program import Program
from tfcompat._core.programs.family import variants

HOW_MANY = int(os.environ.get("FUZZ_PROGRAMS", "24"))
# The sizes in place of 3 and 2 in a program, in the order in which they come.
SIZES = ((3, 2), (5, 2), (7, 4), (4, 6), (6, 5), (4, 4), (2, 3), (1, 2), (8, 1))


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
    assert not differences(ours, oracle.outcome(program), program.casts)


def resized(program: Program, threes: int, twos: int) -> Program:
    """`program` with other sizes in place of 3 and 2."""
    sizes = {3: threes, 2: twos}
    shapes = tuple(tuple(sizes.get(size, size) for size in shape) for shape in program.shapes)
    return program._replace(shapes=shapes)


@pytest.mark.parametrize(
    ("is_hosting", "how_many"), [(True, HOW_MANY // 3), thorough((False, HOW_MANY // 8))], ids=["host", "padded"]
)
def test_random_program_of_varying_sizes_does_what_tensorflow_does(
    oracle: Oracle, monkeypatch: pytest.MonkeyPatch, is_hosting: bool, how_many: int
) -> None:
    monkeypatch.setattr(tf.config.settings, "is_hosting", is_hosting)

    @settings(max_examples=how_many, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(program=PROGRAMS)
    def compare(program: Program) -> None:
        variants.clear()
        for sizes in SIZES:
            sized = resized(program, *sizes)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ours = outcome(tf, sized)
            assert not differences(ours, oracle.outcome(sized), sized.casts), sizes

    compare()
