"""Rows of tables looked up by sparse or ragged ids, and combined by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.dtype import bfloat16, float16, float32
from tfcompat._core.tensor import Tensor
from tfcompat._ops.array.creation import zeros_like
from tfcompat._ops.array.gathering import embedding_lookup, gather, where
from tfcompat._ops.array.known import known
from tfcompat._ops.array.layout import reshape as tensor_reshape
from tfcompat._ops.elementwise.rounding import cast
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

    `combiner` is "mean" (the default), "sqrtn" or "sum"; rows are first cut to the norm `max_norm` if it is given.
    `allow_fast_lookup` changes no value.

    Shapes: [n, *row], [m, k] -> [m, *row].
    Dtypes: params floating -> same; ids int32 or int64.
    Gradient: a `tf.IndexedSlices` of the rows looked up, each once.
    Raises: TypeError if sp_ids is neither sparse nor ragged; ValueError for another combiner, or no params.
    Source: TF 2.21 `tf.nn.embedding_lookup_sparse`.
    """
    del name, allow_fast_lookup
    combiner = _combiner(_NAME, combiner)
    if params is None or (isinstance(params, (list, tuple)) and not params):
        raise ValueError(f"{_NAME}: params must be a tensor or a list with at least one.")
    ids, rows = _ids_and_rows(sp_ids)
    weights = None if sp_weights is None else _weights(sp_weights)
    host = known(ids, _NAME)
    told, inverse = np.unique(host, return_index=True)
    order = np.argsort(inverse, kind="stable")
    unique = told[order]
    place = np.empty(told.size, np.int64)
    place[order] = np.arange(told.size)
    table = embedding_lookup(params, Tensor(unique), max_norm)
    found = gather(table, Tensor(place[np.searchsorted(told, host)]))
    segments = known(rows, _NAME)
    count = int(segments.max(initial=-1)) + 1
    if isinstance(sp_ids, RaggedTensor):
        count = sp_ids._row_partition.nrows
    if weights is None:
        return combined(found, rows, None, count, combiner)
    # TensorFlow weighs rows of 16 bits in 32.
    wide = cast(found, float32) if found.dtype in (bfloat16, float16) else found
    return cast(combined(wide, rows, cast(weights, wide.dtype), count, combiner), found.dtype)


def _combiner(name: str, combiner: str | None) -> str:
    if combiner is None:
        return "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"{name}: combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner!r}.")
    return combiner


def _ids_and_rows(sp_ids: Any) -> tuple[Tensor, Tensor]:
    """The ids, and for each the row that it stands in."""
    if isinstance(sp_ids, RaggedTensor):
        return sp_ids.values, sp_ids.value_rowids()
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"{_NAME}: sp_ids must be SparseTensor, got {type(sp_ids)}.")
    return sp_ids.values, Tensor(known(sp_ids.indices, _NAME)[:, 0].copy())


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
    """As `embedding_lookup_sparse` of `embedding_weights`, without negative ids and those whose weight is not positive.

    A row of `sparse_ids` that is empty then stands for `default_id`, or for zeros if that is None; `sparse_weights`,
    `combiner`, `max_norm` and `allow_fast_lookup` are handed on.

    Shapes: [n, *row], [*dims, k] -> [*dims, *row].
    Dtypes: params floating -> same; ids int32 or int64.
    Gradient: a `tf.IndexedSlices` of the rows looked up, each once.
    Raises: ValueError if there are no embedding_weights, or for another combiner.
    Source: TF 2.21 `tf.nn.safe_embedding_lookup_sparse`.
    """
    del name, allow_fast_lookup
    if embedding_weights is None or (isinstance(embedding_weights, (list, tuple)) and not embedding_weights):
        raise ValueError(f"{_SAFE}: Missing embedding_weights {embedding_weights}.")
    ids, weights, outer = _as_matrix(sparse_ids, sparse_weights)
    ids, weights = _pruned(ids, weights, _combiner(_SAFE, combiner))
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
    """Without negative ids, and without weights that are not positive unless they are summed."""
    is_valid = known(ids.values, _SAFE) >= 0
    if weights is not None and combiner != "sum":
        is_valid &= known(weights.values, _SAFE) > 0
    kept = retain(ids, Tensor(is_valid))
    return kept, None if weights is None else retain(weights, Tensor(is_valid))
