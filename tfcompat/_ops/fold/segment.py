"""Reductions of rows by segment, and partitioning and stitching of rows by number."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Check, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.operation.op import Op, ValueCheck
from tfcompat._core.operation.recipe import made_once
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.tracing.trace import record
from tfcompat._core.types.dtype import FLOATING, INDEX, MOVABLE, NUMERIC, REAL, DType, int16, int32
from tfcompat._ops.array.gathering import boolean_mask, slices_at
from tfcompat._ops.array.known import known
from tfcompat._ops.array.true_place import may_be_found
from tfcompat._ops.elementwise.comparison import equal
from tfcompat._ops.fold.reduction import reduce_max

# The ids of the segments.
_SUMMED = INDEX | {int16}


def _scattered(data: Array, segment_ids: Array, rows: Array, mode: str) -> Array:
    """The rows with `data` added, multiplied or compared in at their segment ids; negative ids are dropped."""
    target = rows.at[segment_ids]
    return getattr(target, mode)(data, mode="drop", wrap_negative_indices=False)


def _full(data: Array, segment_ids: Array, num_segments: int, value: Any) -> Array:
    return jnp.full((num_segments, *data.shape[segment_ids.ndim :]), value, data.dtype)


def _sum(data: Array, segment_ids: Array, num_segments: int) -> Array:
    return _scattered(data, segment_ids, _full(data, segment_ids, num_segments, 0), "add")


def _spread(rows: Array, segment_ids: Array) -> Array:
    """For each element of the data, the row of its segment; zeros for a negative id."""
    return rows.at[segment_ids].get(mode="fill", fill_value=0, wrap_negative_indices=False)


def _count(data: Array, segment_ids: Array, num_segments: int) -> Array:
    """The number of rows of each segment, shaped to divide the segment's row."""
    ones = jnp.ones(segment_ids.shape, data.dtype)
    counts = _sum(ones, segment_ids, num_segments)
    return counts.reshape(num_segments, *(1,) * (data.ndim - segment_ids.ndim))


def worst(dtype: Any, mode: str) -> Any:
    """The identity of the extreme: the number of `dtype` that never wins the comparison."""
    limits = jnp.finfo(dtype) if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype)
    return np.dtype(dtype).type(limits.min if mode == "max" else limits.max)


def without_nan(data: Array, mode: str) -> Array:
    """`data` with nan replaced by the number that never wins the comparison: TensorFlow's segments ignore nan."""
    return jnp.where(jnp.isnan(data), worst(data.dtype, mode), data)


@partial(jax.custom_jvp, nondiff_argnums=(2, 3, 4))
def _extreme(data: Array, segment_ids: Array, num_segments: int, mode: str, empty: Any) -> Array:
    rows = _full(data, segment_ids, num_segments, empty)
    if not num_segments or not jnp.issubdtype(data.dtype, jnp.floating):
        return _scattered(data, segment_ids, rows, mode)
    return jax.lax.cond(
        jnp.any(jnp.isnan(data)),
        lambda: _extreme_after_nan(data, segment_ids, rows, mode),
        lambda: _scattered(data, segment_ids, rows, mode),
    )


def _extreme_after_nan(data: Array, segment_ids: Array, rows: Array, mode: str) -> Array:
    """TensorFlow's rule for nan: elements are compared in order, and nan loses to the next one.

    So only the elements after the last nan count; without such elements the result is nan.
    """
    numbers = jnp.arange(1, segment_ids.size + 1, dtype=jnp.int32)
    order = numbers.reshape(*segment_ids.shape, *(1,) * (data.ndim - segment_ids.ndim))
    none = jnp.zeros(rows.shape, jnp.int32)
    last_nan = _scattered(jnp.where(jnp.isnan(data), order, 0), segment_ids, none, "max")
    last = _scattered(jnp.broadcast_to(order, data.shape), segment_ids, none, "max")
    worst_of_all = jnp.asarray(-jnp.inf if mode == "max" else jnp.inf, data.dtype)
    counting = jnp.where(order > _spread(last_nan, segment_ids), data, worst_of_all)
    found = _scattered(counting, segment_ids, jnp.where(last_nan > 0, worst_of_all, rows), mode)
    return jnp.where((last_nan == last) & (last > 0), jnp.nan, found)


