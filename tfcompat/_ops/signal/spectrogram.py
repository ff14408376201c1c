"""Transforms of overlapping frames: from signals to spectrograms and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import COMPLEX, FLOATING
from tfcompat._ops.signal.cosine_transform import PRECISE, require_precise, transformed
from tfcompat._ops.signal.fourier import signal_of, spectrum
from tfcompat._ops.signal.framing import framed, of_length, overlapped, static_size
from tfcompat._ops.signal.window_function import hann_window, vorbis_window

WindowFunction = Callable[..., Any]


def _window(window_fn: WindowFunction | None, length: int, dtype: Any) -> Any:
    """The result of `window_fn` for `length`; 1 if it is None."""
    if window_fn is None:
        return convert_to_tensor(1, dtype)
    return window_fn(Tensor(np.int32(length)), dtype=dtype)


def _fft_length(name: str, fft_length: Any, frame_length: int) -> int:
    """`fft_length`; by default the next power of two that is not less than a frame."""
    if fft_length is None:
        return 1 << max(frame_length - 1, 0).bit_length()
    return static_size(name, "fft_length", fft_length)


@dispatched
def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: WindowFunction | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The spectra of windowed frames of `signals`, of `frame_length`, each shifted by `frame_step` from the last.

    Shapes: [*batch, samples] -> [*batch, frames, `fft_length` // 2 + 1]; `fft_length` is by default a power of two.
    Dtypes: float32 -> complex64, float64 -> complex128.
    Raises: ValueError for another dtype, or rank 0; InvalidArgumentError if a length isn't a positive integer.
    Source: TF 2.21 `tf.signal.stft`.
    """
    del name
    tensor = convert_to_tensor(signals)
    _require_rank("signal.stft", "signals", tensor, 1)
    length = static_size("signal.stft", "frame_length", frame_length)
    step = static_size("signal.stft", "frame_step", frame_step)
    bins = _fft_length("signal.stft", fft_length, length)
    window = _window(window_fn, length, tensor.dtype)
    if tensor.dtype not in PRECISE:
        raise ValueError(f"tf.signal.stft: signals must be float32 or float64, got {tensor.dtype.name}.")
    return _stft(tensor, window, length, step, bins, bool(pad_end))


@op("signal.stft", dtypes=PRECISE)
def _stft(signals: Array, window: Array, frame_length: int, frame_step: int, fft_length: int, pad_end: bool) -> Array:
    """`stft` with resolved arguments."""
    return spectrum(framed(signals, frame_length, frame_step, pad_end) * window, (fft_length,))


@dispatched
def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: WindowFunction | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """The sum of the windowed frames with the spectra `stfts`, each shifted by `frame_step` from the last.

    It is the inverse of `stft` if `window_fn` is `inverse_stft_window_fn(frame_step)`.

    Shapes: [*batch, frames, `fft_length` // 2 + 1] -> [*batch, `frame_length` + `frame_step` * (frames - 1)].
    Dtypes: complex64 -> float32, complex128 -> float64.
    Raises: ValueError for another dtype, or a rank below 2; InvalidArgumentError if a length isn't a positive integer.
    Source: TF 2.21 `tf.signal.inverse_stft`.
    """
    del name
    tensor = convert_to_tensor(stfts)
    _require_rank("signal.inverse_stft", "stfts", tensor, 2)
    length = static_size("signal.inverse_stft", "frame_length", frame_length)
    step = static_size("signal.inverse_stft", "frame_step", frame_step)
    if tensor.dtype not in COMPLEX:
        raise ValueError(f"tf.signal.inverse_stft: stfts must be complex, got {tensor.dtype.name}.")
    bins = _fft_length("signal.inverse_stft", fft_length, length)
    return _inverse_stft(tensor, _window(window_fn, length, tensor.dtype.real_dtype), length, step, bins)


@op("signal.inverse_stft", dtypes={"stfts": COMPLEX, "window": PRECISE}, same=())
def _inverse_stft(stfts: Array, window: Array, frame_length: int, frame_step: int, fft_length: int) -> Array:
    """`inverse_stft` with resolved arguments."""
    frames = signal_of(stfts, (fft_length,))
    return overlapped(of_length(frames, frame_length) * window, frame_step)


