"""Discrete cosine transforms of types I to IV along the last axis."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import float32, float64
from tfcompat._ops.signal.framing import of_length

PRECISE = frozenset((float32, float64))
_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def transformed(array: Array, type: int, norm: str | None) -> Array:
    """The discrete cosine transform of `type` along the last axis."""
    count = array.shape[-1]
    if not array.size:
        return array
    if type == 1:
        return jnp.real(jnp.fft.rfft(jnp.concatenate((array, array[..., -2:0:-1]), -1)))
    if type == 2:
        return jax.scipy.fft.dct(array, norm=norm)
    if type == 3:
        inverse = jax.scipy.fft.idct(array, norm=norm)
        return inverse if norm else 2 * count * inverse
    # Every other frequency of a signal of twice the length, whose second half is 0.
    odd = jax.scipy.fft.dct(of_length(array, 2 * count))[..., 1::2]
    return odd * math.sqrt(0.5 / count) if norm else odd


@op("signal.dct", dtypes=PRECISE)
def _dct(input: Array, type: int, norm: str | None) -> Array:
    return transformed(input, type, norm)


@op("signal.dct", dtypes=PRECISE)
def _dct_of_length(input: Array, type: int, n: int, norm: str | None) -> Array:
    return transformed(of_length(input, n), type, norm)


@dispatched
def dct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The discrete cosine transform of `type` 1, 2, 3 or 4 of `input`, truncated or zero-padded to `n` elements.

    With `norm` "ortho" it is orthogonal.

    Shapes: [*batch, m] -> [*batch, `n`], by default m.
    Dtypes: float32, float64 -> same.
    Raises: NotImplementedError if `axis` isn't -1; ValueError for another `type` or `norm`, or `n` below 1;
      TypeError for another dtype.
    Source: TF 2.21 `tf.signal.dct`.
    """
    del name
    return _checked("signal.dct", input, type, n, axis, norm, type)


@dispatched
def idct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `dct` of `type`, up to a factor that depends on the length unless `norm` is "ortho".

    Shapes: [*batch, m] -> [*batch, `n`], by default m.
    Dtypes: float32, float64 -> same.
    Raises: NotImplementedError if `axis` isn't -1; ValueError for another `type` or `norm`, or `n` below 1;
      TypeError for another dtype.
    Source: TF 2.21 `tf.signal.idct`.
    """
    del name
    return _checked("signal.idct", input, type, n, axis, norm, _INVERSE.get(type, type))


def _checked(name: str, input: Any, type: int, n: int | None, axis: int, norm: str | None, used: int) -> Tensor:
    tensor = convert_to_tensor(input)
    if axis != -1:
        raise NotImplementedError(f"tf.{name}: axis must be -1, got {axis}; transpose before and after.")
    if n is not None and n < 1:
        raise ValueError(f"tf.{name}: n must be positive, got {n}.")
    if type not in _INVERSE:
        raise ValueError(f"tf.{name}: type must be 1, 2, 3 or 4, got {type}.")
    if norm not in (None, "ortho"):
        raise ValueError(f"tf.{name}: norm must be None or 'ortho', got {norm!r}.")
    if type == 1 and (norm is not None or tensor._aval.shape[-1] < 2):
        raise ValueError(
            f"tf.{name}: type 1 needs norm=None and at least 2 elements, got {norm!r} and shape {tensor.shape}."
        )
    require_precise(name, "input", tensor)
    if n is None or n == tensor._aval.shape[-1]:
        return _dct(tensor, used, norm)
    return _dct_of_length(tensor, used, n, norm)


def require_precise(name: str, what: str, tensor: Tensor) -> None:
    """Raises TypeError unless `tensor` is float32 or float64."""
    if tensor.dtype not in PRECISE:
        raise TypeError(f"tf.{name}: {what} must be float32 or float64, got {tensor.dtype.name}.")