@_extreme.defjvp
def _extreme_jvp(num_segments: int, mode: str, empty: Any, primals: Any, tangents: Any) -> tuple[Array, Array]:
    """TensorFlow's rule: elements that tie for the extreme share its derivative evenly."""
    data, segment_ids = primals
    found = _extreme(data, segment_ids, num_segments, mode, empty)
    is_chosen = (data == _spread(found, segment_ids)) & _is_kept(data, segment_ids)
    count = _sum(is_chosen.astype(data.dtype), segment_ids, num_segments)
    moved = _sum(jnp.where(is_chosen, tangents[0], 0), segment_ids, num_segments)
    return found, moved / jnp.maximum(count, 1)


def _is_kept(data: Array, segment_ids: Array) -> Array:
    return (segment_ids >= 0).reshape(*segment_ids.shape, *(1,) * (data.ndim - segment_ids.ndim))


@partial(jax.custom_jvp, nondiff_argnums=(2,))
def _product(data: Array, segment_ids: Array, num_segments: int) -> Array:
    return _scattered(data, segment_ids, _full(data, segment_ids, num_segments, 1), "multiply")


@_product.defjvp
def _product_jvp(num_segments: int, primals: Any, tangents: Any) -> tuple[Array, Array]:
    """Each element gets the product of the others, also where it is the only zero.

    TensorFlow omits the conjugate of a complex product.
    """
    data, segment_ids = primals
    found = _product(data, segment_ids, num_segments)
    is_zero = data == 0
    others = _product(jnp.where(is_zero, 1, data), segment_ids, num_segments)
    has_one_zero = _sum(is_zero.astype(data.dtype), segment_ids, num_segments) == 1
    alone = _spread(jnp.where(has_one_zero, others, 0), segment_ids)
    rest = jnp.where(is_zero, alone, _spread(found, segment_ids) / jnp.where(is_zero, 1, data))
    return found, _sum(tangents[0] * jnp.conj(rest), segment_ids, num_segments)


def _mean(data: Array, segment_ids: Array, num_segments: int) -> Array:
    total = _sum(data, segment_ids, num_segments)
    count = jnp.maximum(_count(data, segment_ids, num_segments).real, 1)
    return jax.lax.div(*jnp.broadcast_arrays(total, count.astype(data.dtype)))


def _sorted_segments(name: str, data: Any, segment_ids: Any) -> tuple[Tensor, Tensor, int]:
    """The arguments as tensors, and the number of segments, for which the ids are read on the host."""
    data, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    if ids.dtype not in INDEX or ids.ndim != 1 or data.ndim < 1 or data._aval.shape[0] != ids._aval.shape[0]:
        refuse = found_early if ids.dtype in INDEX and ids.ndim == 1 <= data.ndim else InvalidArgumentError.of
        raise refuse(
            f"tf.{name}: segment_ids must be a vector of integers, one for each row of data of shape {data.shape}, "
            f"got {ids._aval!r}."
        )
    if ids._is_symbolic():
        greatest = known(reduce_max(ids), f"tf.{name}").item()
        return data, _increasing(ids, name), max(greatest + 1, 0)
    values = np.asarray(ids)
    if (np.diff(values) < 0).any() or (values[:1] < 0).any():
        raise found_early(f"tf.{name}: segment ids are not increasing from 0, got {values.tolist()}.")
    return data, ids, int(values[-1]) + 1 if values.size else 0


def _is_decreasing(ids: Array, **_: Any) -> Array:
    return (jnp.diff(ids) < 0).any() | (ids[:1] < 0).any()


@op("increasing", dtypes=INDEX, check=Check(("ids",), _is_decreasing, "segment ids must increase from 0"))
def _increasing(ids: Array, subject: str) -> Array:
    """The `ids` of segments in a program of `subject`, which checks them."""
    del subject
    return ids


@dispatched
def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Sums neighbouring rows of `data` that have the same number in `segment_ids`, which are read on the host.

    Shapes: [n, *row], [n] -> [max(segment_ids) + 1, *row].
    Dtypes: data NUMERIC -> same; segment_ids INDEX.
    Raises: InvalidArgumentError if the ids do not increase from 0, or there is not one for each row.
    Source: TF 2.21 `tf.math.segment_sum`.
    """
    return _segment_sum(*_sorted_segments("math.segment_sum", data, segment_ids), name=name)


@op("math.segment_sum", dtypes={"data": NUMERIC, "segment_ids": INDEX}, same=("data",))
def _segment_sum(data: Array, segment_ids: Array, num_segments: int) -> Array:
    return _sum(data, segment_ids, num_segments)


@dispatched
def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The mean of neighbouring rows of `data` that have the same number in `segment_ids`; 0 for a segment without rows.

    Shapes: [n, *row], [n] -> [max(segment_ids) + 1, *row].
    Dtypes: data NUMERIC -> same, integers truncated; segment_ids INDEX.
    Raises: InvalidArgumentError if the ids do not increase from 0, or there is not one for each row.
    Source: TF 2.21 `tf.math.segment_mean`.
    """
    return _segment_mean(*_sorted_segments("math.segment_mean", data, segment_ids), name=name)


