"""Ops of the registry and their pullbacks on padded arrays that hold no element, or one, along the open axis."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from tests.conformance.table import accepted
from tests.jaxpr.padded.recorded import Recorded, disagreement, openings, recorded_ops
from tests.jaxpr.padded.test_recorded import NAMES, NEEDS_SIZE
from tfcompat._core.operation.sized import Sized
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.dtype import as_dtype
from tfcompat._function.sizes.bounded_step import is_unlike


def shortened(recorded, structs, count):
    """`recorded` with the first `count` elements along the open axes."""
    parts = [tuple([slice(None if type(n) is int else count) for n in struct.shape]) for struct in structs]
    return Recorded(recorded.op, [array[part] for array, part in zip(recorded.arrays, parts)])


def is_accepted(op, arrays, structs, count):
    """Whether `op` takes `arrays`, `count` elements of those like `structs`, with the shapes that follow from these."""
    avals, opened = ([aval_of(tuple(x.shape), as_dtype(x.dtype)) for x in given] for given in (arrays, structs))
    try:
        if op.infer(tuple(avals)) != tuple(map(Sized({"n": count}).aval, op.infer(tuple(opened)))):
            return False
    except NEEDS_SIZE:
        return False
    return op.check is None or not np.any(op.checker().outputs(*arrays))


@pytest.mark.thorough
@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_recorded_op_is_exact(name, count, monkeypatch):
    for asked in accepted(name)[:2]:
        for recorded in recorded_ops(asked.example, monkeypatch):
            for structs in openings(recorded.arrays):
                short = shortened(recorded, structs, count)
                if is_unlike(recorded.op) or not is_accepted(recorded.op, short.arrays, structs, count):
                    continue
                try:
                    with jax.enable_x64(True):
                        wrong = disagreement(short, structs)
                except NEEDS_SIZE:
                    continue
                assert not wrong, f"{recorded.op!r} for {structs}: {wrong}"
