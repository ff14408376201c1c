"""Images in the format GIF, with all frames."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tfcompat._core.system.error import InvalidArgumentError, ResourceExhaustedError
from tfcompat._data.format.requirement import pillow

_EXTENSION, _IMAGE, _TRAILER = 0x21, 0x2C, 0x3B
_GRAPHIC_CONTROL = 0xF9
# The most indices that one code of at least 3 bits may stand for, and the most pixels of all frames.
_MOST_OF_CODE, _LEAST_BITS, _MOST_BITS = 4096, 3, 8
_MOST_PIXELS = 2**29


class Frame(NamedTuple):
    """A frame in a file: its rectangle, palette and transparent index; compressed indices from `start` to `end`."""

    left: int
    top: int
    width: int
    height: int
    palette: np.ndarray | None
    transparent: int | None
    is_interlaced: bool
    start: int
    end: int


class _Damaged(ValueError):
    """A part of a file that ends too early or is invalid."""


def decoded(content: bytes, has_all: bool = True) -> np.ndarray:
    """The frames, uint8 [frames, height, width, 3], or the first one: as TensorFlow, each is drawn upon the last one.

    The size is that of the largest frame. Frames before a damaged part of the file are kept.
    """
    found: list[tuple[Frame, np.ndarray]] = []
    try:
        for frame in _frames(content):
            found.append((frame, _indices(content, frame)))
    except (IndexError, struct.error, _Damaged) as bad:
        if not found:
            raise _invalid(content, f"failed to slurp gif file: {_reason(bad)}") from bad
    if not found:
        raise _invalid(content, "failed to slurp gif file: No Image Descriptor detected")
    height, width = max(frame.height for frame, _ in found), max(frame.width for frame, _ in found)
    if (count := height * width * (len(found) if has_all else 1)) >= _MOST_PIXELS:
        raise ResourceExhaustedError.of(f"GIF too large: {count} pixels; the limit is {_MOST_PIXELS}")
    canvas = np.zeros((height, width, 3), np.uint8)
    drawn: list[np.ndarray] = []
    for number, (frame, indices) in enumerate(found if has_all else found[:1]):
        _draw(canvas, content, frame, indices, number)
        drawn.append(canvas.copy())
    return np.stack(drawn)


def _reason(bad: Exception) -> str:
    return str(bad) if isinstance(bad, _Damaged) else "Failed to read from given file"


def _invalid(content: bytes, reason: str) -> InvalidArgumentError:
    return InvalidArgumentError.of(f"Invalid GIF data (size {len(content)}), {reason}")


def _palette(content: bytes, place: int, flags: int) -> tuple[np.ndarray | None, int]:
    """The palette at `place`, if `flags` say that there is one, and the position after it."""
    if not flags & 0x80:
        return None, place
    size = 3 << (flags & 7) + 1
    if place + size > len(content):
        raise IndexError("the palette ends too early")
    return np.frombuffer(content, np.uint8, size, place).reshape(-1, 3), place + size


def _after_blocks(content: bytes, place: int) -> int:
    """The position after a sequence of blocks, which an empty block ends."""
    while content[place]:
        place += content[place] + 1
    return place + 1


def _frames(content: bytes) -> Iterator[Frame]:
    shared, place = _palette(content, 13, content[10])
    transparent: int | None = None
    while (kind := content[place]) != _TRAILER:
        if kind == _EXTENSION:
            if content[place + 1] == _GRAPHIC_CONTROL and transparent is None:
                is_set = content[place + 2] == 4 and content[place + 3] & 1
                transparent = content[place + 6] if is_set else -1
            place = _after_blocks(content, place + 2)
        elif kind == _IMAGE:
            left, top, width, height, flags = struct.unpack_from("<4HB", content, place + 1)
            own, start = _palette(content, place + 10, flags)
            if not width * height:
                raise _invalid(content, "failed to slurp gif file: Unknown error")
            place = _after_blocks(content, start + 1)
            palette = shared if own is None else own
            yield Frame(left, top, width, height, palette, transparent, bool(flags & 0x40), start, place)
            transparent = None
        else:
            raise _Damaged("Wrong record type detected")


def _indices(content: bytes, frame: Frame) -> np.ndarray:
    """The indices into the palette, uint8 [height, width]."""
    bits = content[frame.start]
    data = content[frame.start + 1 : frame.end]
    is_plausible = 0 < bits <= _MOST_BITS
    if is_plausible and frame.width * frame.height <= len(data) * 8 // _LEAST_BITS * _MOST_OF_CODE:
        try:
            size = frame.width, frame.height
            return np.asarray(pillow().frombytes("P", size, data, "gif", bits, frame.is_interlaced, -1))
        except (ValueError, OSError) as bad:
            raise _invalid(content, "failed to slurp gif file: Image is defective, decoding aborted") from bad
    raise _invalid(content, "failed to slurp gif file: Image is defective, decoding aborted")


def _draw(canvas: np.ndarray, content: bytes, frame: Frame, indices: np.ndarray, number: int) -> None:
    """Draws the opaque pixels of a frame onto `canvas`."""
    if frame.palette is None:
        raise _invalid(content, f"missing color map for frame {number}")
    target = canvas[frame.top : frame.top + frame.height, frame.left : frame.left + frame.width]
    seen = indices[: target.shape[0], : target.shape[1]]
    is_opaque = np.ones(seen.shape, bool) if frame.transparent is None else seen != frame.transparent
    highest = int(np.max(seen, initial=0, where=is_opaque))
    if highest >= len(frame.palette):
        raise _invalid(content, f"found color index {highest} outside of color map range {len(frame.palette)}")
    np.copyto(target, frame.palette[np.where(is_opaque, seen, 0)], where=is_opaque[..., None])
