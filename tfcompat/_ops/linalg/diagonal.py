"""Diagonals and bands of matrices.

A band `k` = (lowest, highest) of diagonals is packed into a matrix with a row for each diagonal, the highest first.
Diagonals shorter than the longest are padded at one end. `align` gives the alignment of the diagonals above the main
one, then of those below.
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Ints, integers, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.types.dtype import INDEX, INEXACT
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.axis import require_rank_above
from tfcompat._ops.inferred import like

_ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _band(name: str, k: Any, align: str) -> tuple[int, int]:
    """The lowest and the highest diagonal of `k`."""
    found = integers(k)
    low, high = (found, found) if isinstance(found, int) else (found[0], found[-1])
    if low > high:
        raise InvalidArgumentError.of(f"tf.linalg.{name}: k must not decrease, got {k}.")
    if align not in _ALIGNMENTS:
        raise InvalidArgumentError.of(
            f"tf.linalg.{name}: align must be one of {', '.join(_ALIGNMENTS)}, got {align!r}."
        )
    return low, high


def _length(rows: int, columns: int, k: int) -> int:
    """The length of the `k`-th diagonal of a matrix."""
    return min(rows + min(k, 0), columns - max(k, 0))


def _longest(rows: int, columns: int, band: Ints) -> int:
    return min(rows + min(band[1], 0), columns - max(band[0], 0))


def _shift(rows: int, columns: int, k: int, band: Ints, align: str) -> int:
    """The number of padding elements before the `k`-th diagonal in its row."""
    above, below = align.split("_")
    is_left = (k >= 0 and above == "LEFT") or (k <= 0 and below == "LEFT")
    return 0 if is_left else _longest(rows, columns, band) - _length(rows, columns, k)


def _places_in_band(size: Ints, band: Ints, align: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each element of a matrix, whether it is in the band, and its row and column in the packed band."""
    rows, columns = size
    i, j = np.indices((rows, columns))
    k = j - i
    is_inside = (band[0] <= k) & (k <= band[1])
    shifts = np.array([_shift(rows, columns, one, band, align) for one in range(band[0], band[1] + 1)], int)
    row = np.where(is_inside, band[1] - k, 0)
    column = np.where(is_inside, np.minimum(i, j) + shifts[np.where(is_inside, k - band[0], 0)], 0)
    return is_inside, row, column


def _spread(diagonal: Array, size: Ints, k: int) -> tuple[Array, Array]:
    """Which elements of a matrix are on its `k`-th diagonal, and matrices that have those of `diagonal` there."""
    i, j = (lax.broadcasted_iota(np.int32, tuple(size), axis) for axis in (0, 1))
    places = jnp.arange(size[0 if k >= 0 else 1], dtype=np.int32)
    row = jnp.take(diagonal, places, -1, mode="clip")
    spread = row[..., :, None] if k >= 0 else row[..., None, :]
    return j - i == k, jnp.broadcast_to(spread, (*diagonal.shape[:-1], *size))


def _is_single(k: Any) -> bool:
    """Whether `k` selects one diagonal, which then has no axis of its own."""
    found = integers(k)
    return isinstance(found, int) or len(found) == 1


def _filler(value: Any, tensor: Tensor) -> Tensor:
    """The value of the elements outside the diagonals of `tensor`."""
    held = as_tensor(value)
    return Tensor(np.asarray(value).astype(tensor.dtype.as_numpy_dtype)) if held is None else held


