"""The mel scale of perceived pitch: spectra on it, and cepstral coefficients computed from them."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import FLOATING, DType, as_dtype, float32
from tfcompat._ops.signal.cosine_transform import PRECISE, require_precise, transformed

_BREAK_HERTZ = 700.0
_MEL_PER_FACTOR_E = 1127.0


def _mel(hertz: Any) -> Any:
    return _MEL_PER_FACTOR_E * np.log(1 + hertz / _BREAK_HERTZ)


def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """The matrix that converts spectra with bins from 0 to half `sample_rate` to `num_mel_bins` bins on the mel scale.

    The weights of a bin are a triangle that ends at the peaks of its neighbours.

    Shapes: -> [num_spectrogram_bins, num_mel_bins].
    Dtypes: floating.
    Raises: ValueError if `num_mel_bins` isn't positive, or the edges aren't 0 <= lower < upper <= `sample_rate` / 2.
    Source: TF 2.21 `tf.signal.linear_to_mel_weight_matrix`.
    """
    del name
    wanted = as_dtype(dtype)
    mel_bins, bins = int(num_mel_bins), int(num_spectrogram_bins)
    rate, lower, upper = float(sample_rate), float(lower_edge_hertz), float(upper_edge_hertz)
    if mel_bins <= 0 or not 0 <= lower < upper <= rate / 2 or wanted not in FLOATING:
        raise ValueError(
            f"tf.signal.linear_to_mel_weight_matrix: num_mel_bins must be positive, 0 <= lower_edge_hertz < "
            f"upper_edge_hertz <= sample_rate / 2, and dtype floating; got {mel_bins}, {lower}, {upper}, {rate} "
            f"and {wanted.name}."
        )
    return Tensor(_weights(mel_bins, bins, rate, lower, upper, wanted))


@functools.lru_cache(64)
def _weights(mel_bins: int, bins: int, rate: float, lower: float, upper: float, dtype: DType) -> np.ndarray:
    edges = np.linspace(_mel(lower), _mel(upper), mel_bins + 2)
    places = _mel(np.linspace(0, rate / 2, bins))[:, None]
    rising = (places - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - places) / (edges[2:] - edges[1:-1])
    weights = np.maximum(0, np.minimum(rising, falling))
    # The mean of the signal has no pitch.
    weights[0] = 0
    return weights.astype(dtype.as_numpy_dtype)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """The mel-frequency cepstral coefficients of `log_mel_spectrograms`: their cosine transform, scaled as HTK does.

    Shapes: [*batch, num_mel_bins] -> same.
    Dtypes: float32, float64 -> same.
    Raises: TypeError for another dtype; ValueError without bins.
    Source: TF 2.21 `tf.signal.mfccs_from_log_mel_spectrograms`.
    """
    del name
    place = "signal.mfccs_from_log_mel_spectrograms"
    tensor = convert_to_tensor(log_mel_spectrograms)
    require_precise(place, "log_mel_spectrograms", tensor)
    if not tensor.ndim or not tensor._aval.shape[-1]:
        raise ValueError(f"tf.{place}: log_mel_spectrograms must have at least one bin, got shape {tensor.shape}.")
    return _mfccs(tensor)


@op("signal.mfccs_from_log_mel_spectrograms", dtypes=PRECISE)
def _mfccs(log_mel_spectrograms: Array) -> Array:
    """`mfccs_from_log_mel_spectrograms` of a validated tensor."""
    return transformed(log_mel_spectrograms, 2, None) / math.sqrt(2 * log_mel_spectrograms.shape[-1])
