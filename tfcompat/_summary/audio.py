"""`tf.summary.audio`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import float32, int32
from tfcompat._data.format import wav
from tfcompat._ops.text.element import array_of
from tfcompat._summary.event import Label, metadata_of
from tfcompat._summary.image import first_of, require_rank, whole_number
from tfcompat._summary.state import require_step, state, tag_of
from tfcompat._summary.writing import content_of, false, put, recording_condition

_RANK = 3
# `AudioPluginData` with the encoding WAV.
_WAV = b"\x10\x0b"


def audio(
    name: Any,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Tensor:
    """Writes the first `max_outputs` clips of `data` as WAV files to the default writer; returns whether it did.

    The samples are numbers in [-1, 1), `sample_rate` of them a second; `encoding` may be "wav".

    Shapes: [clips, samples, channels] -> [].
    Dtypes: float32 -> bool.
    Raises: ValueError for another rank or encoding, or if there is a writer and no step; InvalidArgumentError for
      another dtype, no channels, a sample_rate that is not positive, or a negative max_outputs.
    Source: TF 2.21 `tf.summary.audio`.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    metadata = metadata_of("audio", description, _WAV)
    tag = tag_of(name, "audio_summary")
    if step is not None:
        require_step(step)
    if state.writer is None or (condition := recording_condition()) is False:
        return false()
    clips = convert_to_tensor(data)
    require_rank(clips, _RANK)
    most = whole_number(max_outputs)
    if clips.dtype is not float32:
        raise InvalidArgumentError.of(f"tf.summary.audio: data must be float32, got {clips.dtype.name}.")
    if clips.shape[-1] == 0:
        raise InvalidArgumentError.of("tf.summary.audio: data has no channels.")
    rate = _rate(sample_rate)
    return put(
        _audio_content,
        (Label(tag.encode(), metadata), clips, rate, most),
        step,
        size=clips._aval.nbytes,
        condition=condition,
    )


def _rate(sample_rate: Any) -> Any:
    rate = convert_to_tensor(sample_rate, int32)
    return _positive(int(rate)) if type(sample_rate) is int else rate


def _positive(rate: int) -> int:
    if rate <= 0:
        raise InvalidArgumentError.of(f"tf.summary.audio: sample_rate must be in (0, 2^32), got: {rate}")
    return rate


def _audio_content(label: Label, clips: np.ndarray, rate: Any, most: Any) -> bytes:
    hertz = _positive(int(rate))
    files = [wav.encoded(clip, hertz) for clip in first_of(clips, most)]
    # After each clip a label, which is empty.
    return content_of(label, array_of([part for file in files for part in (file, b"")], (len(files), 2)))
