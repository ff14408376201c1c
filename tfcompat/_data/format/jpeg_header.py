"""The segments of a JPEG file: its size, its kind of colours, and its end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_START_OF_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_START_OF_SCAN, _END, _JFIF, _ADOBE, _TEMPORARY = 0xDA, 0xD9, 0xE0, 0xEE, 0x01
# A marker among compressed pixels: 0xff before a 0 is a part of them, and so are the markers of restarts.
_MARKER = re.compile(rb"\xff+[^\x00\xd0-\xd7\xff]")


class Header(NamedTuple):
    """A file: `place` is the position of its height, which its width follows.

    `has_pixels` says whether a scan begins.
    """

    place: int
    height: int
    width: int
    components: int
    has_adobe: bool
    has_pixels: bool


def header(content: bytes) -> Header | None:
    """The header of the file `content`; None if it has none before its first pixels."""
    place, components, has_adobe, has_pixels = 0, 0, False, False
    found = None
    for kind, start, end in _segments(content):
        body = content[start + 2 : end]
        if kind in _START_OF_FRAME and found is None and len(body) >= 6:
            place, components = start + 3, body[5]
            found = int.from_bytes(body[1:3]), int.from_bytes(body[3:5])
        elif kind == _ADOBE and body[:5] == b"Adobe" and len(body) >= 12:
            has_adobe = True
        elif kind == _START_OF_SCAN:
            has_pixels = start + 2 < end <= len(content)
            break
    return None if found is None else Header(place, *found, components, has_adobe, has_pixels)


def has_end(content: bytes) -> bool:
    """Whether the file `content` has a marker of its end. This reads all of it."""
    return any(kind == _END for kind, _, _ in _segments(content))


def cleaned(content: bytes) -> bytes:
    """The file `content` without bytes between the segments before its first pixels, which readers skip."""
    found = bytearray(content[:2])
    for kind, start, end in _segments(content):
        found += bytes((0xFF, kind)) + content[start:end]
        if content[start + 2 : start + 7] == b"JFIF\0" and kind == _JFIF and start + 7 < end <= len(content):
            # Readers accept any version; simplejpeg only this one.
            found[len(found) - (end - start) + 7] = 1
        if kind == _START_OF_SCAN:
            return bytes(found + content[end:])
    return content


def _segments(content: bytes) -> Iterator[tuple[int, int, int]]:
    """The kinds of the segments, up to that of the end, and the positions of their lengths and of their ends."""
    end = 2
    while (marker := _MARKER.search(content, end)) is not None:
        kind, start = content[marker.end() - 1], marker.end()
        end = start
        if kind == _TEMPORARY:
            continue
        if kind != _END:
            end += max(int.from_bytes(content[start : start + 2]), 2)
        yield kind, start, end
        if kind == _END:
            return
