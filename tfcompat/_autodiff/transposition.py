"""The tangents of the results of a function with a custom gradient: its gradient function is transposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfcompat._autodiff.backward import backward
from tfcompat._autodiff.gradient import CustomCall, Dense, Span, densified, ones
from tfcompat._core.operation.op import differentiable
from tfcompat._core.structure.node import Node
from tfcompat._core.tracing.trace import Trace


def tangents_of_custom(
    trace: Trace, node: Node, directions: Sequence[Dense | None], customs: Mapping[int, CustomCall]
) -> list[Dense | None]:
    """The tangents of the outputs of `node`, a step with a custom gradient, for the `directions` of its inputs.

    The gradients are linear in the cotangents. So the tangents are the derivatives, with respect to the cotangents, of
    the gradients weighed by the directions; None for outputs that are not floating or decide no gradient.
    """
    cotangents = [
        Dense(trace.step(ones(aval), (), ()).first, aval) if differentiable(aval) else None for aval in node.avals
    ]
    position = trace.node.slot
    gradients = customs[node.first].pull(trace, cotangents)
    pairs = zip(gradients, directions, strict=True)
    targets = tuple(
        [
            (densified(trace, gradient).slot, direction.slot)
            for gradient, direction in pairs
            if gradient is not None and direction is not None
        ]
    )
    watched = [cotangent.slot for cotangent in cotangents if cotangent is not None]
    span = Span(((position, trace.node.slot),), tuple([(slot, position) for slot in watched]))
    found = iter(backward(trace, span, targets, tuple([(slot,) for slot in watched]), customs))
    answers = [None if cotangent is None else next(found) for cotangent in cotangents]
    return [None if answer is None else densified(trace, answer) for answer in answers]
