"""The shapes of results for the sizes 0 and 1, for which the trace of a function of elements does not stand."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.error import OpError
from tfcompat._core.inference import LEAST
from tfcompat._data.function.calling import Traceable
from tfcompat._function.block.refused_block import for_known_sizes
from tfcompat._function.sized_trace import output_shapes
from tfcompat._function.source import Hosted
from tfcompat._jaxpr.size import value_of

_REFUSALS = (OpError, NotImplementedError, ValueError, TypeError)


def short_shapes(function: Traceable) -> list[list[Any]]:
    """The shapes of the computed results if all open sizes are 0, and if they are 1, where the ops take these."""
    trace = function.trace
    found: list[list[Any]] = []
    if trace.sizes is not None and any(aval is not None and aval.shape for _, aval in trace.stored.outputs):
        for size in range(LEAST):
            try:
                shapes = _traced(function, size) if trace.sizes.has_orders else _inferred(trace, size)
            except _REFUSALS:
                continue  # such an element has an error, or a trace of its own
            if shapes is not None:
                found.append(shapes)
    return found


def _inferred(trace: Any, size: int) -> list[Any] | None:
    with np.errstate(all="ignore"):  # of ops that compute with sizes
        return output_shapes(trace.stored, dict.fromkeys(trace.sizes.numbers, size))


def _traced(function: Traceable, size: int) -> list[Any]:
    """The shapes in a trace of its own: constants of the other hold for longer axes only."""
    trace = function.trace
    values = dict.fromkeys(trace.sizes.made, size)
    shapes = [[value_of(each, values) for each in aval.shape] for aval in trace.sizes.avals]
    opened: list[list[int]] = []
    for source in trace.opened:
        symbols = trace.steps[source.step].symbols if isinstance(source, Hosted) else ()
        opened.append([size] * len(symbols) or [value_of(each, values) for each in trace.shapes[source]])
    with for_known_sizes():
        known = function.trace_for(shapes, opened)
    return [None if aval is None else aval.shape for _, aval in known.stored.outputs]
