"""Reads files of events, without the code that writes them."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, NamedTuple

_WALL_TIME = struct.Struct("<Bd")
_DOUBLE, _BYTES = 1, 2


class Event(NamedTuple):
    """An event: its time, its step, and the rest of the message."""

    wall_time: float
    step: int
    content: bytes

    def values(self) -> list[tuple[str, bytes]]:
        """The tags of its summary, each with the bytes of the tensor."""
        [summary] = fields(self.content).get(5, [b""])
        found = [fields(value) for value in fields(summary).get(1, [])]
        return [(value.get(1, [b""])[0].decode(), value.get(8, [b""])[0]) for value in found]

    def tag(self) -> str:
        """The tag of its only value."""
        [(tag, _)] = self.values()
        return tag

    def number(self) -> float:
        """The number of a scalar summary."""
        [(_, tensor)] = self.values()
        [content] = fields(tensor)[4]
        return struct.unpack("<f", content)[0]

    def texts(self) -> list[bytes]:
        """The strings of its only value."""
        [(_, tensor)] = self.values()
        return fields(tensor).get(8, [])


def fields(message: bytes) -> dict[int, list[Any]]:
    """The fields of a message of protocol buffers, by number."""
    found: dict[int, list[Any]] = {}
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        value: Any
        if key & 7 == _BYTES:
            size, place = _varint(message, place)
            value, place = message[place : place + size], place + size
        elif key & 7 == _DOUBLE:
            value, place = message[place : place + 8], place + 8
        elif key & 7 == 0:
            value, place = _varint(message, place)
        else:
            value, place = message[place : place + 4], place + 4
        found.setdefault(key >> 3, []).append(value)
    return found


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place


def files(folder: Any) -> list[Path]:
    """The files of events in `folder`, the oldest first."""
    return sorted(Path(folder).glob("events.out.tfevents.*"), key=lambda path: int(path.name.rsplit(".", 2)[1]))


def events(folder: Any) -> list[Event]:
    """The events in all files of `folder`, except the first of each file."""
    return [event for path in files(folder) for event in records(path)[1:]]


def records(path: Path) -> list[Event]:
    """All events of a file."""
    data = path.read_bytes()
    found = []
    place = 0
    while place < len(data):
        [size] = struct.unpack_from("<Q", data, place)
        message = data[place + 12 : place + 12 + size]
        assert len(message) == size, "the last record is cut"
        _, wall_time = _WALL_TIME.unpack_from(message)
        step, rest = 0, _WALL_TIME.size
        if message[rest : rest + 1] == b"\x10":
            step, rest = _varint(message, rest + 1)
        found.append(Event(wall_time, step - (1 << 64) if step >> 63 else step, message[rest:]))
        place += size + 16
    return found


def scalars(folder: Any) -> list[tuple[str, int, float]]:
    """The tag, the step and the number of each scalar summary in `folder`."""
    return [(event.tag(), event.step, event.number()) for event in events(folder)]
