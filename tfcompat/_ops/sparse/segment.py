"""Reductions of rows, selected by index, by segment."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import FLOATING, INDEX, INTEGER, NUMERIC, REAL, int32
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.array.known import known


def segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums the rows of `data` at `indices` that have the same number in `segment_ids`, which must not decrease.

    With `sparse_gradient`, the gradient is a `tf.IndexedSlices` of the rows.

    Shapes: [n, *row], [m], [m] -> [num_segments (or as many as needed), *row].
    Dtypes: data real numbers -> same; indices and segment_ids int32 or int64.
    Raises: InvalidArgumentError if an index is out of range, or segment ids decrease or reach num_segments.
    Source: TF 2.21 `tf.sparse.segment_sum`.
    """
    del name
    return _segmented("segment_sum", (data, indices, segment_ids), num_segments, sparse_gradient, "sum")


def segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The mean of the rows of `data` at `indices` that have the same number in `segment_ids`; 0 for empty segments.

    With `sparse_gradient`, the gradient is a `tf.IndexedSlices` of the rows.

    Shapes: [n, *row], [m], [m] -> [num_segments (or as many as needed), *row].
    Dtypes: data floating -> same; indices and segment_ids int32 or int64.
    Raises: InvalidArgumentError if an index is out of range, or segment ids decrease or reach num_segments.
    Source: TF 2.21 `tf.sparse.segment_mean`.
    """
    del name
    return _segmented("segment_mean", (data, indices, segment_ids), num_segments, sparse_gradient, "mean")


def segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums the rows of `data` at `indices` by `segment_ids`, and divides by the square root of their number.

    With `sparse_gradient`, the gradient is a `tf.IndexedSlices` of the rows.

    Shapes: [n, *row], [m], [m] -> [num_segments (or as many as needed), *row].
    Dtypes: data floating -> same; indices and segment_ids int32 or int64.
    Raises: InvalidArgumentError if an index is out of range, or segment ids decrease or reach num_segments.
    Source: TF 2.21 `tf.sparse.segment_sqrt_n`.
    """
    del name
    return _segmented("segment_sqrt_n", (data, indices, segment_ids), num_segments, sparse_gradient, "sqrtn")


def _segmented(
    name: str, given: tuple[Any, Any, Any], num_segments: Any, sparse_gradient: bool, combiner: str
) -> Tensor:
    data, indices, segment_ids = (
        convert_to_tensor(value, dtype_hint=hint) for value, hint in zip(given, (None, int32, int32), strict=True)
    )
    subject = f"tf.sparse.{name}"
    ids = known(segment_ids, subject)
    if indices._aval.shape != ids.shape or ids.ndim != 1:
        raise InvalidArgumentError.of(f"{subject}: indices and segment_ids must be vectors of one length.")
    if not data.ndim:
        raise InvalidArgumentError.of(f"{subject}: data must have rank 1 or more, got a scalar.")
    _require_rows(subject, indices, data._aval.shape[0])
    if (np.diff(ids) < 0).any() or (ids[:1] < 0).any():
        raise InvalidArgumentError.of(f"{subject}: segment ids are not increasing, got {ids.tolist()}.")
    needed = int(ids[-1]) + 1 if ids.size else 0
    count = needed if num_segments is None else int(convert_to_tensor(num_segments))
    if count < needed:
        raise InvalidArgumentError.of(f"{subject}: segment ids must be < num_segments={count}, got {ids.tolist()}.")
    picked = gather(data, indices) if sparse_gradient else _picked(data, indices)
    return combined(picked, segment_ids, None, count, combiner)


def _require_rows(subject: str, indices: Tensor, rows: int) -> None:
    """Raises InvalidArgumentError if one of the known `indices` is out of range; a program checks the others."""
    if not indices._is_symbolic():
        places = np.asarray(indices)
        if ((places < 0) | (places >= rows)).any():
            raise InvalidArgumentError.of(f"{subject}: indices must be in [0, {rows}), got {places.tolist()}.")


def _is_no_row(data: Array, indices: Array) -> Array:
    return (indices < 0) | (indices >= data.shape[0])


@op(
    "gather",
    dtypes={"data": REAL, "indices": INDEX},
    same=("data",),
    check=Check(("indices",), _is_no_row, "indices must be in [0, n) for n rows of data"),
    gradient_reads=False,
)
def _picked(data: Array, indices: Array) -> Array:
    """Rows, with a dense gradient."""
    return data[indices]


def combined(rows: Tensor, segment_ids: Tensor, weights: Tensor | None, count: int, combiner: str) -> Tensor:
    """The rows of each of `count` segments combined: their sum, mean or sum over the square root of their number.

    With `weights`, rows are weighted; the mean divides by the sum of weights, the root by that of their squares.
    """
    if weights is None:
        return (_summed if combiner == "sum" else _averaged)(rows, segment_ids, count, combiner)
    return _weighed(rows, segment_ids, weights, count, combiner)


def _sums(rows: Array, segment_ids: Array, count: int) -> Array:
    return jnp.zeros((count, *rows.shape[1:]), rows.dtype).at[segment_ids].add(rows)


def _over(total: Array, divisor: Array) -> Array:
    """Rows divided by numbers; 0 where the number is 0."""
    spread = divisor.reshape(-1, *(1,) * (total.ndim - 1))
    return jnp.where(spread == 0, 0, total / jnp.where(spread == 0, 1, spread))


@op("sparse.segment_sum", dtypes={"rows": REAL, "segment_ids": INDEX}, same=("rows",))
def _summed(rows: Array, segment_ids: Array, count: int, combiner: str) -> Array:
    del combiner
    return _sums(rows, segment_ids, count)


@op("sparse.segment_mean", dtypes={"rows": FLOATING, "segment_ids": INDEX}, same=("rows",))
def _averaged(rows: Array, segment_ids: Array, count: int, combiner: str) -> Array:
    divisor = _sums(jnp.ones(segment_ids.shape, rows.dtype), segment_ids, count)
    return _over(_sums(rows, segment_ids, count), divisor if combiner == "mean" else jnp.sqrt(divisor))


def _validate_weighed(rows: Any, combiner: str, **_: Any) -> None:
    if combiner != "sum" and rows.dtype in INTEGER:
        raise InvalidArgumentError.of(
            f"tf.nn.embedding_lookup_sparse: params must not be integers for {combiner!r}, got {rows.dtype.name}."
        )


@op(
    "nn.embedding_lookup_sparse",
    dtypes={"rows": NUMERIC, "segment_ids": INDEX, "weights": NUMERIC},
    same=("rows", "weights"),
    validate=_validate_weighed,
)
def _weighed(rows: Array, segment_ids: Array, weights: Array, count: int, combiner: str) -> Array:
    total = _sums(rows * weights.reshape(-1, *(1,) * (rows.ndim - 1)), segment_ids, count)
    if combiner == "sum":
        return total
    if combiner == "mean":
        return _over(total, _sums(weights, segment_ids, count))
    squares = _sums(weights * weights, segment_ids, count)
    return _over(total, jnp.where(squares == 0, 0, jnp.sqrt(jnp.where(squares == 0, 1, squares))))
