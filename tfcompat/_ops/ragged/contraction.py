"""Products of ragged matrices, and cumulative sums along ragged axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.dispatch import register
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._ops.array import joining, layout
from tfcompat._ops.fold import running
from tfcompat._ops.linalg import contraction
from tfcompat._ops.ragged.broadcasting import require_one_dtype
from tfcompat._ops.ragged.joining import held, stack
from tfcompat._ops.ragged.layout import axis_of
from tfcompat._ops.ragged.partition import of_lengths, of_uniform
from tfcompat._ops.ragged.tensor import RaggedTensor


def matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, **options: Any) -> Any:
    """The products of the matrices in the last two axes of `a` and `b`, of one rank, at least one of them ragged.

    Raises: ValueError if ranks or dtypes differ; InvalidArgumentError if a matrix is ragged, or shapes do not fit.
    """
    first, second = held(a), held(b)
    require_one_dtype([one for one in (first, second) if isinstance(one, RaggedTensor)])
    if first.dtype is not second.dtype:
        raise ValueError(f"tf.matmul: `a` and `b` must have the same dtype, got {first.dtype} and {second.dtype}.")
    if len(first.shape) != len(second.shape):
        raise ValueError("tf.matmul: `a` and `b` must have the same rank.")
    options = {"transpose_a": transpose_a, "transpose_b": transpose_b, **options}
    options.pop("name", None)
    return _product(first, second, options)


def _product(a: Any, b: Any, options: dict[str, Any]) -> Any:
    rank = len(a.shape)
    if rank == 2:
        return contraction.matmul(_matrix(a), _matrix(b), **options)
    if rank > 3:
        first, second = _as_rows(a), _as_rows(b)
        if not np.array_equal(first._row_partition.host("tf.matmul"), second._row_partition.host("tf.matmul")):
            raise InvalidArgumentError.of("tf.matmul: Batch dimensions of `a` and `b` do not have the same size.")
        return first.with_values(_product(first.values, second.values, options))
    turns_a = options["transpose_a"] or options.get("adjoint_a")
    if isinstance(a, RaggedTensor) and a.ragged_rank == 1 and not isinstance(b, RaggedTensor) and not turns_a:
        matrices = layout.repeat(b, a.row_lengths(), axis=0)
        rows = contraction.matmul(layout.expand_dims(a.values, 1), matrices, **options)
        return a.with_values(layout.squeeze(rows, [1]))
    return _one_by_one(a, b, options)


def _one_by_one(a: Any, b: Any, options: dict[str, Any]) -> Any:
    """The products of the matrices of two batches; the last axis is ragged if that of `b` may be."""
    products = [_product(a[k], b[k], options) for k in range(int(a.shape[0]))]
    turns_a, turns_b = (options[f"transpose_{one}"] or options.get(f"adjoint_{one}") for one in "ab")
    if isinstance(b, RaggedTensor) and (b.ragged_rank == 2 or turns_b):
        return stack(products)
    height = a.shape[-1 if turns_a else -2]
    lengths = np.array([product._aval.shape[0] for product in products], np.int64)
    rows = of_lengths(lengths) if height is None else of_uniform(height, len(products))
    return RaggedTensor(joining.concat(products, 0), rows, internal=True)


def _matrix(value: Any) -> Any:
    """A matrix as a tensor. Raises InvalidArgumentError if its rows have different lengths."""
    if not isinstance(value, RaggedTensor):
        return value
    dense = value.to_tensor()
    if dense._aval.size != value.flat_values._aval.size:
        raise InvalidArgumentError.of("tf.matmul: the matrices may not be ragged in their innermost dimension.")
    return dense


def _as_rows(value: Any) -> RaggedTensor:
    return value if isinstance(value, RaggedTensor) else RaggedTensor.from_tensor(value)


def cumsum(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Any:
    """The cumulative sums of the ragged tensor `x` along `axis`, as `tf.cumsum` computes them."""
    del name
    along = axis_of("tf.cumsum", axis, len(x.shape))
    if along > x.ragged_rank:
        inner = running.cumsum(x.flat_values, along - x.ragged_rank, exclusive, reverse)
        return x.with_flat_values(inner)
    sums = running.cumsum(x.to_tensor(), along, exclusive, reverse)
    found = RaggedTensor.from_tensor(sums, x.nested_row_lengths(), row_splits_dtype=x.row_splits.dtype)
    return x.with_flat_values(found.flat_values)


register(contraction.matmul, RaggedTensor, matmul)
register(running.cumsum, RaggedTensor, cumsum)
