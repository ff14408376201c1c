"""The shapes of results for the sizes 0 and 1, for which the trace of a function of elements does not stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.operation.inference import LEAST
from tfcompat._core.tracing.known_size import for_known_sizes
from tfcompat._data.function.calling import Traceable
from tfcompat._data.function.trace import Computed, Constant, FromHost
from tfcompat._function.graphs.source import Hosted
from tfcompat._function.sizes.sized_trace import output_shapes
from tfcompat._jaxpr.postponement import postponed
from tfcompat._jaxpr.size import has_symbols, value_of


def short_shapes(function: Traceable) -> list[list[Any]]:
    """The shapes of the results if all open sizes are 0, and if they are 1, where the function takes these.

    A shape is None if the trace for all elements has it.
    """
    trace = function.trace
    found: list[list[Any]] = []
    if trace.sizes is not None and any(isinstance(result, Computed | Constant) for result in trace.results):
        for size in range(LEAST):
            shapes = _attempted(function, size)
            if shapes is None:
                continue
            # A negative size shows that these sizes do not occur: row splits have one at least.
            if len(shapes) == len(trace.results) and all(
                not size or size > 0 for shape in shapes for size in shape or ()
            ):
                found.append(shapes)
    return found


def _attempted(function: Traceable, size: int) -> list[Any] | None:
    """The shapes for this `size`; None if the function does not take it."""
    trace = function.trace
    with postponed():  # the exception of a signal handler is not one of the function
        try:
            return (None if trace.sizes.orders.names else _inferred(trace, size)) or _traced(function, size)
        except Exception:  # code that needs another size may raise any error, as it does for such an element
            return None


def _inferred(trace: Any, size: int) -> list[Any] | None:
    """The shapes that follow from those of the steps; None if constants may, or calls of Python, depend on `size`."""
    with np.errstate(all="ignore"):  # of ops that compute with sizes
        shapes = output_shapes(trace.stored, dict.fromkeys(trace.sizes.numbers, size))
    if shapes is None or any(has_symbols(shape) for shape in shapes if shape is not None):
        return None
    return [_shape(result, shapes) for result in trace.results]


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
    found = [None if aval is None else aval.shape for _, aval in known.stored.outputs]
    return [_shape(result, found) for result in known.results]


def _shape(result: Any, shapes: Sequence[Any]) -> Any:
    if isinstance(result, Computed):
        return shapes[result.place]
    if isinstance(result, FromHost):
        return result.shape
    return result.value.shape if isinstance(result, Constant) and result.value is not None else None
