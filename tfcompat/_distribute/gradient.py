"""Gradients through collectives: each replica has a tape of its own, so their gradients meet in another collective."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._autodiff.context import RecordingContext
from tfcompat._autodiff.custom import custom_gradient
from tfcompat._core.tracing.trace import here


def through_replicas(
    values: Sequence[Any], collective: Callable[[Sequence[Any]], Any], transposed: Callable[[list[Any]], Any]
) -> list[Any]:
    """`collective(values)`, with the gradient `transposed` of the list of the results' gradients for tapes.

    Not for `tf.gradients`: the gradient would be traced with each loop and branch that calls the collective, in which
    it is a collective with a gradient in turn.
    """
    if not any(isinstance(tape, RecordingContext) for tape in here.tapes):
        return list(collective(values))

    @custom_gradient
    def differentiable(*tensors: Any) -> Any:
        return list(collective(tensors)), lambda *upstream: list(transposed(list(upstream)))

    return list(differentiable(*values))
