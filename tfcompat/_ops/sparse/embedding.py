"""Lookup of table rows by sparse or ragged ids, and their combination by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import bfloat16, float16, float32, int32
from tfcompat._ops.array.creation import zeros_like
from tfcompat._ops.array.gathering import embedding_lookup, gather, where
from tfcompat._ops.array.indexing import getitem
from tfcompat._ops.array.known import known
from tfcompat._ops.array.layout import reshape as tensor_reshape
from tfcompat._ops.elementwise.algebraic import maximum, multiply
from tfcompat._ops.elementwise.comparison import greater, greater_equal, logical_and
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold.segment import unsorted_segment_sum
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.sparse.coordinate import dims_of
from tfcompat._ops.sparse.layout import fill_empty_rows, reshape, retain
from tfcompat._ops.sparse.segment import combined
from tfcompat._ops.sparse.tensor import SparseTensor

_NAME = "tf.nn.embedding_lookup_sparse"
_SAFE = "tf.nn.safe_embedding_lookup_sparse"


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """The rows of `params` at the ids in each row of `sp_ids`, combined with `sp_weights` (ones if None).

    `combiner` is "mean" (the default), "sqrtn" or "sum"; rows are first clipped to the norm `max_norm` if it is given.
    `allow_fast_lookup` does not affect the result.

    Shapes: [n, *row], [m, k] -> [m, *row]; trailing rows without ids are omitted, unless a function computes the ids.
    Dtypes: params floating -> same; ids int32 or int64.
    Gradient: a `tf.IndexedSlices` of the rows looked up, each once; for every id if a function computes them.
    Raises: TypeError if sp_ids is neither sparse nor ragged; ValueError for another combiner, or empty params.
    Source: TF 2.21 `tf.nn.embedding_lookup_sparse`.
    """
    del name, allow_fast_lookup
    combiner = _combiner(_NAME, combiner)
    if params is None or (isinstance(params, (list, tuple)) and not params):
        raise ValueError(f"{_NAME}: params must be a tensor or a non-empty list of tensors.")
    ids, rows = _ids_and_rows(sp_ids)
    weights = None if sp_weights is None else _weights(sp_weights)
    found = _looked_up(params, ids, max_norm)
    return _combined(found, rows, weights, _count(sp_ids, rows), combiner)


def _looked_up(params: Any, ids: Tensor, max_norm: Any) -> Tensor:
    """The row for each of `ids`. Repeated ids with known values are looked up only once."""
    if ids._is_symbolic():
        return embedding_lookup(params, ids, max_norm)
    host = np.asarray(ids)
    distinct, inverse = np.unique(host, return_index=True)
    order = np.argsort(inverse, kind="stable")
    place = np.empty(distinct.size, np.int64)
    place[order] = np.arange(distinct.size)
    table = embedding_lookup(params, Tensor(distinct[order]), max_norm)
    return gather(table, Tensor(place[np.searchsorted(distinct, host)]))


def _count(sp_ids: Any, rows: Tensor) -> int:
    """The number of rows: of a sparse tensor, up to the last row with ids, where these are known."""
    if isinstance(sp_ids, RaggedTensor):
        return sp_ids._row_partition.nrows
    if rows._is_symbolic():
        return dims_of(sp_ids, _NAME)[0]
    return int(np.asarray(rows).max(initial=-1)) + 1


def _combined(found: Tensor, rows: Tensor, weights: Tensor | None, count: int, combiner: str) -> Tensor:
    if weights is None:
        return combined(found, rows, None, count, combiner)
    # TensorFlow weighs rows of 16 bits in 32 bits.
    wide = cast(found, float32) if found.dtype in (bfloat16, float16) else found
    return cast(combined(wide, rows, cast(weights, wide.dtype), count, combiner), found.dtype)


def _combiner(name: str, combiner: str | None) -> str:
    if combiner is None:
        return "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"{name}: combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner!r}.")
    return combiner


def _ids_and_rows(sp_ids: Any) -> tuple[Tensor, Tensor]:
    """The ids, and the row of each id."""
    if isinstance(sp_ids, RaggedTensor):
        return sp_ids.values, sp_ids.value_rowids()
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"{_NAME}: sp_ids must be SparseTensor, got {type(sp_ids)}.")
    return sp_ids.values, _rows_of(sp_ids)


def _rows_of(matrix: SparseTensor) -> Tensor:
    indices = matrix.indices
    return getitem(indices, (slice(None), 0)) if indices._is_symbolic() else Tensor(np.asarray(indices)[:, 0].copy())


def _weights(sp_weights: Any) -> Tensor:
    if not isinstance(sp_weights, (SparseTensor, RaggedTensor)):
        raise TypeError(f"{_NAME}: sp_weights must be either None or SparseTensor, got {type(sp_weights)}.")
    return sp_weights.values


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: Any = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """`embedding_lookup_sparse` of `embedding_weights`, ignoring negative ids and ids without positive weight.

    An empty row of `sparse_ids` is replaced by `default_id`, or by zeros if that is None. `sparse_weights`, `combiner`,
    `max_norm` and `allow_fast_lookup` are as in `embedding_lookup_sparse`.

    Shapes: [n, *row], [*dims, k] -> [*dims, *row].
    Dtypes: params floating -> same; ids int32 or int64.
    Gradient: a `tf.IndexedSlices` of the rows looked up, each once.
    Raises: ValueError if embedding_weights is empty, or for another combiner.
    Source: TF 2.21 `tf.nn.safe_embedding_lookup_sparse`.
    """
    del name, allow_fast_lookup
    if embedding_weights is None or (isinstance(embedding_weights, (list, tuple)) and not embedding_weights):
        raise ValueError(f"{_SAFE}: Missing embedding_weights {embedding_weights}.")
    ids, weights, outer = _as_matrix(sparse_ids, sparse_weights)
    combiner = _combiner(_SAFE, combiner)
    if any(part._is_symbolic() for sparse in (ids, weights) if sparse for part in (sparse.indices, sparse.values)):
        found = _safely_combined(embedding_weights, ids, weights, combiner, default_id, max_norm)
        return tensor_reshape(found, (*outer, *found._aval.shape[1:]))
    ids, weights = _pruned(ids, weights, combiner)
    filled, is_empty = fill_empty_rows(ids, 0 if default_id is None else default_id)
    if weights is not None:
        weights, _ = fill_empty_rows(weights, 1.0)
    found = embedding_lookup_sparse(embedding_weights, filled, weights, combiner, max_norm)
    if default_id is None:
        shape = (-1, *(1,) * (found.ndim - 1))
        found = where(tensor_reshape(is_empty, shape), zeros_like(found), found)
    return tensor_reshape(found, (*outer, *found._aval.shape[1:])) if len(outer) > 1 else found


def _as_matrix(ids: Any, weights: Any) -> tuple[SparseTensor, SparseTensor | None, tuple[int, ...]]:
    """Ids and weights as sparse matrices, and the shape of the outer axes."""
    if isinstance(ids, RaggedTensor):
        ids = ids.to_sparse()
        weights = weights.to_sparse() if isinstance(weights, RaggedTensor) else weights
    dims = dims_of(ids, _SAFE)
    if len(dims) > 2:
        flat = [int(np.prod(dims[:-1])), dims[-1]]
        ids = reshape(ids, flat)
        weights = None if weights is None else reshape(weights, flat)
    return ids, weights, dims[:-1]


def _pruned(ids: SparseTensor, weights: SparseTensor | None, combiner: str) -> tuple[SparseTensor, SparseTensor | None]:
    """The ids and weights without negative ids, and without weights that are not positive unless rows are summed."""
    is_valid = known(ids.values, _SAFE) >= 0
    if weights is not None and combiner != "sum":
        is_valid &= known(weights.values, _SAFE) > 0
    kept = retain(ids, Tensor(is_valid))
    return kept, None if weights is None else retain(weights, Tensor(is_valid))


def _safely_combined(
    params: Any, ids: SparseTensor, weights: SparseTensor | None, combiner: str, default_id: Any, max_norm: Any
) -> Tensor:
    """`safe_embedding_lookup_sparse` of a matrix of ids that a program computes: ignored ids get weight 0."""
    is_valid = greater_equal(ids.values, 0)
    if weights is not None and combiner != "sum":
        is_valid = logical_and(is_valid, greater(weights.values, 0))
    rows, count = _rows_of(ids), dims_of(ids, _SAFE)[0]
    found = embedding_lookup(params, maximum(ids.values, 0), max_norm)
    ones = (1,) * (found.ndim - 1)
    found = where(tensor_reshape(is_valid, (-1, *ones)), found, zeros_like(found))
    share = cast(is_valid, float32 if weights is None else weights.values.dtype)
    answer = _combined(found, rows, share if weights is None else multiply(share, weights.values), count, combiner)
    if default_id is None:
        return answer
    has_ids = greater(unsorted_segment_sum(cast(is_valid, int32), rows, count), 0)
    default = embedding_lookup(params, Tensor(np.array([default_id])), max_norm)
    return where(tensor_reshape(has_ids, (-1, *ones)), answer, default)
