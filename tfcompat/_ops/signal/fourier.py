"""Discrete Fourier transforms over the last axes: complex ones, and real ones to half a spectrum and back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Ints, Shape, integers, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.types.dtype import COMPLEX, complex64, float32, float64
from tfcompat._jaxpr.size import are_below
from tfcompat._ops.array.layout import roll
from tfcompat._ops.axis import require_axes, require_axis

_REAL = frozenset((float32, float64))
_AXES = {1: "its last axis", 2: "its last two axes", 3: "its last three axes"}


def _last(ndim: int) -> tuple[int, ...]:
    return tuple(range(-ndim, 0))


def _complex_transform(name: str, function: Callable[..., Any], ndim: int, what: str) -> Callable[..., Any]:
    """The op that transforms the last `ndim` axes of complex numbers by `function`."""

    def require_rank(input: Any) -> None:
        if input.ndim < ndim:
            raise InvalidArgumentError.of(f"tf.{name}: input must have rank {ndim} or more, got shape {input.shape}.")

    def body(input: Array) -> Array:
        return function(input, axes=_last(ndim)) if input.size else input

    body.__doc__ = f"""The {what} of `input` along {_AXES[ndim]}.

    Shapes: [*dims] -> same.
    Dtypes: complex64, complex128 -> same dtype; Python numbers are complex64.
    Raises: InvalidArgumentError for another dtype, or a rank below {ndim}.
    Source: TF 2.21 `tf.{name}`.
    """
    recorded = op(name, dtypes=COMPLEX, validate=require_rank)(body)

    @functools.wraps(recorded)
    def transform(input: Any, name: str | None = None) -> Tensor:
        del name
        tensor = convert_to_tensor(input)
        if as_tensor(input) is None and tensor.dtype not in COMPLEX:
            tensor = convert_to_tensor(input, complex64)
        return recorded(tensor)

    return transform


_FORWARD, _INVERSE = "discrete Fourier transform", "inverse discrete Fourier transform"
fft = _complex_transform("signal.fft", jnp.fft.fftn, 1, _FORWARD)
fft2d = _complex_transform("signal.fft2d", jnp.fft.fftn, 2, _FORWARD)
fft3d = _complex_transform("signal.fft3d", jnp.fft.fftn, 3, _FORWARD)
ifft = _complex_transform("signal.ifft", jnp.fft.ifftn, 1, _INVERSE)
ifft2d = _complex_transform("signal.ifft2d", jnp.fft.ifftn, 2, _INVERSE)
ifft3d = _complex_transform("signal.ifft3d", jnp.fft.ifftn, 3, _INVERSE)


def spectrum(signal: Array, lengths: Shape) -> Array:
    """The half spectrum of real `signal`, with its last axes truncated or zero-padded to `lengths`."""
    if 0 in signal.shape:
        bins = lengths[-1] // 2 + 1 if lengths[-1] else 0
        batch = signal.shape[: signal.ndim - len(lengths)]
        return jnp.zeros((*batch, *lengths[:-1], bins), jnp.promote_types(signal.dtype, jnp.complex64))
    return jnp.fft.rfftn(signal, lengths, _last(len(lengths)))


def signal_of(spectrum: Array, lengths: Shape) -> Array:
    """The real signal of `lengths` with the half `spectrum`, which is truncated or zero-padded."""
    if 0 in spectrum.shape:
        return jnp.zeros((*spectrum.shape[: spectrum.ndim - len(lengths)], *lengths), jnp.real(spectrum).dtype)
    return jnp.fft.irfftn(spectrum, lengths, _last(len(lengths)))


def _lengths(name: str, fft_length: Any, natural: list[int], is_empty: bool) -> tuple[int, ...]:
    """`fft_length`, or the `natural` lengths if None."""
    if fft_length is None:
        found = tuple(natural)
    else:
        found = integers(fft_length)
        if not isinstance(found, tuple):
            raise TypeError(f"tf.{name}: fft_length must be a list, got {fft_length}.")
        if len(found) != len(natural):
            raise InvalidArgumentError.of(f"tf.{name}: fft_length must have shape [{len(natural)}], got {list(found)}.")
    if are_below(found, 1) and not is_empty:
        raise InvalidArgumentError.of(f"tf.{name}: every length must be positive, got {list(found)}.")
    return found


def _doubled(shape: tuple[int, ...]) -> list[int]:
    """The default lengths of the signals with half spectra of `shape`."""
    return [*shape[:-1], max(0, 2 * (shape[-1] - 1))]


def _real_transform(name: str, ndim: int, is_inverse: bool, no_gradient: str = "") -> Callable[..., Any]:
    """The transform of the last `ndim` axes of real numbers to half a spectrum, or, if `is_inverse`, back."""
    allowed, hint = (COMPLEX, complex64) if is_inverse else (_REAL, float32)
    function = signal_of if is_inverse else spectrum
    place = name

    def body(input_tensor: Array, fft_length: Ints) -> Array:
        return function(input_tensor, fft_length)

    recorded = op(name, dtypes=allowed, no_gradient=no_gradient)(body)

    def transform(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
        del name
        tensor = convert_to_tensor(input_tensor, dtype_hint=hint)
        if tensor.dtype not in allowed or tensor.ndim < ndim:
            raise ValueError(
                f"tf.{place}: input_tensor must be {'complex' if is_inverse else 'float32 or float64'}, and have rank "
                f"{ndim} or more, got {tensor.dtype.name} and shape {tensor.shape}."
            )
        last = tensor._aval.shape[-ndim:]
        natural = _doubled(last) if is_inverse else list(last)
        return recorded(tensor, _lengths(place, fft_length, natural, not tensor._aval.size))

    transform.__name__ = transform.__qualname__ = name.rpartition(".")[2]
    gradient = "\n    Gradient: LookupError, as in TensorFlow." if no_gradient else ""
    transform.__doc__ = (_BACK if is_inverse else _TO_HALF).format(_AXES[ndim], gradient, ndim, name)
    return transform


_TO_HALF = """The first half of the discrete Fourier transform of real `input_tensor` along {}.

    The axes are truncated or zero-padded to `fft_length`.

    Shapes: [*batch, *dims] -> [*batch, *`fft_length`] with n // 2 + 1 in place of the last n.
    Dtypes: float32 -> complex64, float64 -> complex128.{}
    Raises: ValueError for another dtype, or a rank below {}; TypeError if `fft_length` isn't a list of integers;
      InvalidArgumentError if it has another length, or holds a 0.
    Source: TF 2.21 `tf.{}`.
    """
_BACK = """The real signal whose discrete Fourier transform along {} begins with `input_tensor`.

    The axes are truncated or zero-padded to fit `fft_length`, whose last element is by default 2 * (n - 1).

    Shapes: [*batch, *dims] -> [*batch, *`fft_length`].
    Dtypes: complex64 -> float32, complex128 -> float64.{}
    Raises: ValueError for another dtype, or a rank below {}; TypeError if `fft_length` isn't a list of integers;
      InvalidArgumentError if it has another length, or holds a 0.
    Source: TF 2.21 `tf.{}`.
    """

rfft = _real_transform("signal.rfft", 1, False)
rfft2d = _real_transform("signal.rfft2d", 2, False)
rfft3d = _real_transform("signal.rfft3d", 3, False, "RFFT3D")
irfft = _real_transform("signal.irfft", 1, True)
irfft2d = _real_transform("signal.irfft2d", 2, True)
irfft3d = _real_transform("signal.irfft3d", 3, True, "IRFFT3D")


@dispatched
def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """`x` rotated along `axes` (default all), so that the frequency 0 is in the middle.

    Shapes: [*dims] -> same.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if `x` has rank 0 or an axis is out of range.
    Source: TF 2.21 `tf.signal.fftshift`.
    """
    del name
    return _shifted("signal.fftshift", x, axes, 1)


@dispatched
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """`x` rotated along `axes` (default all), so that the element that `fftshift` moved to the middle comes first.

    Shapes: [*dims] -> same.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if `x` has rank 0 or an axis is out of range.
    Source: TF 2.21 `tf.signal.ifftshift`.
    """
    del name
    return _shifted("signal.ifftshift", x, axes, -1)


def _shifted(name: str, x: Any, axes: Any, sign: int) -> Tensor:
    tensor = convert_to_tensor(x)
    given = integers(axes)
    if isinstance(given, int):
        chosen = (require_axis(name, given, tensor.ndim),)
    else:
        chosen = tuple(range(tensor.ndim)) if given is None else require_axes(name, given, tensor.ndim, found_early)
    if not tensor.ndim:
        raise InvalidArgumentError.of(f"tf.{name}: x must have rank 1 or more, got a scalar.")
    return roll(tensor, [sign * (tensor._aval.shape[axis] // 2) for axis in chosen], list(chosen))
