"""Sorting, ranking and searching.

Nan comes last in both directions. (In TensorFlow its position depends on the algorithm.)
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, Dtype, integer, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.types.dtype import INDEX, REAL, DType, as_dtype, float32, int16, int32, int64
from tfcompat._ops.axis import require_axis, require_rank_above
from tfcompat._ops.order import found_top
from tfcompat._ops.order.distinct import distinct, may_be_found


def _require_direction(name: str, direction: Any) -> bool:
    """Whether `direction` is descending. Raises ValueError if it is unknown."""
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"tf.{name}: direction must be 'ASCENDING' or 'DESCENDING', got {direction!r}.")
    return direction == "DESCENDING"


def _reversed(values: Array) -> Array:
    """Values whose ascending order is the descending one: no number overflows, and nan stays last."""
    return -values if jnp.issubdtype(values.dtype, jnp.floating) else ~values


def _along(name: str) -> Any:
    """The validation of an op that orders values along an axis."""

    def validate(values: Any, axis: int, is_downward: bool) -> None:
        del is_downward
        require_axis(name, axis, values.ndim)

    return validate


@dispatched
def sort(values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """The elements of `values` in order along `axis`.

    Shapes: [*dims] -> same.
    Dtypes: REAL -> same.
    Raises: ValueError for another direction; InvalidArgumentError if axis is out of range.
    Source: TF 2.21 `tf.sort`.
    """
    return _sort(values, _required("sort", axis), _require_direction("sort", direction), name=name)


@dispatched
def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The indices along `axis` that sort the elements of `values`; equal ones keep their order.

    The order is stable even if `stable` is False.

    Shapes: [*dims] -> same.
    Dtypes: REAL -> int32.
    Gradient: None.
    Raises: ValueError for another direction; InvalidArgumentError if axis is out of range.
    Source: TF 2.21 `tf.argsort`.
    """
    del stable
    return _argsort(values, _required("argsort", axis), _require_direction("argsort", direction), name=name)


def _required(name: str, axis: Any) -> int:
    found = integer(axis)
    if found is None:
        raise ValueError(f"tf.{name}: axis must be an integer, got None.")
    return found


@op("sort", dtypes=REAL, validate=_along("sort"), gradient_reads=False)
def _sort(values: Array, axis: int, is_downward: bool) -> Array:
    return _reversed(jnp.sort(_reversed(values), axis)) if is_downward else jnp.sort(values, axis)


@op("argsort", dtypes=REAL, validate=_along("argsort"), differentiable=False)
def _argsort(values: Array, axis: int, is_downward: bool) -> Array:
    keys = _reversed(values) if is_downward else values
    return jnp.argsort(keys, axis, stable=True).astype(jnp.int32)


class TopKV2(NamedTuple):
    """The greatest elements of each row, and their indices."""

    values: Tensor
    indices: Tensor


@dispatched
def top_k(input: Any, k: Any = 1, sorted: bool = True, index_type: Any = int32, name: str | None = None) -> TopKV2:
    """The `k` greatest elements of each row of `input`, in descending order, and their indices; ties in input order.

    They are sorted even if `sorted` is False.

    Shapes: [*rows, n] -> [*rows, k], [*rows, k].
    Dtypes: REAL -> same, and index_type (int16, int32 or int64).
    Raises: InvalidArgumentError if k is not in [0, n], or input is a scalar; TypeError if k is not an integer.
    Source: TF 2.21 `tf.math.top_k`.
    """
    del sorted
    if np.ndim(k):
        raise InvalidArgumentError.of(f"tf.math.top_k: k must be a scalar, got {k}.")
    wanted = as_dtype(index_type)
    if wanted not in (int16, int32, int64):
        raise InvalidArgumentError.of(f"tf.math.top_k: index_type must be int16, int32 or int64, got {wanted.name}.")
    tensor = convert_to_tensor(input)
    if found_top.may_be_found(tensor, k):
        return TopKV2(*found_top.first_of(_top_k(tensor, tensor._aval.shape[-1], wanted, name=name), k))
    return _top_k(tensor, k, wanted, name=name)


def _validate_top_k(input: Any, k: int, index_type: DType) -> None:
    del index_type
    require_rank_above("math.top_k", input, 1, "input")
    if not 0 <= k <= input.shape[-1]:
        raise InvalidArgumentError.of(f"tf.math.top_k: k must be in [0, {input.shape[-1]}], got {k}.")


