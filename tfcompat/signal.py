"""`tf.signal`: spectra, frames and windows of signals."""

import sys as _sys
import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish
from tfcompat._ops.signal.cosine_transform import dct, idct
from tfcompat._ops.signal.fourier import (
    fft,
    fft2d,
    fft3d,
    fftshift,
    ifft,
    ifft2d,
    ifft3d,
    ifftshift,
    irfft,
    irfft2d,
    irfft3d,
    rfft,
    rfft2d,
    rfft3d,
)
from tfcompat._ops.signal.fourier_nd import fftnd, ifftnd, irfftnd, rfftnd
from tfcompat._ops.signal.framing import frame, overlap_and_add
from tfcompat._ops.signal.mel import linear_to_mel_weight_matrix, mfccs_from_log_mel_spectrograms
from tfcompat._ops.signal.spectrogram import inverse_mdct, inverse_stft, inverse_stft_window_fn, mdct, stft
from tfcompat._ops.signal.window_function import (
    hamming_window,
    hann_window,
    kaiser_bessel_derived_window,
    kaiser_window,
    vorbis_window,
)

__all__ = [
    "dct",
    "fft",
    "fft2d",
    "fft3d",
    "fftnd",
    "fftshift",
    "frame",
    "hamming_window",
    "hann_window",
    "idct",
    "ifft",
    "ifft2d",
    "ifft3d",
    "ifftnd",
    "ifftshift",
    "inverse_mdct",
    "inverse_stft",
    "inverse_stft_window_fn",
    "irfft",
    "irfft2d",
    "irfft3d",
    "irfftnd",
    "kaiser_bessel_derived_window",
    "kaiser_window",
    "linear_to_mel_weight_matrix",
    "mdct",
    "mfccs_from_log_mel_spectrograms",
    "overlap_and_add",
    "rfft",
    "rfft2d",
    "rfft3d",
    "rfftnd",
    "stft",
    "vorbis_window",
]

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
