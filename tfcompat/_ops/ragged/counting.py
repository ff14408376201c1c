"""Counts of numbers in the rows of ragged tensors."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.declare import Array, integer, op
from tfcompat._core.dispatch import register
from tfcompat._core.dtype import INDEX, REAL, as_dtype, int32
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.tensor import Tensor
from tfcompat._ops.array.known import known
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
    values = known(arr.flat_values, "tf.math.bincount")
    if (values < 0).any():
        raise InvalidArgumentError.of(f"tf.math.bincount: arr must not be negative, got {values.tolist()}.")
    size = counting.length(values, integer(minlength), integer(maxlength))
    if held is None or binary_output:
        held = Tensor(np.ones(values.shape, as_dtype(dtype).as_numpy_dtype))
    return _by_row(
        arr.flat_values, arr.value_rowids(), convert_to_tensor(held), arr._row_partition.nrows, size, binary_output
    )


@op(
    "math.bincount",
    dtypes={"arr": INDEX, "rowids": INDEX, "weights": REAL},
    same=("weights",),
    no_gradient="RaggedBincount",
)
def _by_row(arr: Array, rowids: Array, weights: Array, nrows: int, size: int, is_binary: bool) -> Array:
    counts = jnp.zeros((nrows, size), weights.dtype).at[rowids, arr].add(weights, mode="drop")
    return jnp.minimum(counts, 1) if is_binary else counts


register(counting.bincount, RaggedTensor, bincount)
