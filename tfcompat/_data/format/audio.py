"""Ops that decode and encode sound."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.host_call import computed
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_by_kernel
from tfcompat._core.types.dtype import float32, int32, string
from tfcompat._data.format import wav
from tfcompat._data.format.argument import content_of, whole
from tfcompat._ops.text.element import array_of


class DecodeWav(NamedTuple):
    """The samples, and their number per second."""

    audio: Tensor
    sample_rate: Tensor


@by_row("contents", specs=lambda **given: _sound(**given))
def decode_wav(
    contents: Any, desired_channels: Any = -1, desired_samples: Any = -1, name: str | None = None
) -> DecodeWav:
    """The samples of the WAV file `contents`, of 16 bits, as numbers in [-1, 1), and their number per second.

    With `desired_channels`, channels are left out, or the last one is repeated; with `desired_samples`, samples are
    left out, or zeros follow; -1 keeps those of the file.

    Shapes: [] -> [samples, channels] and [].
    Dtypes: string -> float32 and int32.
    Raises: InvalidArgumentError if the file is invalid, or an argument is less than -1.
    Source: TF 2.21 `tf.audio.decode_wav`.
    """
    del name
    channels = _at_least("desired_channels", desired_channels)
    samples = _at_least("desired_samples", desired_samples)
    content = content_of("audio.decode_wav", contents)
    with found_by_kernel():
        audio, rate = wav.decoded(content)
    channels = audio.shape[1] if channels < 0 else channels
    samples = len(audio) if samples < 0 else samples
    found = np.zeros((samples, channels), np.float32)
    part = audio[:samples, np.minimum(np.arange(channels), audio.shape[1] - 1)]
    found[: len(part)] = part
    return DecodeWav(Tensor(found), Tensor(np.array(rate, np.uint32).astype(np.int32)))


def _sound(desired_channels: Any, desired_samples: Any, **_: Any) -> DecodeWav:
    channels = _at_least("desired_channels", desired_channels)
    samples = _at_least("desired_samples", desired_samples)
    sizes = [None if size < 0 else size for size in (samples, channels)]
    audio: Any = TensorSpec(sizes, float32)
    rate: Any = TensorSpec([], int32)
    return DecodeWav(audio, rate)


def _at_least(what: str, value: Any) -> int:
    count = whole("audio.decode_wav", what, value)
    if count < -1:
        raise InvalidArgumentError.of(f"tf.audio.decode_wav: {what} must be >= -1, got {count}")
    return count


def encode_wav(audio: Any, sample_rate: Any, name: str | None = None) -> Tensor:
    """The WAV file with the samples `audio`, rounded to 16 bits, of which `sample_rate` are played per second.

    Samples outside of [-1, 1) are clipped.

    Shapes: [samples, channels], [] -> [].
    Dtypes: float32, int32 -> string.
    Gradient: None.
    Raises: InvalidArgumentError for another shape or dtype, or a sample_rate that is not positive.
    Source: TF 2.21 `tf.audio.encode_wav`.
    """
    del name
    sound, rate = convert_to_tensor(audio, float32), convert_to_tensor(sample_rate, int32)
    if sound.ndim != 2:
        raise InvalidArgumentError.of(f"tf.audio.encode_wav: audio must be 2-dimensional, got shape {sound.shape}.")
    if rate.ndim:
        raise InvalidArgumentError.of(f"tf.audio.encode_wav: sample_rate must be a scalar, got shape {rate.shape}.")

    def compute(samples: np.ndarray, number: np.ndarray) -> np.ndarray:
        return array_of([wav.encoded(samples, int(number))], ())

    return computed("audio.encode_wav", compute, (sound, rate), (), string)
