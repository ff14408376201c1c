"""Functions applied to the values of sparse tensors, whatever their coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.dispatch import register
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import as_dtype, int32
from tfcompat._ops.array import extent
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.array.known import known
from tfcompat._ops.elementwise import algebraic, rounding, special, transcendental
from tfcompat._ops.indexed_slices.rows import IndexedSlices
from tfcompat._ops.sparse.tensor import SparseTensor

_MAP = "tf.sparse.map_values"


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """The sparse tensor of the result of `op` for the values of the sparse tensors in `args` and `kwargs`.

    Shapes: those of the sparse arguments, which must have the same coordinates.
    Dtypes: that of the result of op.
    Raises: ValueError if no argument is sparse, or op returns another number of values; InvalidArgumentError if
      coordinates differ.
    Source: TF 2.21 `tf.sparse.map_values`.
    """
    found: list[SparseTensor] = []
    values = [_replaced(arg, found) for arg in args]
    named = {key: _replaced(value, found) for key, value in kwargs.items()}
    if not found:
        raise ValueError("tf.sparse.map_values: No SparseTensor in argument list of map_values")
    first = found[0]
    for other in found[1:]:
        for one, two in ((first.indices, other.indices), (first.dense_shape, other.dense_shape)):
            if one is not two and not np.array_equal(known(one, _MAP), known(two, _MAP)):
                raise InvalidArgumentError.of("tf.sparse.map_values: the sparse arguments must have equal coordinates.")
    return first.with_values(op(*values, **named))


def _replaced(value: Any, found: list[SparseTensor]) -> Any:
    if isinstance(value, SparseTensor):
        found.append(value)
        return value.values
    return type(value)(_replaced(item, found) for item in value) if isinstance(value, (list, tuple)) else value


def mask(a: Any, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """The rows of the `tf.IndexedSlices` `a` except those with an index in `mask_indices`.

    Shapes: as `a` with fewer rows.
    Dtypes: any -> same.
    Source: TF 2.21 `tf.sparse.mask`.
    """
    del name
    indices = convert_to_tensor(a.indices)
    hidden = known(convert_to_tensor(mask_indices, indices.dtype), "tf.sparse.mask")
    kept = Tensor(np.flatnonzero(~np.isin(known(indices, "tf.sparse.mask"), hidden)))
    return IndexedSlices(gather(a.values, kept), gather(indices, kept), a.dense_shape)


def _on_values(function: Callable[..., Any]) -> Callable[..., Any]:
    def mapped(x: Any, *args: Any, **kwargs: Any) -> SparseTensor:
        return SparseTensor._of(x.indices, function(x.values, *args, **kwargs), x.dense_shape)

    return mapped


def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The dense shape of the sparse tensor `input`."""
    del name
    return rounding.cast(input.dense_shape, int32 if out_type is None else as_dtype(out_type))


def size(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The number of elements of the sparse tensor `input`, zeros included."""
    del name
    dtype: Any = int32 if out_type is None else as_dtype(out_type)
    return Tensor(np.array(known(input.dense_shape, "tf.size").prod(), dtype.as_numpy_dtype))


def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of axes of the sparse tensor `input`."""
    del name
    return Tensor(np.array(input.dense_shape._aval.size, np.int32))


for _function in (
    *(algebraic.abs, algebraic.negative, algebraic.sign, algebraic.square, algebraic.sqrt, rounding.cast),
    *(transcendental.asinh, transcendental.sin, transcendental.tan, transcendental.atan, transcendental.asin),
    *(transcendental.atanh, transcendental.tanh, special.erf),
):  # fmt: skip
    register(_function, SparseTensor, _on_values(_function))
register(extent.shape, SparseTensor, shape)
register(extent.size, SparseTensor, size)
register(extent.rank, SparseTensor, rank)
