"""Ops of the registry and their pullbacks, recorded by the cases of the conformance tests, on padded arrays."""

from __future__ import annotations

import jax
import pytest

from tests.conformance.table import ROWS, accepted
from tests.jaxpr.padded.recorded import disagreement, openings, recorded_ops
from tests.jaxpr.padded.unpadded import SHARE, SIZELESS, UNPADDED
from tfcompat._core.calls.declaration import registry
from tfcompat._core.system.error import OpError
from tfcompat._jaxpr.padded.refusal import NoRule

NAMES = [name for name in ROWS if name in registry]
# What Python or JAX raises where an op's code needs a size as a number, and padded programs where they have no rule.
NEEDS_SIZE = (
    *(TypeError, ValueError, IndexError, NotImplementedError, OpError, NoRule),
    *(jax.errors.JAXTypeError, jax.errors.InconclusiveDimensionOperation),
)


def test_most_ops_run_padded():
    assert set(NAMES) >= SIZELESS | UNPADDED
    assert len(UNPADDED) <= SHARE * (len(NAMES) - len(SIZELESS))


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_recorded_op_is_exact(name, monkeypatch):
    """Of the first opening that the op's code permits; a listed op is skipped if it permits none."""
    refusal = ""
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
    assert name in (UNPADDED if refusal else SIZELESS), refusal
    pytest.skip(f"no size can be left open: {refusal or 'no input has an axis of size 2 or more'}")
