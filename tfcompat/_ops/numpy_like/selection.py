"""Selection of elements: by a condition, by position, by order, on a diagonal."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from tfcompat._core.calls.declare import Array, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import bool_
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.array import creation, gathering, joining
from tfcompat._ops.array.layout import broadcast_to, reshape
from tfcompat._ops.array.padding import pad
from tfcompat._ops.axis import require_axis
from tfcompat._ops.elementwise import algebraic, comparison
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold import reduction
from tfcompat._ops.network.clip import clip_by_value
from tfcompat._ops.numpy_like.layout import atleast_1d, moveaxis, ravel
from tfcompat._ops.numpy_like.promotion import asarray, promoted, wide
from tfcompat._ops.order import sorting


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Elements of `x` where `condition` is non-zero and of `y` elsewhere; without both, the indices along each axis.

    Shapes: three shapes that broadcast -> their broadcast shape; condition alone -> [n] for each axis.
    Dtypes: any -> the promoted dtype of x and y; condition alone -> int64.
    Raises: ValueError if one of `x` and `y` is missing.
    Source: TF 2.21 `tf.experimental.numpy.where`.
    """
    truth = asarray(condition, bool)
    if x is None and y is None:
        return nonzero(truth)
    if x is None or y is None:
        raise ValueError("tf.experimental.numpy.where: x and y must both be given, or neither.")
    return gathering.where(truth, *promoted(x, y))


def nonzero(a: Any) -> list[Tensor]:
    """The indices of the non-zero elements of `a`, along each axis. They are read on the host.

    Shapes: [*dims] -> rank(dims) times [n].
    Dtypes: any -> int64.
    Source: TF 2.21 `tf.experimental.numpy.nonzero`.
    """
    array = atleast_1d(a)
    return joining.unstack(gathering.where(cast(array, bool_)), array.ndim, axis=1)


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """Elements of the first of `choicelist` whose condition in `condlist` is true there, else of `default`.

    Shapes: shapes that broadcast -> their broadcast shape.
    Dtypes: any -> their promoted dtype.
    Raises: ValueError if the lists differ in length or are empty.
    Source: TF 2.21 `tf.experimental.numpy.select`.
    """
    if not condlist or len(condlist) != len(choicelist):
        raise ValueError("tf.experimental.numpy.select: condlist and choicelist must have one length, at least 1.")
    chosen, *choices = promoted(default, *choicelist)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        chosen = where(condition, choice, chosen)
    return chosen


def take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "clip") -> Tensor:
    """The slices of `a` along `axis` at `indices`; those out of range are clipped, or wrapped by mode "wrap".

    Shapes: [*before, n, *after], [*places] -> [*before, *places, *after]; [*places] when axis is None.
    Dtypes: any -> the same; indices integer.
    Raises: ValueError for `out` or another `mode`; InvalidArgumentError if `axis` is out of range.
    Source: TF 2.21 `tf.experimental.numpy.take`.
    """
    if out is not None or mode not in ("clip", "wrap"):
        raise ValueError(f"tf.experimental.numpy.take: out must be None, mode clip or wrap, got {out} and {mode!r}.")
    array, places = ravel(a) if axis is None else asarray(a), asarray(indices)
    along = require_axis("experimental.numpy.take", axis or 0, array.ndim)
    count = array._aval.shape[along]
    inside = clip_by_value(places, 0, count - 1) if mode == "clip" else algebraic.floormod(places, count)
    return gathering.gather(array, inside, axis=along)


def take_along_axis(arr: Any, indices: Any, axis: int | None) -> Tensor:
    """The elements of `arr` at `indices` along `axis`, row by row; among all elements when `axis` is None.

    Negative indices count from the end.

    Shapes: [*before, n, *after], [*before, m, *after] (the others broadcast) -> [*before, m, *after].
    Dtypes: any -> the same; indices integer.
    Raises: InvalidArgumentError if an index or `axis` is out of range, or shapes do not fit.
    Source: TF 2.21 `tf.experimental.numpy.take_along_axis`.
    """
    array, places = (ravel(arr), ravel(indices)) if axis is None else (asarray(arr), asarray(indices))
    along = require_axis("experimental.numpy.take_along_axis", axis or 0, array.ndim)
    if not places.dtype.is_integer or places.ndim != array.ndim:
        raise InvalidArgumentError.of(
            f"tf.experimental.numpy.take_along_axis: indices must be integers with the rank of arr, {array.ndim}, got "
            f"{places._aval}."
        )
    array, places = (moveaxis(each, along, -1) for each in (array, places))
    size = array._aval.shape[-1]
    inside = gathering.where(comparison.less(places, 0), algebraic.add(places, size), places)
    try:
        dims = broadcast_shapes(array._aval.shape[:-1], places._aval.shape[:-1])
    except ValueError as refused:
        raise InvalidArgumentError.of(
            "tf.experimental.numpy.take_along_axis: Incompatible shapes except along the axis, got "
            f"{array._aval.shape} vs. {places._aval.shape}."
        ) from refused
    rows, chosen = (broadcast_to(each, (*dims, each._aval.shape[-1])) for each in (array, inside))
    return moveaxis(gathering.gather(rows, chosen, batch_dims=len(dims)), -1, along)