def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: WindowFunction = hann_window, name: str | None = None
) -> WindowFunction:
    """A window function for `inverse_stft` that inverts `stft` with `frame_step` and the window `forward_window_fn`.

    Shapes: -> a function of (frame_length, dtype) -> [frame_length].
    Dtypes: floating.
    Raises: InvalidArgumentError if a length isn't a positive integer.
    Source: TF 2.21 `tf.signal.inverse_stft_window_fn`; Griffin and Lim, Signal estimation from modified STFT (1984).
    """
    del name

    def inverse_window(frame_length: Any, dtype: Any) -> Tensor:
        length = static_size("signal.inverse_stft_window_fn", "frame_length", frame_length)
        step = static_size("signal.inverse_stft_window_fn", "frame_step", frame_step)
        return _inverse_window(_window(forward_window_fn, length, dtype), step)

    return inverse_window


@op("signal.inverse_stft_window_fn", dtypes=FLOATING)
def _inverse_window(forward_window: Array, frame_step: int) -> Array:
    """The window divided by the sum of the squares of all windows over the same sample."""
    [length] = forward_window.shape
    overlaps = -(-length // frame_step)
    squares = jnp.pad(jnp.square(forward_window), (0, overlaps * frame_step - length))
    total = jnp.tile(jnp.sum(squares.reshape(overlaps, frame_step), 0), overlaps)[:length]
    return jnp.where(total == 0, 0, forward_window / jnp.where(total == 0, 1, total))


@dispatched
def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: WindowFunction | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified discrete cosine transform of frames of `signals` that overlap by half of `frame_length`.

    Shapes: [*batch, samples] -> [*batch, frames, `frame_length` / 2].
    Dtypes: float32, float64 -> same.
    Raises: TypeError for another dtype; ValueError for another `norm`, or if `frame_length` isn't a multiple of 4.
    Source: TF 2.21 `tf.signal.mdct`.
    """
    del name
    tensor = convert_to_tensor(signals)
    _require_rank("signal.mdct", "signals", tensor, 1)
    length = static_size("signal.mdct", "frame_length", frame_length)
    if length % 4:
        raise ValueError(f"tf.signal.mdct: frame_length must be a multiple of 4, got {length}.")
    window = _mdct_window("signal.mdct", window_fn, length, tensor, norm)
    return _mdct(tensor, window, length, bool(pad_end), norm)


def _mdct_window(name: str, window_fn: WindowFunction | None, length: int, tensor: Tensor, norm: Any) -> Any:
    if norm not in (None, "ortho"):
        raise ValueError(f"tf.{name}: norm must be None or 'ortho', got {norm!r}.")
    require_precise(name, "the signal", tensor)
    return (
        convert_to_tensor(math.sqrt(0.5), tensor.dtype)
        if window_fn is None
        else _window(window_fn, length, tensor.dtype)
    )


@op("signal.mdct", dtypes=PRECISE)
def _mdct(signals: Array, window: Array, frame_length: int, pad_end: bool, norm: str | None) -> Array:
    """`mdct` with resolved arguments."""
    frames = framed(signals, frame_length, frame_length // 2, pad_end) * window
    first, second, third, fourth = jnp.split(frames, 4, -1)
    folded = jnp.concatenate((-jnp.flip(third, -1) - fourth, first - jnp.flip(second, -1)), -1)
    return transformed(folded, 4, norm)


@dispatched
def inverse_mdct(
    mdcts: Any, window_fn: WindowFunction | None = vorbis_window, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The signals whose `mdct` with the same `window_fn` and `norm` is `mdcts`, except the first and last half frame.

    Shapes: [*batch, frames, half] -> [*batch, half * (frames + 1)].
    Dtypes: float32, float64 -> same.
    Raises: TypeError for another dtype; ValueError for another `norm`, or a rank below 2.
    Source: TF 2.21 `tf.signal.inverse_mdct`.
    """
    del name
    tensor = convert_to_tensor(mdcts)
    _require_rank("signal.inverse_mdct", "mdcts", tensor, 2)
    window = _mdct_window("signal.inverse_mdct", window_fn, 2 * tensor._aval.shape[-1], tensor, norm)
    return _inverse_mdct(tensor, window, norm)


@op("signal.inverse_mdct", dtypes=PRECISE)
def _inverse_mdct(mdcts: Array, window: Array, norm: str | None) -> Array:
    """`inverse_mdct` with resolved arguments."""
    half = mdcts.shape[-1]
    folded = transformed(mdcts, 4, norm) * (1 if norm else 0.5 / half)
    first, second = jnp.split(folded, 2, -1)
    frames = jnp.concatenate((second, -jnp.flip(second, -1), -jnp.flip(first, -1), -first), -1)
    return overlapped(frames * window, half)


def _require_rank(name: str, what: str, tensor: Tensor, least: int) -> None:
    if tensor.ndim < least:
        raise ValueError(f"tf.{name}: {what} must have rank {least} or more, got shape {tensor.shape}.")