@op("math.top_k", dtypes=REAL, validate=_validate_top_k, structure=TopKV2._make)
def _top_k(input: Array, k: int, index_type: Dtype) -> tuple[Array, Array]:
    keys = jax.lax.stop_gradient(input)
    if jnp.issubdtype(keys.dtype, jnp.floating):
        keys = jnp.where(jnp.isnan(keys), -jnp.inf, jnp.where(keys == 0, 0, keys))
    places = jax.lax.top_k(keys, k)[1]
    return jnp.take_along_axis(input, places, -1), places.astype(index_type.as_numpy_dtype)


@dispatched
def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether fewer than `k` elements of each row of `predictions` exceed the one at the position in `targets`.

    False where the row holds a number that is not finite, or the position is out of range.

    Shapes: [n], [n, classes] -> [n].
    Dtypes: targets int32, int64; predictions float32 -> bool.
    Gradient: LookupError.
    Raises: InvalidArgumentError if the shapes do not fit; ValueError if predictions is a tensor of another dtype.
    Source: TF 2.21 `tf.math.in_top_k`.
    """
    return _in_top_k(targets, convert_to_tensor(predictions, float32), k, name=name)


def _validate_in_top_k(targets: Any, predictions: Any, k: int) -> None:
    del k
    if predictions.ndim != 2 or targets.shape != predictions.shape[:1]:
        raise InvalidArgumentError.of(
            f"tf.math.in_top_k: predictions must be a matrix and targets a vector with a number for each of its rows, "
            f"got shapes {predictions.shape} and {targets.shape}."
        )


@op(
    "math.in_top_k",
    dtypes={"targets": INDEX, "predictions": frozenset((float32,))},
    same=("predictions",),
    validate=_validate_in_top_k,
    no_gradient="InTopKV2",
)
def _in_top_k(targets: Array, predictions: Array, k: int) -> Array:
    classes = predictions.shape[1]
    is_inside = (targets >= 0) & (targets < classes)
    places = jnp.clip(targets, 0, max(classes - 1, 0))[:, None]
    rank = jnp.sum(predictions > jnp.take_along_axis(predictions, places, 1), 1)
    return is_inside & jnp.all(jnp.isfinite(predictions), 1) & (rank < k)


@dispatched
def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = int32, name: str | None = None
) -> Tensor:
    """The insertion index of each of `values` in its row of `sorted_sequence`, before or after (`side`) equal elements.

    Shapes: [*rows, n], [*rows, m] -> [*rows, m].
    Dtypes: REAL, both the same -> out_type (int32 or int64).
    Gradient: None.
    Raises: ValueError for another side; InvalidArgumentError if the numbers of rows or the dtypes differ.
    Source: TF 2.21 `tf.searchsorted`.
    """
    if side not in ("left", "right"):
        raise ValueError(f"tf.searchsorted: side must be 'left' or 'right', got {side!r}.")
    wanted = as_dtype(out_type)
    if wanted not in INDEX:
        raise InvalidArgumentError.of(f"tf.searchsorted: out_type must be int32 or int64, got {wanted.name}.")
    return _searchsorted(convert_to_tensor(sorted_sequence), convert_to_tensor(values), side, wanted, name=name)


def _validate_searchsorted(sorted_sequence: Any, values: Any, side: str, out_type: DType) -> None:
    del side, out_type
    require_rank_above("searchsorted", sorted_sequence, 1, "sorted_sequence")
    require_rank_above("searchsorted", values, 1, "values")
    if math.prod(sorted_sequence.shape[:-1]) != math.prod(values.shape[:-1]):
        raise found_early(
            f"tf.searchsorted: sorted_sequence and values must have equally many rows, "
            f"got shapes {sorted_sequence.shape} and {values.shape}."
        )


@op("searchsorted", dtypes=REAL, validate=_validate_searchsorted, differentiable=False)
def _searchsorted(sorted_sequence: Array, values: Array, side: str, out_type: Dtype) -> Array:
    rows = math.prod(values.shape[:-1])
    table = sorted_sequence.reshape(rows, sorted_sequence.shape[-1])
    asked = values.reshape(rows, values.shape[-1])
    found = jax.vmap(lambda row, wanted: jnp.searchsorted(row, wanted, side=side))(table, asked)
    if jnp.issubdtype(values.dtype, jnp.floating):
        found = jnp.where(jnp.isnan(asked), 0 if side == "left" else table.shape[1], found)
    return found.reshape(values.shape).astype(out_type.as_numpy_dtype)


class Unique(NamedTuple):
    """The distinct elements of a vector, and for each element its index among them."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """The distinct elements of a vector, for each element its index among them, and their counts."""

    y: Tensor
    idx: Tensor
    count: Tensor  # pyright: ignore[reportIncompatibleMethodOverride]


@by_row("x", specs=lambda x, out_idx, **_: Unique(*_kinds(x, out_idx)[:2]))
def unique(x: Any, out_idx: Any = int32, name: str | None = None) -> Unique:
    """The distinct elements of the vector `x` in order of first occurrence, and for each element its index among them.

    Their number is part of a shape: in a function the program finds it, if they are integers, else the host.

    Shapes: [n] -> [count], [n].
    Dtypes: any but complex -> same, and out_idx.
    Gradient: None.
    Raises: InvalidArgumentError if x is not a vector.
    Source: TF 2.21 `tf.unique`.
    """
    del name
    return Unique(*_uniques("unique", x, out_idx)[:2])


@by_row("x", specs=lambda x, out_idx, **_: UniqueWithCounts(*_kinds(x, out_idx)))
def unique_with_counts(x: Any, out_idx: Any = int32, name: str | None = None) -> UniqueWithCounts:
    """The distinct elements of the vector `x` in order of first occurrence, the index of each element, and counts.

    Their number is part of a shape: in a function the program finds it, if they are integers, else the host.

    Shapes: [n] -> [count], [n], [count].
    Dtypes: any but complex -> same, out_idx and out_idx.
    Gradient: None.
    Raises: InvalidArgumentError if x is not a vector.
    Source: TF 2.21 `tf.unique_with_counts`.
    """
    del name
    return UniqueWithCounts(*_uniques("unique_with_counts", x, out_idx))


def _kinds(x: Any, out_idx: Any) -> tuple[Any, Any, Any]:
    tensor = convert_to_tensor(x)
    return TensorSpec([None], tensor.dtype), TensorSpec(tensor.shape, out_idx), TensorSpec([None], out_idx)


def _uniques(name: str, x: Any, out_idx: Any) -> tuple[Tensor, Tensor, Tensor]:
    tensor = convert_to_tensor(x)
    if tensor.ndim != 1:
        refuse = InvalidArgumentError.of if name == "unique" else found_early
        raise refuse(f"tf.{name}: x must be a vector, got shape {tensor.shape}.")
    if tensor._is_symbolic() and may_be_found(tensor):
        return distinct(tensor, as_dtype(out_idx))
    values = np.asarray(tensor)
    if values.dtype.kind == "c":
        raise InvalidArgumentError.of(f"tf.{name}: x must not have complex numbers.")
    _, first, inverse, counts = np.unique(
        values, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    order = np.argsort(first)
    rank = np.argsort(order)
    kind = as_dtype(out_idx).as_numpy_dtype
    return Tensor(values[first[order]]), Tensor(rank[inverse].astype(kind)), Tensor(counts[order].astype(kind))


def _require_vector(x: Any) -> None:
    if x.ndim != 1:
        raise InvalidArgumentError.of(f"tf.math.invert_permutation: x must be a vector, got shape {x.shape}.")


def _is_no_permutation(x: Array) -> Any:
    return jnp.any(jnp.sort(x) != jnp.arange(x.size, dtype=x.dtype))


def _folded_inverse(x: np.ndarray) -> np.ndarray:
    if x.ndim != 1 or (np.sort(x) != np.arange(x.size)).any():
        raise InvalidArgumentError.of(f"tf.math.invert_permutation: x must hold each of 0 ... n - 1 once, got {x!r}.")
    return np.argsort(x).astype(x.dtype)


@op(
    "math.invert_permutation",
    dtypes=INDEX,
    differentiable=False,
    validate=_require_vector,
    check=Check(("x",), _is_no_permutation, "x must hold each of 0 ... n - 1 once"),
    fold=_folded_inverse,
)
def invert_permutation(x: Array) -> Array:
    """The inverse of the permutation `x` of 0 ... n - 1.

    Shapes: [n] -> [n].
    Dtypes: int32, int64 -> same.
    Gradient: None.
    Raises: InvalidArgumentError if x is not a permutation.
    Source: TF 2.21 `tf.math.invert_permutation`.
    """
    return jnp.argsort(x).astype(x.dtype)