@op("math.segment_mean", dtypes={"data": NUMERIC, "segment_ids": INDEX}, same=("data",))
def _segment_mean(data: Array, segment_ids: Array, num_segments: int) -> Array:
    return _mean(data, segment_ids, num_segments)


@dispatched
def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The maximum of neighbouring rows of `data` that have the same number in `segment_ids`; 0 for one without rows.

    Shapes: [n, *row], [n] -> [max(segment_ids) + 1, *row].
    Dtypes: data REAL -> same; segment_ids INDEX.
    Gradient: elements that tie share it evenly.
    Raises: InvalidArgumentError if the ids do not increase from 0, or there is not one for each row.
    Source: TF 2.21 `tf.math.segment_max`.
    """
    return _segment_extreme(*_sorted_segments("math.segment_max", data, segment_ids), "max", name=name)


@dispatched
def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The minimum of neighbouring rows of `data` that have the same number in `segment_ids`; 0 for one without rows.

    Shapes: [n, *row], [n] -> [max(segment_ids) + 1, *row].
    Dtypes: data REAL -> same; segment_ids INDEX.
    Gradient: elements that tie share it evenly.
    Raises: InvalidArgumentError if the ids do not increase from 0, or there is not one for each row.
    Source: TF 2.21 `tf.math.segment_min`.
    """
    return _segment_extreme(*_sorted_segments("math.segment_min", data, segment_ids), "min", name=name)


@op("math.segment_max", dtypes={"data": REAL, "segment_ids": INDEX}, same=("data",))
def _segment_extreme(data: Array, segment_ids: Array, num_segments: int, mode: str) -> Array:
    # A segment that holds only an infinity keeps it, unlike in unsorted segments.
    is_floating = jnp.issubdtype(data.dtype, jnp.floating)
    empty = (-np.inf if mode == "max" else np.inf) if is_floating else worst(data.dtype, mode)
    found = _extreme(data, segment_ids, num_segments, mode, empty)
    return jnp.where(_count(data, segment_ids, num_segments) > 0, found, 0)


