"""Discrete Fourier transforms over any axes.

TensorFlow 2.21 has these functions but no CPU kernels for them (NotFoundError); here they behave as in NumPy.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Ints, integers, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import COMPLEX, DType, complex64, float32, float64
from tfcompat._ops.axis import require_axes

_REAL = frozenset((float32, float64))
_NORMS = ("backward", "ortho", "forward")


@op("signal.fftnd", dtypes=COMPLEX)
def _fftnd(input_tensor: Array, fft_length: Ints, axes: Ints, norm: str) -> Array:
    return jnp.fft.fftn(input_tensor, fft_length, axes, norm)


@op("signal.ifftnd", dtypes=COMPLEX)
def _ifftnd(input_tensor: Array, fft_length: Ints, axes: Ints, norm: str) -> Array:
    return jnp.fft.ifftn(input_tensor, fft_length, axes, norm)


@op("signal.rfftnd", dtypes=_REAL)
def _rfftnd(input_tensor: Array, fft_length: Ints, axes: Ints, norm: str) -> Array:
    return jnp.fft.rfftn(input_tensor, fft_length, axes, norm)


@op("signal.irfftnd", dtypes=COMPLEX)
def _irfftnd(input_tensor: Array, fft_length: Ints, axes: Ints, norm: str) -> Array:
    return jnp.fft.irfftn(input_tensor, fft_length, axes, norm)


def _transformed(
    recorded: Any, allowed: frozenset[DType], hint: DType, input_tensor: Any, fft_length: Any, axes: Any, norm: Any
) -> Tensor:
    name = recorded.declaration.name
    tensor = convert_to_tensor(input_tensor, dtype_hint=hint)
    if tensor.dtype not in allowed:
        spelled = ", ".join(sorted(dtype.name for dtype in allowed))
        refusal = InvalidArgumentError.of if recorded in (_fftnd, _ifftnd) else ValueError
        raise refusal(f"tf.{name}: input_tensor must be {spelled}, got {tensor.dtype.name}.")
    chosen = require_axes(name, range(tensor.ndim) if axes is None else integers(axes), tensor.ndim)
    lengths = integers(fft_length)
    if lengths is not None and (len(lengths) != len(chosen) or min(lengths, default=1) < 1):
        raise InvalidArgumentError.of(
            f"tf.{name}: fft_length must have a positive length for each of the axes {chosen}, got {fft_length}."
        )
    if norm not in (None, *_NORMS):
        raise ValueError(f"tf.{name}: norm must be one of {_NORMS}, got {norm!r}.")
    return recorded(tensor, lengths, chosen, norm or "backward")


def fftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: Any = None, name: str | None = None
) -> Any:
    """The discrete Fourier transform of `input_tensor` along `axes` (default all), truncated or padded to `fft_length`.

    `norm` "forward" divides by the number of elements, "ortho" by its square root.

    Shapes: [*dims] -> the same, with `fft_length` along `axes`.
    Dtypes: complex64, complex128 -> same dtype.
    Raises: InvalidArgumentError for another dtype, an axis out of range, or lengths that don't fit.
    Source: TF 2.21 `tf.signal.fftnd`.
    """
    del name
    return _transformed(_fftnd, COMPLEX, complex64, input_tensor, fft_length, axes, norm)


def ifftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: Any = None, name: str | None = None
) -> Any:
    """The inverse of `fftnd` with the same `fft_length`, `axes` and `norm`.

    Shapes: [*dims] -> the same, with `fft_length` along `axes`.
    Dtypes: complex64, complex128 -> same dtype.
    Raises: InvalidArgumentError for another dtype, an axis out of range, or lengths that don't fit.
    Source: TF 2.21 `tf.signal.ifftnd`.
    """
    del name
    return _transformed(_ifftnd, COMPLEX, complex64, input_tensor, fft_length, axes, norm)


def rfftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: Any = None, name: str | None = None
) -> Any:
    """The discrete Fourier transform of real `input_tensor` along `axes`, with the first half of the last axis only.

    Shapes: [*dims] -> the same, with `fft_length` along `axes`; n // 2 + 1 in place of the last n.
    Dtypes: float32 -> complex64, float64 -> complex128.
    Raises: ValueError for another dtype; InvalidArgumentError if an axis is out of range or lengths don't fit.
    Source: TF 2.21 `tf.signal.rfftnd`.
    """
    del name
    return _transformed(_rfftnd, _REAL, float32, input_tensor, fft_length, axes, norm)


def irfftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: Any = None, name: str | None = None
) -> Any:
    """The inverse of `rfftnd` with the same `fft_length`, `axes` and `norm`.

    Shapes: [*dims] -> the same, with `fft_length` along `axes`; by default the last is 2 * (n - 1).
    Dtypes: complex64 -> float32, complex128 -> float64.
    Raises: ValueError for another dtype; InvalidArgumentError if an axis is out of range or lengths don't fit.
    Source: TF 2.21 `tf.signal.irfftnd`.
    """
    del name
    return _transformed(_irfftnd, COMPLEX, complex64, input_tensor, fft_length, axes, norm)
