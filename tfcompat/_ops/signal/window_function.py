"""Window functions: weights for the samples of a frame before its transform."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Dtype, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import FLOATING, DType, as_dtype, float16, float32, float64, int32
from tfcompat._ops.derivative import square_root
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.signal.framing import static_size

_BESSEL = frozenset((float16, float32, float64))


def _length(name: str, window_length: Any, dtype: Any, least: int = 0) -> tuple[int, DType]:
    """`window_length` and `dtype`, validated."""
    wanted = as_dtype(dtype)
    if wanted not in FLOATING:
        raise ValueError(f"tf.{name}: dtype must be a floating point type, got {wanted.name}.")
    return static_size(name, "window_length", convert_to_tensor(window_length, int32), least), wanted


def hann_window(window_length: Any, periodic: Any = True, dtype: Any = float32, name: str | None = None) -> Tensor:
    """A raised cosine of `window_length` samples: from 0 to 1 and back, one period if `periodic`, else symmetric.

    Shapes: -> [window_length].
    Dtypes: floating.
    Raises: ValueError for another dtype.
    Source: TF 2.21 `tf.signal.hann_window`.
    """
    del name
    length, wanted = _length("signal.hann_window", window_length, dtype)
    return _hann(length, bool(periodic), wanted)


def hamming_window(window_length: Any, periodic: Any = True, dtype: Any = float32, name: str | None = None) -> Tensor:
    """A raised cosine of `window_length` samples that ends at 0.08: one period if `periodic`, else symmetric.

    Shapes: -> [window_length].
    Dtypes: floating.
    Raises: ValueError for another dtype.
    Source: TF 2.21 `tf.signal.hamming_window`.
    """
    del name
    length, wanted = _length("signal.hamming_window", window_length, dtype)
    return _hamming(length, bool(periodic), wanted)


@op("signal.hann_window")
def _hann(window_length: int, periodic: bool, dtype: Dtype) -> Array:
    return _raised_cosine(window_length, periodic, dtype, 0.5)


@op("signal.hamming_window")
def _hamming(window_length: int, periodic: bool, dtype: Dtype) -> Array:
    return _raised_cosine(window_length, periodic, dtype, 0.54)


def _raised_cosine(length: int, periodic: bool, dtype: DType, middle: float) -> Array:
    if length == 1:
        return jnp.ones(1, dtype.as_numpy_dtype)
    # TensorFlow makes an odd length symmetric whatever the value of `periodic`.
    period = length if periodic and length % 2 == 0 else length - 1
    turns = np.arange(length) / period
    return jnp.asarray(middle - (1 - middle) * np.cos(2 * np.pi * turns), dtype.as_numpy_dtype)


def kaiser_window(window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None) -> Tensor:
    """The Kaiser window of `window_length` samples: the larger `beta`, the narrower.

    Shapes: -> [window_length].
    Dtypes: float16, float32, float64.
    Gradient: for `beta`.
    Raises: ValueError if `dtype` isn't floating.
    Source: TF 2.21 `tf.signal.kaiser_window`; Kaiser, Nonrecursive digital filter design (1974).
    """
    del name
    length, wanted = _length("signal.kaiser_window", window_length, dtype, 1)
    return _kaiser(length, cast(beta, wanted))


def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """The Kaiser-Bessel-derived window of `window_length` samples: its squares are sums of a Kaiser window with `beta`.

    Shapes: -> [window_length].
    Dtypes: float16, float32, float64.
    Gradient: for `beta`.
    Raises: ValueError if `dtype` isn't floating.
    Source: TF 2.21 `tf.signal.kaiser_bessel_derived_window`.
    """
    del name
    length, wanted = _length("signal.kaiser_bessel_derived_window", window_length, dtype)
    return _kaiser_bessel_derived(length, cast(beta, wanted))


@op("signal.kaiser_window", dtypes=_BESSEL)
def _kaiser(window_length: int, beta: Array) -> Array:
    return _kaiser_values(window_length, beta)


@op("signal.kaiser_bessel_derived_window", dtypes=_BESSEL)
def _kaiser_bessel_derived(window_length: int, beta: Array) -> Array:
    total = jnp.cumsum(_kaiser_values(window_length // 2 + 1, beta))
    half = square_root(total[:-1] / total[-1])
    return jnp.concatenate((half, half[::-1]))


def _kaiser_values(length: int, beta: Array) -> Array:
    if length == 1:
        return jnp.ones(1, beta.dtype)
    place = np.linspace(-1, 1, length)
    argument = beta * jnp.asarray(np.sqrt(np.maximum(1 - place**2, 0)), beta.dtype)
    return jnp.exp(argument - beta) * (jax.scipy.special.i0e(argument) / jax.scipy.special.i0e(beta))


def vorbis_window(window_length: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """The Vorbis window of `window_length` samples: the squares of both halves add up to 1.

    Shapes: -> [window_length].
    Dtypes: floating.
    Raises: ValueError for another dtype.
    Source: TF 2.21 `tf.signal.vorbis_window`.
    """
    del name
    return _vorbis(*_length("signal.vorbis_window", window_length, dtype))


@op("signal.vorbis_window")
def _vorbis(window_length: int, dtype: Dtype) -> Array:
    places = (np.arange(window_length) + 0.5) / max(window_length, 1)
    return jnp.asarray(np.sin(np.pi / 2 * np.sin(np.pi * places) ** 2), dtype.as_numpy_dtype)
