"""Polynomials and Vandermonde matrices."""

from __future__ import annotations

from typing import Any

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._ops import combination
from tfcompat._ops.array.creation import range as numbers
from tfcompat._ops.array.indexing import getitem
from tfcompat._ops.array.joining import unstack
from tfcompat._ops.array.layout import broadcast_to
from tfcompat._ops.elementwise import algebraic
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.numpy_like.layout import atleast_1d
from tfcompat._ops.numpy_like.promotion import asarray, promoted


def polyval(p: Any, x: Any) -> Tensor:
    """The value at `x` of the polynomial with the coefficients `p`, the highest power first.

    Shapes: [n, *dims] and a shape that broadcasts with dims -> their broadcast shape.
    Dtypes: any two -> their promoted dtype.
    Source: TF 2.21 `tf.experimental.numpy.polyval`.
    """
    coefficients, points = promoted(p, x)
    listed = unstack(atleast_1d(coefficients))
    value = combination.polyval(listed, points)
    return broadcast_to(value, points._aval.shape) if len(listed) == 1 else value


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Tensor:
    """The first `N` powers of each element of the vector `x`, as a row; `N` defaults to the number of rows.

    The highest power comes first, or last if `increasing`.

    Shapes: [n] -> [n, N].
    Dtypes: numbers -> the same.
    Raises: ValueError if `x` is not a vector, or `N` is negative; InvalidArgumentError for a scalar and for bool.
    Source: TF 2.21 `tf.experimental.numpy.vander`.
    """
    array = asarray(x)
    if array.ndim != 1:
        kind = ValueError if array.ndim else InvalidArgumentError.of
        raise kind(f"tf.experimental.numpy.vander: x must be a one-dimensional array, got shape {array.shape}.")
    count = array._aval.size if N is None else int(N)
    if count < 0:
        raise ValueError(f"tf.experimental.numpy.vander: N must be nonnegative, got {N}.")
    powers = numbers(count) if increasing else numbers(count - 1, -1, -1)
    return algebraic.general_pow(getitem(array, (slice(None), None)), cast(powers, array.dtype))
