"""The gradient of an op that the host computes for each element: the host computes it, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._autodiff.connection import UnconnectedGradients
from tfcompat._autodiff.custom import custom_gradient
from tfcompat._autodiff.recorded import should_record_backprop
from tfcompat._autodiff.tape import GradientTape
from tfcompat._core.calls.by_row import apart, element_trace
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.host_call import is_open
from tfcompat._core.operation.op import differentiable
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types import nest

# An op, as a function of tensors alone.
TensorOp = Callable[..., Any]


def follows(tensors: Sequence[Tensor]) -> bool:
    """Whether a tape of the user's follows one of `tensors`."""
    return should_record_backprop([tensors[k] for k in followed_among(tensors)])


def followed_among(tensors: Sequence[Tensor]) -> list[int]:
    """The places of `tensors` that tapes may follow: values of this element, of differentiable dtypes."""
    return [k for k, tensor in enumerate(tensors) if is_open(tensor) and differentiable(tensor._aval)]


def with_gradient(op: TensorOp, tensors: Sequence[Tensor], results: Sequence[Tensor]) -> list[Tensor]:
    """`results`, those of `op` of `tensors`, with the gradient of `op`.

    Tapes follow all floating arguments: those on which no result depends have zeros as gradients.
    """
    places = followed_among(tensors)
    kept = [k for k, result in enumerate(results) if differentiable(result._aval)]

    @custom_gradient
    def followed(*sources: Tensor) -> Any:
        del sources

        def grad(*upstream: Tensor) -> list[Tensor]:
            trace = element_trace()
            assert trace is not None
            given = [*tensors, *upstream]
            outputs = [(tensors[k]._aval.shape, tensors[k].dtype) for k in places]

            def gradient_of(*values: Tensor) -> list[Tensor]:
                return _gradient(op, values[: len(tensors)], places, kept, values[len(tensors) :])

            def compute(values: Any, *arrays: np.ndarray) -> list[np.ndarray]:
                del values
                with apart(by_host=True):
                    return [np.asarray(each) for each in gradient_of(*map(Tensor, arrays))]

            return trace.hosted("gradient", compute, given, outputs, op=gradient_of)

        return [results[k] for k in kept], grad

    found = followed(*[tensors[k] for k in places])
    made = dict(zip(kept, found, strict=True))
    return [made.get(k, result) for k, result in enumerate(results)]


def _gradient(
    op: TensorOp, tensors: Sequence[Tensor], places: Sequence[int], kept: Sequence[int], upstream: Sequence[Tensor]
) -> list[Tensor]:
    """The gradient of the results `kept` of `op`, weighted by `upstream`, for the arguments at `places`."""
    sources = [tensors[k] for k in places]
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(sources)
        results = nest.flatten(op(*tensors), expand_composites=True)
    found = tape.gradient([results[k] for k in kept], sources, list(upstream), UnconnectedGradients.ZERO)
    return [convert_to_tensor(each) for each in found]
