"""The places of iterators as bytes, for checkpoints.

A place is a tree of Python values, arrays and blocks. It is written as the list of its parts, in which the parts of a
container come before it; so a file of any content is read in one pass, without recursion.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import DataLossError
from tfcompat._core.types.dtype import as_dtype
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.host_value import HostParts, HostRagged, HostSparse
from tfcompat._data.format.descriptor import Fields, message_classes
from tfcompat._data.format.stored_message import decoding_errors
from tfcompat._data.format.stored_tensor import decoded, dense_bytes
from tfcompat._data.functional.origin import Origins
from tfcompat._data.nodes.node import Node

_FILE = "tensorflow/core/protobuf/place.proto"
_MESSAGES: dict[str, Fields] = {
    "PlacePart": (("kind", 1, "int32"), ("parts", 2, "int32*"), ("data", 3, "bytes"), ("name", 4, "string")),
    "Place": (("version", 1, "int32"), ("parts", 2, "PlacePart*")),
}
_VERSION = 1
_SUBJECT = "The place of an iterator"
# Classes of containers; functions that return the parts of one, and that make one of parts.
_CONTAINERS: list[tuple[type[Any], Callable[[Any], list[Any]], Callable[[list[Any]], Any]]] = [
    (list, list, list),
    (tuple, list, tuple),
    (dict, lambda value: [each for pair in value.items() for each in pair], lambda parts: _paired(parts)),
    (frozenset, list, frozenset),
    (Block, lambda value: [value.count, *value.columns], lambda parts: _block(parts)),
    (HostRagged, lambda value: [value.values, *value.splits], lambda parts: HostRagged(parts[0], tuple(parts[1:]))),
    (HostSparse, list, lambda parts: HostSparse(*parts)),
    (HostParts, lambda value: list(value.parts), lambda parts: HostParts(tuple(parts))),
]
_NONE, _FALSE, _TRUE, _INTEGER, _REAL, _TEXT, _BYTES, _ARRAY, _SCALAR, _TENSOR, _NODE, _FIRST = range(12)


@functools.cache
def _messages() -> dict[str, type[Any]]:
    return message_classes(_FILE, _MESSAGES)


def place_bytes(state: Any, origins: Origins) -> bytes:
    """The place `state` of an iterator of a dataset with `origins` as bytes.

    Raises: NotImplementedError for places with parts that have no form in a file, such as datasets.
    """
    place = _messages()["Place"](version=_VERSION)
    _Writing(place, origins).add(state)
    return place.SerializeToString()


class _Writing:
    def __init__(self, place: Any, origins: Origins) -> None:
        self._parts = place.parts
        self._origins = origins

    def add(self, value: Any) -> int:
        """Adds a value behind its parts, and returns its number."""
        for number, (kind, taken, _) in enumerate(_CONTAINERS, _FIRST):
            if type(value) is kind:
                parts = [self.add(part) for part in taken(value)]
                return self._added(number, parts=parts)
        if isinstance(value, Node):
            return self._added(_NODE, parts=[self.add(self._origins.parts_of(value))])
        return self._simple(value)

    def _simple(self, value: Any) -> int:
        if value is None or isinstance(value, bool):
            return self._added({None: _NONE, False: _FALSE, True: _TRUE}[value])
        if isinstance(value, int | np.integer):
            return self._added(_INTEGER, name=str(int(value)))
        if isinstance(value, float):
            return self._added(_REAL, name=value.hex())
        if isinstance(value, str):
            return self._added(_TEXT, data=value.encode(errors="surrogateescape"))
        if isinstance(value, bytes):
            return self._added(_BYTES, data=value)
        if isinstance(value, Tensor):
            return self._added(_TENSOR, data=dense_bytes(np.asarray(value), value.dtype))
        if isinstance(value, np.ndarray | np.generic):
            array = np.asarray(value)
            if array.dtype == object:
                # The free places of a buffer.
                array = np.where(array == None, b"", array)  # noqa: E711  # element by element
            kind = _ARRAY if isinstance(value, np.ndarray) else _SCALAR
            return self._added(kind, data=dense_bytes(array, as_dtype(array.dtype)))
        raise NotImplementedError(
            f"tf.train.Checkpoint: the place of this iterator holds a {type(value).__name__}, which checkpoints do not "
            "support; leave the iterator out of the checkpoint."
        )

    def _added(self, kind: int, **fields: Any) -> int:
        self._parts.add(kind=kind, **fields)
        return len(self._parts) - 1


def place_of(data: bytes, origins: Origins) -> Any:
    """The place in `data` of an iterator of a dataset with `origins`. Raises DataLossError for other bytes."""
    with decoding_errors(_SUBJECT):
        place = _messages()["Place"].FromString(data)
    if place.version != _VERSION or not place.parts:
        raise DataLossError.of(f"{_SUBJECT} was written by another version, or by another library")
    found: list[Any] = []
    is_used = bytearray(len(place.parts))
    for part in place.parts:
        for number in part.parts:
            # Each part belongs to one container: otherwise a small file could describe a large tree.
            if not 0 <= number < len(found) or is_used[number]:
                raise DataLossError.of(f"{_SUBJECT} is corrupted: its parts refer to each other")
            is_used[number] = 1
        try:
            parts = [found[number] for number in part.parts]
            found.append(origins.node_of(parts[0]) if part.kind == _NODE else _made(part, parts))
        except (TypeError, ValueError, IndexError, OverflowError) as bad:
            raise DataLossError.of(f"{_SUBJECT} is corrupted: {bad}") from bad
    if _has_tensor(found[-1]):
        raise DataLossError.of(f"{_SUBJECT} is corrupted: it has a tensor in place of an array")
    return found[-1]


def _made(part: Any, parts: list[Any]) -> Any:
    if part.kind >= _FIRST:
        return _CONTAINERS[part.kind - _FIRST][2](parts)
    if part.kind in (_ARRAY, _SCALAR, _TENSOR):
        dtype, array = decoded(part.data, _SUBJECT)
        if not isinstance(array, np.ndarray):
            raise ValueError("an array is not dense")
        if part.kind == _TENSOR:
            return convert_to_tensor(array, dtype)
        return array.copy() if part.kind == _ARRAY else array[()]
    simple: dict[int, Callable[[], Any]] = {
        _NONE: lambda: None,
        _FALSE: lambda: False,
        _TRUE: lambda: True,
        _INTEGER: lambda: int(part.name),
        _REAL: lambda: float.fromhex(part.name),
        _TEXT: lambda: part.data.decode(errors="surrogateescape"),
        _BYTES: lambda: part.data,
    }
    if part.kind not in simple:
        raise ValueError(f"no value has the kind {part.kind}")
    return simple[part.kind]()


def _paired(parts: list[Any]) -> dict[Any, Any]:
    pairs: Iterator[Any] = iter(parts)
    return dict(zip(pairs, pairs, strict=True))


def _block(parts: list[Any]) -> Block:
    count, *columns = parts
    if type(count) is not int or count < 1 or any(len(column) != count for column in columns):
        raise ValueError("a block has columns of different lengths")
    if not all(isinstance(column, list | np.ndarray) for column in columns):
        raise ValueError("a block has columns that are not arrays")
    return Block(tuple(columns), count)


def _has_tensor(value: Any) -> bool:
    """Whether `value` contains a tensor, except in a dataset: elements of iterators are arrays of NumPy."""
    ahead = [value]  # no recursion: files may nest values as deep as they like
    while ahead:
        value = ahead.pop()
        if isinstance(value, Tensor):
            return True
        ahead += next((taken(value) for kind, taken, _ in _CONTAINERS if type(value) is kind), [])
    return False
