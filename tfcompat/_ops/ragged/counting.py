"""Counts of numbers in the rows of ragged tensors."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, integer, op
from tfcompat._core.calls.dispatch import register
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import INDEX, REAL, as_dtype, int32
from tfcompat._ops.array.creation import ones_like
from tfcompat._ops.array.known import known
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold import counting
from tfcompat._ops.ragged.tensor import RaggedTensor


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Any:
    """The count of each number in the ragged tensor `arr`, or, with `axis` -1, in each of its rows."""
    del name
    held = weights.flat_values if isinstance(weights, RaggedTensor) else weights
    if integer(axis) not in (None, 0, -1):
        raise ValueError(f"tf.math.bincount: axis must be 0, -1 or None, got {axis}.")
    if axis != -1:
        return counting.bincount(arr.flat_values, held, minlength, maxlength, dtype, binary_output=binary_output)
    if len(arr.shape) != 2:
        raise ValueError(f"tf.math.bincount: arr must have rank 2 for axis -1, got shape {arr.shape}.")
    numbers = convert_to_tensor(arr.flat_values)
    least, most = integer(minlength), integer(maxlength)
    if numbers._is_symbolic() and least is not None and least == most:
        size = least
    else:
        values = known(numbers, "tf.math.bincount")
        if (values < 0).any():
            raise InvalidArgumentError.of(f"tf.math.bincount: arr must not be negative, got {values.tolist()}.")
        size = counting.length(values, least, most)
    if held is None or binary_output:
        held = cast(ones_like(numbers), as_dtype(dtype))
    return _by_row(numbers, arr.value_rowids(), arr.row_splits, convert_to_tensor(held), size, binary_output)


_NONE_NEGATIVE = Check(("arr",), lambda arr, **_: arr < 0, "arr must not be negative")


@op(
    "math.bincount",
    dtypes={"arr": INDEX, "rowids": INDEX, "splits": INDEX, "weights": REAL},
    same=("weights",),
    no_gradient="RaggedBincount",
    check=_NONE_NEGATIVE,
)
def _by_row(arr: Array, rowids: Array, splits: Array, weights: Array, size: int, is_binary: bool) -> Array:
    counts = jnp.zeros((splits.shape[0] - 1, size), weights.dtype).at[rowids, arr].add(weights, mode="drop")
    return jnp.minimum(counts, 1) if is_binary else counts


register(counting.bincount, RaggedTensor, bincount)
