"""Ops of the registry and their pullbacks, recorded by the cases of the conformance tests, on padded arrays."""

from __future__ import annotations

import jax
import pytest

from tests.conformance.table import ROWS, accepted
from tests.jaxpr.padded.recorded import disagreement, openings, recorded_ops
from tfcompat._core.declaration import registry
from tfcompat._core.error import OpError
from tfcompat._jaxpr.padded.refusal import NoRule

pytestmark = pytest.mark.thorough

# What Python or JAX raises where an op's code needs a size as a number, and padded programs where they have no rule.
NEEDS_SIZE = (
    *(TypeError, ValueError, IndexError, NotImplementedError, OpError, NoRule),
    *(jax.errors.JAXTypeError, jax.errors.InconclusiveDimensionOperation),
)


@pytest.mark.parametrize("name", [name for name in ROWS if name in registry])
def test_recorded_op_is_exact(name, monkeypatch):
    """Of each opening that the op's code permits; the test is skipped if it permits none."""
    refusal = "no input has an axis of size 2 or more"
    for asked in accepted(name)[:2]:
        for recorded in recorded_ops(asked.example, monkeypatch):
            for structs in openings(recorded.arrays):
                try:
                    with jax.enable_x64(True):
                        wrong = disagreement(recorded, structs)
                except NEEDS_SIZE as error:
                    refusal = str(error).partition("\n")[0]
                    continue
                assert not wrong, f"{recorded.op!r} for {structs}: {wrong}"
                return
    pytest.skip(f"no size can be left open: {refusal}")