def compress(condition: Any, a: Any, axis: int | None = None) -> Tensor:
    """The slices of `a` along `axis`, or the elements when `axis` is None, where the vector `condition` is non-zero.

    A shorter condition is extended with zeros. It is read on the host.

    Shapes: [m], [*before, n, *after] -> [*before, count, *after]; [count] when axis is None.
    Dtypes: any -> the same.
    Raises: ValueError if the condition is not a vector, or longer than `axis`; InvalidArgumentError for a wrong axis.
    Source: TF 2.21 `tf.experimental.numpy.compress`.
    """
    truth = asarray(condition, bool)
    if truth.ndim != 1:
        raise ValueError(f"tf.experimental.numpy.compress: condition must be a 1-d array, got shape {truth.shape}.")
    array, along = (ravel(a), 0) if axis is None else (asarray(a), axis)
    size = array._aval.shape[require_axis("experimental.numpy.compress", along, array.ndim)]
    if truth._aval.size > size:
        raise ValueError(f"tf.experimental.numpy.compress: Shapes ({size},) and {truth._aval.shape} are incompatible.")
    return gathering.boolean_mask(array, pad(truth, [(0, size - truth._aval.size)]), axis=along)


def ix_(*args: Any) -> list[Tensor]:
    """The vectors `args` as indices of a grid, each along its own axis. A bool vector gives the indices of True.

    Shapes: n times [m_k] -> n times [1, ..., m_k, ..., 1].
    Dtypes: integer -> the same; bool -> int64.
    Raises: ValueError for another rank or dtype.
    Source: TF 2.21 `tf.experimental.numpy.ix_`.
    """
    found: list[Tensor] = []
    for number, each in enumerate(map(asarray, args)):
        if each.ndim != 1 or not (each.dtype.is_bool or each.dtype.is_integer):
            raise ValueError(
                f"tf.experimental.numpy.ix_: Arguments must be 1-d, of integers or bool, got {each._aval}."
            )
        places = nonzero(each)[0] if each.dtype.is_bool else each
        found.append(reshape(places, [-1 if k == number else 1 for k in range(len(args))]))
    return found


def argmax(a: Any, axis: int | None = None) -> Tensor:
    """The first index of the largest of `a` along `axis`, or among all elements when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; [] when axis is None.
    Dtypes: any -> int64.
    Source: TF 2.21 `tf.experimental.numpy.argmax`.
    """
    return reduction.argmax(ravel(a) if axis is None else atleast_1d(a), axis)


def argmin(a: Any, axis: int | None = None) -> Tensor:
    """The first index of the smallest of `a` along `axis`, or among all elements when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; [] when axis is None.
    Dtypes: any -> int64.
    Source: TF 2.21 `tf.experimental.numpy.argmin`.
    """
    return reduction.argmin(ravel(a) if axis is None else atleast_1d(a), axis)


def sort(a: Any, axis: int | None = -1, kind: str = "quicksort", order: Any = None) -> Tensor:
    """The elements of `a` sorted along `axis`, or all as a sorted vector when `axis` is None.

    Shapes: [*dims] -> the same; [size] when axis is None.
    Dtypes: real numbers -> the same.
    Raises: ValueError for another `kind`, or if `order` is given.
    Source: TF 2.21 `tf.experimental.numpy.sort`.
    """
    _require_plain_order("sort", kind, ("quicksort",), order)
    return sorting.sort(ravel(a), 0) if axis is None else sorting.sort(asarray(a), axis)


def argsort(a: Any, axis: int | None = -1, kind: str = "quicksort", order: Any = None) -> Tensor:
    """The indices along `axis`, or among all elements when `axis` is None, that sort `a`.

    Shapes: [*dims] -> the same; [size] when axis is None; [1] for a number.
    Dtypes: real numbers -> int64.
    Raises: ValueError for a `kind` other than quicksort and stable, or if `order` is given; TypeError for complex
      numbers.
    Source: TF 2.21 `tf.experimental.numpy.argsort`.
    """
    _require_plain_order("argsort", kind, ("quicksort", "stable"), order)
    array = asarray(a)
    if array.dtype.is_complex:
        raise TypeError(f"tf.experimental.numpy.argsort: complex numbers have no order, got {array.dtype.name}.")
    if axis is None or array.ndim == 0:
        array, axis = ravel(array), 0
    return cast(sorting.argsort(array, axis, stable=kind == "stable"), wide(False))


