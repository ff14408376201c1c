"""The markers of a JPEG file, as far as its size and its kind of colours need them."""

from __future__ import annotations

import re
from typing import NamedTuple

_START_OF_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_START_OF_SCAN, _END, _ADOBE = 0xDA, 0xD9, 0xEE
# A marker among compressed pixels: 0xff before a 0 is a part of them, and so are the markers of restarts.
_MARKER = re.compile(rb"\xff+[^\x00\xd0-\xd7\xff]")


class Header(NamedTuple):
    """A file: `place` is the position of its height, which its width follows.

    `has_pixels` says whether a scan begins, and `is_whole`, whether the file has an end.
    """

    place: int
    height: int
    width: int
    components: int
    has_adobe: bool
    has_pixels: bool
    is_whole: bool


def header(content: bytes) -> Header | None:
    """The header of the file `content`; None if it has none before its first pixels."""
    place, size, components, has_adobe, has_pixels = 0, 2, 0, False, False
    found = None
    while (marker := _MARKER.search(content, size)) is not None:
        kind, size = content[marker.end() - 1], marker.end()
        if kind == _END:
            break
        length = int.from_bytes(content[size : size + 2])
        body = content[size + 2 : size + length] if length > 2 else b""
        if kind in _START_OF_FRAME and found is None and len(body) >= 6:
            place, components = size + 3, body[5]
            found = int.from_bytes(body[1:3]), int.from_bytes(body[3:5])
        elif kind == _ADOBE and body[:5] == b"Adobe" and len(body) >= 12:
            has_adobe = True
        elif kind == _START_OF_SCAN:
            has_pixels = has_pixels or 2 < length <= len(content) - size
        size += max(length, 2)
    if found is None:
        return None
    return Header(place, *found, components, has_adobe, has_pixels, marker is not None)
