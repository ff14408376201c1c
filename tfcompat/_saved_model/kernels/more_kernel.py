"""Kernels of graphs that `tf.raw_ops` has not: parts of public functions that have other arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.types.dtype import int64
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.array.extent import broadcast_dynamic_shape
from tfcompat._ops.elementwise.comparison import equal, not_equal
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold.counting import bincount
from tfcompat._ops.sparse.conversion import to_dense
from tfcompat._ops.sparse.tensor import SparseTensor
from tfcompat._saved_model.kernels.library import Frame, Kernel
from tfcompat._saved_model.kernels.plan import Step


def _common_shape(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame, step
    return [broadcast_dynamic_shape(*inputs)]


def _counted(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """The counts of numbers below a size, in a vector or in each row of a matrix; those of other numbers are lost."""
    del frame
    values, size, weights = map(convert_to_tensor, inputs)
    is_binary = step.attribute("binary_output", False)
    has_weights = not is_binary and weights._aval.size != 0
    found = bincount(
        values,
        weights if has_weights else None,
        minlength=size,
        maxlength=size,
        dtype=weights.dtype,
        axis=-1 if values.ndim > 1 else None,
        binary_output=is_binary,
    )
    return [found]


def _compared(compare: Callable[..., Any], otherwise: bool) -> Kernel:
    """`Equal` and `NotEqual`, which may be `otherwise` for shapes that do not fit."""

    def run(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
        del frame
        x, y = map(convert_to_tensor, inputs)
        if not step.attribute("incompatible_shape_error", True):
            try:
                broadcast_shapes(x._aval.shape, y._aval.shape)
            except ValueError:
                return [convert_to_tensor(otherwise)]
        return [compare(x, y)]

    return run


def _given(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame, step
    return inputs


def _dense(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    """`SparseToDense` of a matrix of indices. Raises NotImplementedError for a vector of them, or one index."""
    del frame
    indices, shape, values, default = map(convert_to_tensor, inputs)
    if indices.ndim != 2:
        raise NotImplementedError(
            f"tf.saved_model.load: {step.subject} has indices of rank {indices.ndim}; they must be a matrix."
        )
    sparse = SparseTensor(cast(indices, int64), values, cast(shape, int64))
    return [to_dense(sparse, default, step.attribute("validate_indices", True))]


MORE_KERNELS: dict[str, Kernel] = {
    "SparseToDense": _dense,
    "BroadcastArgs": _common_shape,
    "DenseBincount": _counted,
    "Equal": _compared(equal, otherwise=False),
    "NotEqual": _compared(not_equal, otherwise=True),
    "PlaceholderWithDefault": _given,
}