@dispatched
def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The product of neighbouring rows of `data` that have the same number in `segment_ids`; 1 for one without rows.

    Shapes: [n, *row], [n] -> [max(segment_ids) + 1, *row].
    Dtypes: data NUMERIC -> same; segment_ids INDEX.
    Raises: InvalidArgumentError if the ids do not increase from 0, or there is not one for each row.
    Source: TF 2.21 `tf.math.segment_prod`.
    """
    return _segment_prod(*_sorted_segments("math.segment_prod", data, segment_ids), name=name)


@op("math.segment_prod", dtypes={"data": NUMERIC, "segment_ids": INDEX}, same=("data",))
def _segment_prod(data: Array, segment_ids: Array, num_segments: int) -> Array:
    return _product(data, segment_ids, num_segments)


def _unsorted(name: str, dtypes: Any, ids: frozenset[DType] = INDEX) -> Callable[..., Any]:
    """Declares an op that reduces rows by segment ids in any order."""

    def validate(data: Any, segment_ids: Any, num_segments: int) -> None:
        if data.shape[: segment_ids.ndim] != segment_ids.shape:
            raise InvalidArgumentError.of(
                f"tf.{name}: the shape of data must begin with that of segment_ids, got {data.shape} and "
                f"{segment_ids.shape}."
            )
        if num_segments < 0:
            raise InvalidArgumentError.of(f"tf.{name}: num_segments must not be negative, got {num_segments}.")

    def is_beyond(data: Array, segment_ids: Array, num_segments: int) -> Array:
        validate(data, segment_ids, num_segments)
        return segment_ids >= num_segments

    return op(
        name,
        dtypes={"data": dtypes, "segment_ids": ids},
        same=("data",),
        validate=validate,
        check=Check(("segment_ids",), is_beyond, "segment_ids must be below num_segments"),
    )


@_unsorted("math.unsorted_segment_sum", NUMERIC, _SUMMED)
def unsorted_segment_sum(data: Array, segment_ids: Array, num_segments: int) -> Array:
    """Sums the rows of `data` that have the same number in `segment_ids`; rows with negative numbers are dropped.

    Shapes: [*ids, *row], [*ids] -> [num_segments, *row].
    Dtypes: data NUMERIC -> same; segment_ids int16, INDEX.
    Raises: InvalidArgumentError if a segment id is not below num_segments, or the shapes do not fit.
    Source: TF 2.21 `tf.math.unsorted_segment_sum`.
    """
    return _sum(data, segment_ids, num_segments)


@_unsorted("math.unsorted_segment_mean", REAL, _SUMMED)
def unsorted_segment_mean(data: Array, segment_ids: Array, num_segments: int) -> Array:
    """The mean of the rows of `data` that have the same number in `segment_ids`; 0 for a segment without rows.

    Shapes: [*ids, *row], [*ids] -> [num_segments, *row].
    Dtypes: data FLOATING -> same, INTEGER -> float64 (float32 below 32 bits); segment_ids int16, INDEX.
    Raises: InvalidArgumentError if a segment id is not below num_segments, or the shapes do not fit.
    Source: TF 2.21 `tf.math.unsorted_segment_mean`.
    """
    if jnp.issubdtype(data.dtype, jnp.integer):
        total = _sum(data, segment_ids, num_segments)
        wide = jnp.float32 if data.dtype.itemsize < 4 else jnp.float64
        return total.astype(wide) / jnp.maximum(_count(data, segment_ids, num_segments), 1).astype(wide)
    return _mean(data, segment_ids, num_segments)


@_unsorted("math.unsorted_segment_sqrt_n", FLOATING, _SUMMED)
def unsorted_segment_sqrt_n(data: Array, segment_ids: Array, num_segments: int) -> Array:
    """Sums the rows of `data` with the same number in `segment_ids`, and divides by the square root of their count.

    Shapes: [*ids, *row], [*ids] -> [num_segments, *row].
    Dtypes: data FLOATING -> same; segment_ids int16, INDEX.
    Raises: InvalidArgumentError if a segment id is not below num_segments, or the shapes do not fit.
    Source: TF 2.21 `tf.math.unsorted_segment_sqrt_n`.
    """
    count = jnp.maximum(_count(data, segment_ids, num_segments), 1)
    return _sum(data, segment_ids, num_segments) / jnp.sqrt(count)


@_unsorted("math.unsorted_segment_max", REAL)
def unsorted_segment_max(data: Array, segment_ids: Array, num_segments: int) -> Array:
    """The maximum of the rows of `data` with the same number in `segment_ids`; the lowest finite number for no rows.

    Shapes: [*ids, *row], [*ids] -> [num_segments, *row].
    Dtypes: data REAL -> same; segment_ids INDEX.
    Gradient: elements that tie share it evenly.
    Raises: InvalidArgumentError if a segment id is not below num_segments, or the shapes do not fit.
    Source: TF 2.21 `tf.math.unsorted_segment_max`.
    """
    return _extreme(data, segment_ids, num_segments, "max", worst(data.dtype, "max"))


@_unsorted("math.unsorted_segment_min", REAL)
def unsorted_segment_min(data: Array, segment_ids: Array, num_segments: int) -> Array:
    """The minimum of the rows of `data` with the same number in `segment_ids`; the highest finite number for no rows.

    Shapes: [*ids, *row], [*ids] -> [num_segments, *row].
    Dtypes: data REAL -> same; segment_ids INDEX.
    Gradient: elements that tie share it evenly.
    Raises: InvalidArgumentError if a segment id is not below num_segments, or the shapes do not fit.
    Source: TF 2.21 `tf.math.unsorted_segment_min`.
    """
    return _extreme(data, segment_ids, num_segments, "min", worst(data.dtype, "min"))


@_unsorted("math.unsorted_segment_prod", NUMERIC)
def unsorted_segment_prod(data: Array, segment_ids: Array, num_segments: int) -> Array:
    """The product of the rows of `data` that have the same number in `segment_ids`; 1 for a segment without rows.

    Shapes: [*ids, *row], [*ids] -> [num_segments, *row].
    Dtypes: data NUMERIC -> same; segment_ids INDEX.
    Raises: InvalidArgumentError if a segment id is not below num_segments, or the shapes do not fit.
    Source: TF 2.21 `tf.math.unsorted_segment_prod`.
    """
    return _product(data, segment_ids, num_segments)


@dispatched
def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: str | None = None) -> list[Tensor]:
    """Splits the rows of `data` into `num_partitions` tensors, as `partitions` assigns them.

    The numbers of rows are parts of shapes: in a function the program finds them, else the host.

    Shapes: [*places, *row], [*places] -> a list of [count_k, *row].
    Dtypes: data any -> same; partitions int32.
    Raises: InvalidArgumentError if a number is not in [0, num_partitions), or the shapes do not fit.
    Source: TF 2.21 `tf.dynamic_partition`.
    """
    data, numbers = convert_to_tensor(data), convert_to_tensor(partitions)
    is_found = numbers._is_symbolic() and may_be_found(numbers) and num_partitions > 0
    values = None if is_found else np.asarray(numbers)
    if values is not None and (num_partitions < 1 or (values < 0).any() or (values >= num_partitions).any()):
        raise found_early(f"tf.dynamic_partition: partitions must be in [0, {num_partitions}), got {values.tolist()}.")
    if numbers.dtype is not int32 or data._aval.shape[: numbers.ndim] != numbers._aval.shape:
        raise InvalidArgumentError.of(
            f"tf.dynamic_partition: partitions must be int32 with a shape that data begins with, "
            f"got {numbers._aval!r} and {data._aval!r}."
        )
    if values is None:
        checked = record(_in_range(num_partitions), (numbers,))
        return [boolean_mask(data, equal(checked, k), name=name) for k in range(num_partitions)]
    places = [Tensor(np.flatnonzero(values == k)) for k in range(num_partitions)]
    return _dynamic_partition(data, places, values.ndim, name=name)


@made_once
def _in_range(count: int) -> Op:
    """The op that passes integers on, and checks that they are in [0, `count`)."""
    check = ValueCheck(
        lambda numbers: jnp.any((numbers < 0) | (numbers >= count)), f"partitions must be in [0, {count})"
    )
    return Op("dynamic_partition", lambda numbers: numbers, check=check)


@op("dynamic_partition", dtypes=MOVABLE, same=("data",), structure=list)
def _dynamic_partition(data: Array, places: Arrays, rank: int) -> tuple[Array, ...]:
    rows = data.reshape(int(np.prod(data.shape[:rank])), *data.shape[rank:])
    return tuple(slices_at(rows, chosen, 0) for chosen in places)


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """One tensor of the rows in the list `data`, each at its index in the list `indices`; indices are read on the host.

    If an index is repeated, the last row counts. Missing indices give zeros.

    Shapes: n times [*places_k], n times [*places_k, *row] -> [max(indices) + 1, *row].
    Dtypes: data any, all the same -> same; indices int32.
    Gradient: every row gets the gradient of its index, even if another row overwrote it.
    Raises: InvalidArgumentError if a place is negative, or the shapes do not fit.
    Source: TF 2.21 `tf.dynamic_stitch`.
    """
    parts = [convert_to_tensor(part) for part in data]
    places = [np.asarray(convert_to_tensor(part)) for part in indices]
    if any(where.dtype != np.int32 for where in places):
        raise InvalidArgumentError.of(
            f"tf.dynamic_stitch: indices must be int32, got {', '.join(where.dtype.name for where in places)}."
        )
    if not parts or len(parts) != len(places):
        raise InvalidArgumentError.of("tf.dynamic_stitch: indices and data must be non-empty lists of the same length.")
    row = parts[0]._aval.shape[places[0].ndim :]
    for where, part in zip(places, parts, strict=True):
        if part._aval.shape != (*where.shape, *row):
            raise InvalidArgumentError.of(
                f"tf.dynamic_stitch: data must have shape {(*where.shape, *row)} for its indices, got {part.shape}."
            )
    flat = np.concatenate([where.ravel() for where in places]).astype(np.int32)
    if (flat < 0).any():
        raise found_early(f"tf.dynamic_stitch: indices must not be negative, got {flat.tolist()}.")
    size = int(flat.max()) + 1 if flat.size else 0
    return _dynamic_stitch(parts, Tensor(flat), size, len(row), name=name)


@op("dynamic_stitch", dtypes=MOVABLE, same=("data",))
def _dynamic_stitch(data: Arrays, indices: Array, size: int, rank: int) -> Array:
    row = data[0].shape[data[0].ndim - rank :]
    return _placed(jnp.concatenate([part.reshape(-1, *row) for part in data]), indices, size)


@partial(jax.custom_jvp, nondiff_argnums=(2,))
def _placed(rows: Array, indices: Array, size: int) -> Array:
    return jnp.zeros((size, *rows.shape[1:]), rows.dtype).at[indices].set(rows)


@_placed.defjvp
def _placed_jvp(size: int, primals: Any, tangents: Any) -> tuple[Array, Array]:
    """TensorFlow's rule: the derivative gathers, so a row that another one overwrote gets a derivative, too."""
    rows, indices = primals
    return _placed(rows, indices, size), _sum(tangents[0], indices, size)
