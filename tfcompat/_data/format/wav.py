"""Sound in the format WAV: samples of 16 bits, uncompressed (PCM)."""

from __future__ import annotations

import struct

import numpy as np

from tfcompat._core.system.error import InvalidArgumentError

_HEADER = 44
_SKIPPED = (b"JUNK", b"bext", b"iXML", b"qlty", b"mext", b"levl", b"link", b"axml")
_SCALE = 2.0**15


class _Reader:
    """The position in a file."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.place = 0

    def skip(self, count: int) -> int:
        """Moves by `count` bytes, which the file must have; the position before that."""
        place = self.place
        if place + count > len(self.content):
            raise InvalidArgumentError.of("Data too short when trying to read string")
        self.place = place + count
        return place

    def text(self) -> bytes:
        """A name of four letters."""
        place = self.skip(4)
        return self.content[place : place + 4]

    def expect(self, text: bytes) -> None:
        """Moves over `text`."""
        found = self.text()
        if found != text:
            raise InvalidArgumentError.of(
                f"Header mismatch: Expected {text.decode()} but found {found.decode(errors='replace')}"
            )

    def number(self, code: str) -> int:
        """A number, by its letter in `struct`."""
        return struct.unpack_from(f"<{code}", self.content, self.skip(struct.calcsize(code)))[0]


def decoded(content: bytes) -> tuple[np.ndarray, int]:
    """The samples, float32 [samples, channels] in [-1, 1), and the number of samples per second."""
    reader = _Reader(content)
    reader.expect(b"RIFF")
    reader.number("I")
    reader.expect(b"WAVE")
    _find_format(reader)
    channels, rate = _read_format(reader)
    samples = _read_samples(reader, 2 * channels)
    if samples is None:
        raise InvalidArgumentError.of("No data chunk found in WAV")
    return (samples.astype(np.float32) * np.float32(1 / _SCALE)).reshape(-1, channels), rate


def _find_format(reader: _Reader) -> None:
    while (name := reader.text()) != b"fmt ":
        if name not in _SKIPPED:
            raise InvalidArgumentError.of(f"Unexpected field {name.decode(errors='replace')}")
        reader.skip(reader.number("I"))


def _read_format(reader: _Reader) -> tuple[int, int]:
    """The number of channels, and of samples per second."""
    size = reader.number("I")
    if size not in (16, 18):
        raise InvalidArgumentError.of(f"Bad format chunk size for WAV: Expected 16 or 18, but got {size}")
    if (audio_format := reader.number("H")) != 1:
        raise InvalidArgumentError.of(f"Bad audio format for WAV: Expected 1 (PCM), but got {audio_format}")
    if (channels := reader.number("H")) < 1:
        raise InvalidArgumentError.of(f"Bad number of channels for WAV: Expected at least 1, but got {channels}")
    rate, per_second, per_sample, bits = (reader.number(code) for code in "IIHH")
    if bits != 16:
        raise InvalidArgumentError.of(f"Can only read 16-bit WAV files, but received {bits}")
    if per_sample != 2 * channels:
        raise InvalidArgumentError.of(
            f"Bad bytes per sample in WAV header: Expected {2 * channels} but got {per_sample}"
        )
    if per_second != per_sample * rate:
        raise InvalidArgumentError.of(
            f"Bad bytes per second in WAV header: Expected {per_sample * rate} but got {per_second} "
            f"(sample_rate={rate}, bytes_per_sample={per_sample})"
        )
    # The file may end here; then it has no samples.
    reader.place += size - 16
    return channels, rate


def _read_samples(reader: _Reader, per_sample: int) -> np.ndarray | None:
    samples = None
    while reader.place < len(reader.content):
        name, size = reader.text(), reader.number("I")
        if size > 2**31 - 1:
            raise InvalidArgumentError.of(
                f"WAV data chunk '{name.decode(errors='replace')}' is too large: {size} bytes, but the limit is "
                f"{2**31 - 1}"
            )
        if name != b"data":
            reader.place += size
            continue
        if samples is not None:
            raise InvalidArgumentError.of("More than one data chunk found in WAV")
        count = size // per_sample * per_sample
        samples = np.frombuffer(reader.content, "<i2", count // 2, reader.skip(count))
    return samples


def encoded(audio: np.ndarray, rate: int) -> bytes:
    """The file with the samples `audio`, float32 [samples, channels], of which `rate` are played per second."""
    count, channels = audio.shape
    if not 0 < rate < 2**32:
        raise InvalidArgumentError.of(f"sample_rate must be in (0, 2^32), got: {rate}")
    if not 0 < channels < 2**16:
        raise InvalidArgumentError.of(f"num_channels must be in (0, 2^16), got: {channels}")
    size = 2 * count * channels
    if _HEADER + size >= 2**32:
        raise InvalidArgumentError.of("Provided channels and frames cannot be encoded as a WAV.")
    per_sample = 2 * channels
    head = struct.pack("<4sI4s", b"RIFF", _HEADER + size - 8, b"WAVE")
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, channels, rate, rate * per_sample % 2**32, per_sample % 2**16, 16)
    return head + form + struct.pack("<4sI", b"data", size) + _rounded(audio).astype("<i2").tobytes()


def _rounded(audio: np.ndarray) -> np.ndarray:
    """The samples as 16-bit integers: halves away from zero, and 0 for nan."""
    scaled = np.clip(np.nan_to_num(audio, nan=0.0) * np.float32(_SCALE), -_SCALE, _SCALE - 1)
    return np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