@dispatched
def diag(
    diagonal: Any,
    name: str = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with `diagonal` on the `k`-th diagonal, or on a band of diagonals, and `padding_value` elsewhere.

    They have `num_rows` rows and `num_cols` columns, by default the smallest that hold the diagonals.

    Shapes: [*batch, n] -> [*batch, num_rows, num_cols]; [*batch, diagonals, n] for a band.
    Dtypes: any -> same.
    Gradient: None for padding_value.
    Raises: InvalidArgumentError if the shapes do not fit, or align is unknown.
    Source: TF 2.21 `tf.linalg.diag`.
    """
    diagonal = convert_to_tensor(diagonal)
    band = _band("diag", k, align)
    is_single = _is_single(k)
    require_rank_above("linalg.diag", diagonal, 1 if is_single else 2, "diagonal")
    rows, columns = _matrix_size(diagonal._aval.shape[-1], band, int(num_rows), int(num_cols))
    if not is_single and diagonal._aval.shape[-2] != band[1] - band[0] + 1:
        raise InvalidArgumentError.of(
            f"tf.linalg.diag: diagonal must have a row for each of the diagonals {band}, got shape {diagonal.shape}."
        )
    return _diag(diagonal, _filler(padding_value, diagonal), (rows, columns), band, is_single, align, name=name)


def _matrix_size(length: int, band: tuple[int, int], rows: int, columns: int) -> tuple[int, int]:
    """The numbers of rows and columns; -1 is inferred."""
    least_rows, least_columns = length - min(band[1], 0), length + max(band[0], 0)
    if rows == columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows = least_rows if rows == -1 else rows
    columns = least_columns if columns == -1 else columns
    if rows < least_rows or columns < least_columns or (rows > least_rows and columns > least_columns):
        raise InvalidArgumentError.of(
            f"tf.linalg.diag: {rows} rows and {columns} columns do not fit diagonals {band} of length {length}."
        )
    return rows, columns


@op("linalg.diag", differentiable=("diagonal",))
def _diag(diagonal: Array, padding_value: Array, size: Ints, band: Ints, is_single: bool, align: str) -> Array:
    if is_single and any(map(is_open, size)):
        is_inside, spread = _spread(diagonal, size, band[0])
        return jnp.where(is_inside, spread, padding_value)
    packed = diagonal[..., None, :] if is_single else diagonal
    if packed.shape[-1] == 0:
        return jnp.broadcast_to(padding_value, (*packed.shape[:-2], *size))
    is_inside, row, column = _places_in_band(size, band, align)
    return jnp.where(is_inside, packed[..., row, column], padding_value)


@dispatched
def diag_part(
    input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """The `k`-th diagonal of the matrices `input`, or a band of diagonals; short ones are padded with `padding_value`.

    Shapes: [*batch, m, n] -> [*batch, length]; [*batch, diagonals, longest] for a band.
    Dtypes: any -> same.
    Gradient: None for padding_value.
    Raises: InvalidArgumentError if the rank is below 2, there is no such diagonal, or align is unknown.
    Source: TF 2.21 `tf.linalg.diag_part`.
    """
    input = convert_to_tensor(input)
    require_rank_above("linalg.diag_part", input, 2, "input")
    band = _existing_band("diag_part", input, k, align)
    return _diag_part(input, _filler(padding_value, input), band, _is_single(k), align, name=name)


def _existing_band(name: str, input: Tensor, k: Any, align: str) -> tuple[int, int]:
    """The band `k`. Raises InvalidArgumentError if the matrices `input` don't have it."""
    band = _band(name, k, align)
    rows, columns = input._aval.shape[-2:]
    if any(one and not -rows < one < columns for one in band):
        raise InvalidArgumentError.of(
            f"tf.linalg.{name}: k must be in ({-rows}, {columns}) for shape {input.shape}, got {k}."
        )
    return band


@op("linalg.diag_part", differentiable=("input",))
def _diag_part(input: Array, padding_value: Array, band: Ints, is_single: bool, align: str) -> Array:
    rows, columns = input.shape[-2:]
    if is_single and is_open(rows) and rows == columns:
        place = jnp.arange(rows - abs(band[0]), dtype=np.int32)
        return input[..., place + max(-band[0], 0), place + max(band[0], 0)]
    longest = _longest(rows, columns, band)
    if band[0] == band[1]:
        # Sizes may be symbols here.
        place = lax.iota(np.int32, longest)
        diagonal = input[..., place + max(-band[0], 0), place + max(band[0], 0)]
        return diagonal if is_single else diagonal[..., None, :]
    k = np.arange(band[1], band[0] - 1, -1)[:, None]
    shifts = np.array([[_shift(rows, columns, int(one), band, align)] for one in k[:, 0]], int)
    place = np.arange(longest)[None] - shifts
    is_inside = (place >= 0) & (place < np.minimum(rows + np.minimum(k, 0), columns - np.maximum(k, 0)))
    i = np.where(is_inside, place + np.maximum(-k, 0), 0)
    j = np.where(is_inside, place + np.maximum(k, 0), 0)
    packed = jnp.where(is_inside, input[..., i, j], padding_value)
    return packed


@dispatched
def set_diag(input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """The matrices `input` with `diagonal` as their `k`-th diagonal, or as a band of diagonals.

    Shapes: [*batch, m, n], [*batch, length] -> [*batch, m, n]; diagonal [*batch, diagonals, longest] for a band.
    Dtypes: any, both the same -> same.
    Raises: InvalidArgumentError if there is no such diagonal, or the shapes do not fit.
    Source: TF 2.21 `tf.linalg.set_diag`.
    """
    input = convert_to_tensor(input)
    require_rank_above("linalg.set_diag", input, 2, "input")
    return _set_diag(input, diagonal, _existing_band("set_diag", input, k, align), _is_single(k), align, name=name)


def _validate_set_diag(input: Any, diagonal: Any, band: Ints, is_single: bool, align: str) -> None:
    del align
    *batch, rows, columns = input.shape
    count = () if is_single else (band[1] - band[0] + 1,)
    wanted = (*batch, *count, _longest(rows, columns, band))
    if diagonal.shape != wanted:
        raise InvalidArgumentError.of(
            f"tf.linalg.set_diag: diagonal must have shape {wanted} for input of shape {input.shape}, "
            f"got {diagonal.shape}."
        )


@op("linalg.set_diag", validate=_validate_set_diag)
def _set_diag(input: Array, diagonal: Array, band: Ints, is_single: bool, align: str) -> Array:
    if is_single and any(map(is_open, input.shape[-2:])):
        is_inside, spread = _spread(diagonal, input.shape[-2:], band[0])
        return jnp.where(is_inside, spread, input)
    packed = diagonal[..., None, :] if is_single else diagonal
    is_inside, row, column = _places_in_band(input.shape[-2:], band, align)
    return jnp.where(is_inside, packed[..., row, column], input)


def _validate_band_part(input: Any, num_lower: int, num_upper: int) -> None:
    require_rank_above("linalg.band_part", input, 2, "input")
    rows, columns = input.shape[-2:]
    for what, count, most in (("num_lower", num_lower, rows), ("num_upper", num_upper, columns)):
        if count > most:
            raise found_early(f"tf.linalg.band_part: {what} must be at most {most}, got {count}.")


@op("linalg.band_part", validate=_validate_band_part, infers=like("input"))
def band_part(input: Array, num_lower: int, num_upper: int) -> Array:
    """The matrices `input` with zeros outside a band: `num_lower` diagonals below the main one, `num_upper` above.

    A negative number keeps all diagonals on its side.

    Shapes: [*batch, m, n] -> same.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if the rank is below 2, or a number exceeds the rows or columns.
    Source: TF 2.21 `tf.linalg.band_part`.
    """
    i, j = (lax.broadcasted_iota(np.int32, input.shape[-2:], axis) for axis in (0, 1))
    is_low = (i - j <= num_lower) if num_lower >= 0 else True
    is_high = (j - i <= num_upper) if num_upper >= 0 else True
    return jnp.where(is_low & is_high, input, jnp.zeros((), input.dtype))


def _validate_tensor_diag(diagonal: Any) -> None:
    require_rank_above("linalg.tensor_diag", diagonal, 1, "diagonal")


@op("linalg.tensor_diag", dtypes=INEXACT | INDEX, validate=_validate_tensor_diag)
def tensor_diag(diagonal: Array) -> Array:
    """A tensor of twice the rank with `diagonal` where the first half of the coordinates equals the second half.

    Shapes: [*dims] -> [*dims, *dims].
    Dtypes: INEXACT or INDEX -> same.
    Raises: InvalidArgumentError for a scalar.
    Source: TF 2.21 `tf.linalg.tensor_diag`.
    """
    is_on = np.eye(diagonal.size, dtype=bool)
    return jnp.where(is_on, jnp.ravel(diagonal), jnp.zeros((), diagonal.dtype)).reshape(
        *diagonal.shape, *diagonal.shape
    )


def _validate_tensor_diag_part(input: Any) -> None:
    half = input.ndim // 2
    if input.ndim % 2 or input.shape[:half] != input.shape[half:]:
        raise InvalidArgumentError.of(
            f"tf.linalg.tensor_diag_part: the second half of the axes must repeat the first, got shape {input.shape}."
        )


@op("linalg.tensor_diag_part", dtypes=INEXACT | INDEX, validate=_validate_tensor_diag_part)
def tensor_diag_part(input: Array) -> Array:
    """The elements of `input` where the first half of the coordinates equals the second half.

    Shapes: [*dims, *dims] -> [*dims].
    Dtypes: INEXACT or INDEX -> same.
    Raises: InvalidArgumentError if the halves of the shape differ.
    Source: TF 2.21 `tf.linalg.tensor_diag_part`.
    """
    dims = input.shape[: input.ndim // 2]
    size = math.prod(dims)
    return input.reshape(size * size)[:: size + 1].reshape(dims)