def _require_plain_order(name: str, kind: str, kinds: tuple[str, ...], order: Any) -> None:
    if kind not in kinds or order is not None:
        raise ValueError(
            f"tf.experimental.numpy.{name}: kind must be {' or '.join(kinds)} and order None, got {kind!r} and {order}."
        )


def tril(m: Any, k: int = 0) -> Tensor:
    """The matrices `m` with zeros above the `k`-th diagonal.

    Shapes: [*batch, m, n] -> the same.
    Dtypes: any -> the same.
    Raises: ValueError if the rank is below 2.
    Source: TF 2.21 `tf.experimental.numpy.tril`.
    """
    return _tril(_matrices("tril", m), k)


def triu(m: Any, k: int = 0) -> Tensor:
    """The matrices `m` with zeros below the `k`-th diagonal.

    Shapes: [*batch, m, n] -> the same.
    Dtypes: any -> the same.
    Raises: ValueError if the rank is below 2.
    Source: TF 2.21 `tf.experimental.numpy.triu`.
    """
    return _triu(_matrices("triu", m), k)


def _matrices(name: str, m: Any) -> Tensor:
    array = asarray(m)
    if array.ndim < 2:
        raise ValueError(f"tf.experimental.numpy.{name}: the rank must be at least 2, got {array.ndim}.")
    return array


@op("experimental.numpy.tril")
def _tril(m: Array, k: int) -> Array:
    return jnp.tril(m, k)


@op("experimental.numpy.triu")
def _triu(m: Array, k: int) -> Array:
    return jnp.triu(m, k)


def diag(v: Any, k: int = 0) -> Tensor:
    """The `k`-th diagonal of a matrix `v`, or the matrix whose `k`-th diagonal is a vector `v`.

    Shapes: [m, n] -> [length]; [n] -> [n + |k|, n + |k|].
    Dtypes: any -> the same.
    Raises: ValueError for another rank.
    Source: TF 2.21 `tf.experimental.numpy.diag`.
    """
    array = asarray(v)
    if array.ndim not in (1, 2):
        raise ValueError(f"tf.experimental.numpy.diag: v must be a vector or a matrix, got shape {array.shape}.")
    return _diag(array, k)


@op("experimental.numpy.diag")
def _diag(v: Array, k: int) -> Array:
    return jnp.diag(v, k)


def diagflat(v: Any, k: int = 0) -> Tensor:
    """The matrix whose `k`-th diagonal holds the elements of `v`.

    Shapes: any -> [size + |k|, size + |k|].
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.diagflat`.
    """
    return diag(ravel(v), k)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonals of the matrices along `axis1` and `axis2` of `a`, `offset` above the main one, along the last axis.

    Shapes: [*dims] -> dims without these two axes, then the diagonal's length.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.diagonal`.
    """
    return _diagonal(asarray(a), offset, axis1, axis2)


@op("experimental.numpy.diagonal")
def _diagonal(a: Array, offset: int, axis1: int, axis2: int) -> Array:
    return jnp.diagonal(a, offset, axis1, axis2)


def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """The indices 0 to `n - 1` of the main diagonal, `ndim` times.

    Shapes: -> ndim times [n].
    Dtypes: -> int32.
    Raises: ValueError if one is negative.
    Source: TF 2.21 `tf.experimental.numpy.diag_indices`.
    """
    if n < 0 or ndim < 0:
        raise ValueError(f"tf.experimental.numpy.diag_indices: n and ndim must not be negative, got {n} and {ndim}.")
    return (creation.range(n),) * ndim


def diff(a: Any, n: int = 1, axis: int = -1) -> Tensor:
    """The differences of neighbours in `a` along `axis`, taken `n` times; for bool, whether they differ.

    Shapes: [*dims] -> with n less at axis.
    Dtypes: any -> the same.
    Raises: ValueError if `n` is negative or `axis` too large; IndexError if it is too small.
    Source: TF 2.21 `tf.experimental.numpy.diff`.
    """
    array = asarray(a)
    if n < 0 or axis >= array.ndim:
        raise ValueError(f"tf.experimental.numpy.diff: got n {n} and axis {axis} for shape {array.shape}.")
    if axis < -array.ndim:
        raise IndexError(f"tf.experimental.numpy.diff: axis {axis} is out of range for shape {array.shape}.")
    compute = comparison.not_equal if array.dtype.is_bool else algebraic.subtract
    before = [slice(None)] * (axis % array.ndim)
    for _ in range(n):
        array = compute(array[*before, 1:], array[*before, :-1])
    return array
