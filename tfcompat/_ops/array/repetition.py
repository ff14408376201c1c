"""Arrays that consist of the elements of another one, each as often, as a mask does that was broadcast."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tfcompat._core.structure.node import Node, Number
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.constancy import step_at

# Ops whose results have the elements of their only input: in another order, or some of them.
_LAYOUT = frozenset(
    (
        *("expand_dims", "identity", "linalg.matrix_transpose", "reshape", "reverse", "squeeze", "stop_gradient"),
        *("strided_slice", "transpose"),
    )
)
_REPEATING = frozenset(("broadcast_to", "repeat", "tile"))


def source_of(array: Tensor) -> tuple[Tensor, int]:
    """The array of two or more elements that `array`, which a trace computes, repeats, and how often."""
    trace, slot, aval, times = array._trace, array._slot, array._aval, 1
    while True:
        step = step_at(trace, slot)
        factor = _factor(step)
        if factor is None or isinstance(step.inputs[0], Number) or math.prod(step.signature[0].shape) == 1:
            return (array if slot == array._slot else trace.tensor(slot, aval)), times
        slot, aval, times = step.inputs[0], step.signature[0], times * factor


def _factor(step: Node) -> int | None:
    """How often the result of `step` has each element of its only input; None if not all are there as often."""
    if step.op is None or step.origin is not None or len(step.inputs) != 1:
        return None
    before, after = step.signature[0].shape, step.avals[0].shape
    if step.op.name in _LAYOUT:
        return 1 if math.prod(before) == math.prod(after) else None
    return _repeats(before, after) if step.op.name in _REPEATING else None


def _repeats(before: Sequence[Any], after: Sequence[Any]) -> int | None:
    """How often each element is repeated in the shape `after`; None if that is not known."""
    times = 1
    for size, larger in zip((*[1] * (len(after) - len(before)), *before), after, strict=True):
        if size == larger:
            continue
        if type(size) is not int or type(larger) is not int or not size:
            return None
        times *= larger // size
    return times or None
