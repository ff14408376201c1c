"""Serialization of tensors: TensorFlow's message `TensorProto`, in the wire format of protocol buffers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.host_call import computed
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, ResourceExhaustedError, found_early
from tfcompat._core.types.dtype import ANY, COMPLEX, DType, as_dtype, bfloat16, bool_, float16, string
from tfcompat._ops.text.element import array_of, strings

# Numbers of fields.
_DTYPE, _SHAPE, _CONTENT, _STRINGS = 1, 2, 4, 8
_DIMENSION, _SIZE = 2, 1
# Kinds of values in the wire format.
_VARINT, _WORD, _BYTES, _HALF_WORD = 0, 1, 2, 5
# Numbers have at most ten bytes, of which 64 bits count; sizes have a sign.
_MOST_BYTES, _ALL_BITS, _SIGN = 10, (1 << 64) - 1, 1 << 63
# The lists of values that may replace the content, with the packing of each.
_FLOATS, _VARINTS = {5: "<f4", 6: "<f8", 9: "<f4", 12: "<f8"}, (7, 10, 11, 13, 16, 17)


class Field(NamedTuple):
    """A field of a message: its number, the kind of its value, and the value."""

    number: int
    kind: int
    value: Any


def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """The value of `tensor` as a string, which `tf.io.parse_tensor` reads.

    Shapes: any -> [].
    Dtypes: any -> string.
    Gradient: None.
    Source: TF 2.21 `tf.io.serialize_tensor`.
    """
    del name
    value = convert_to_tensor(tensor)

    def compute(array: np.ndarray) -> np.ndarray:
        return array_of([tensor_message(array, value.dtype)], ())

    return computed("io.serialize_tensor", compute, (value,), (), string)


@by_row("serialized", specs=lambda out_type, **_: TensorSpec(None, out_type))
def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """The tensor of `out_type` in the string `serialized`, which `tf.io.serialize_tensor` made.

    Shapes: [] -> that of the serialized tensor.
    Dtypes: string -> out_type.
    Raises: InvalidArgumentError if the string is not a scalar, is invalid, or holds a tensor of another dtype;
      ResourceExhaustedError for a shape beyond the memory.
    Source: TF 2.21 `tf.io.parse_tensor`.
    """
    del name
    text = strings("io.parse_tensor", serialized, "serialized")
    if text.ndim:
        raise InvalidArgumentError.of(f"tf.io.parse_tensor: Expected `serialized` to be a scalar, got {text.shape}.")
    wanted = as_dtype(out_type)
    try:
        found, array = _parsed(text.numpy())
    except (IndexError, OverflowError, TypeError, ValueError) as bad:
        raise found_early("tf.io.parse_tensor: Could not parse `serialized` as a tensor.") from bad
    except MemoryError as bad:
        raise ResourceExhaustedError.of("tf.io.parse_tensor: `serialized` has a shape beyond the memory.") from bad
    if found is not wanted:
        raise found_early(
            f"tf.io.parse_tensor: Type mismatch between parsed tensor ({found.name}) and dtype ({wanted.name})."
        )
    return Tensor(array)


def tensor_message(array: np.ndarray, dtype: DType) -> bytes:
    """`array`, of `dtype`, as a message `TensorProto`."""
    sizes = b"".join(field(_DIMENSION, number_field(_SIZE, size) if size else b"") for size in array.shape)
    head = number_field(_DTYPE, int(dtype)) + field(_SHAPE, sizes)
    if dtype is string:
        return head + b"".join(field(_STRINGS, text) for text in array.flat)
    return head + (field(_CONTENT, array.tobytes()) if array.size else b"")


def _varint(value: int) -> bytes:
    """A number in groups of seven bits, the lowest first."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def number_field(number: int, value: int) -> bytes:
    """The field `number` with a number that is not negative."""
    return _varint(number << 3 | _VARINT) + _varint(value)


def field(number: int, content: bytes) -> bytes:
    """The field `number` with bytes, a text or a message."""
    return _varint(number << 3 | _BYTES) + _varint(len(content)) + content


def _read_varint(message: bytes, place: int) -> tuple[int, int]:
    """A number, and the position after it."""
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value & _ALL_BITS, place
        if shift == 7 * _MOST_BYTES:
            raise ValueError("a number has more than ten bytes")


def _fields(message: bytes) -> Iterator[Field]:
    place = 0
    while place < len(message):
        tag, place = _read_varint(message, place)
        kind = tag & 7
        if kind == _VARINT:
            value, place = _read_varint(message, place)
        else:
            size = {_WORD: 8, _HALF_WORD: 4}.get(kind)
            if kind == _BYTES:
                size, place = _read_varint(message, place)
            if size is None or place + size > len(message):
                raise ValueError(f"no kind of value is {kind}, or it ends too early")
            value = message[place : place + size]
            place += size
        yield Field(tag >> 3, kind, value)


def _parsed(message: bytes) -> tuple[DType, np.ndarray]:
    """The dtype and the value of a tensor."""
    fields = list(_fields(message))
    dtype = as_dtype(next((part.value for part in fields if part.number == _DTYPE), 0))
    if dtype not in ANY:
        raise ValueError(f"no values are of {dtype}")
    shape = next((_sizes(part.value) for part in fields if part.number == _SHAPE), ())
    content = b"".join(part.value for part in fields if part.number == _CONTENT)
    if content:
        return dtype, np.frombuffer(content, dtype.as_numpy_dtype).reshape(shape).copy()
    return dtype, _filled(_listed(fields, dtype), shape)


def _sizes(message: bytes) -> tuple[int, ...]:
    dims = [{part.number: part.value for part in _fields(d.value)} for d in _fields(message) if d.number == _DIMENSION]
    sizes = tuple(dim.get(_SIZE, 0) for dim in dims)
    if any(size >= _SIGN for size in sizes):
        raise ValueError("a size is negative")
    return sizes


def _listed(fields: list[Field], dtype: DType) -> np.ndarray:
    """The values that are listed one by one."""
    if dtype is string:
        texts = [part.value for part in fields if part.number == _STRINGS]
        return array_of(texts, (len(texts),))
    floats = [(f.number, f.value) for f in fields if f.number in _FLOATS and f.kind != _VARINT]
    if floats:
        values = np.frombuffer(b"".join(value for _, value in floats), _FLOATS[floats[0][0]])
        return (values[::2] + 1j * values[1::2] if dtype in COMPLEX else values).astype(dtype.as_numpy_dtype)
    numbers = [one for part in fields if part.number in _VARINTS for one in _varints(part)]
    if dtype in (float16, bfloat16):
        return np.array(numbers, np.uint16).view(dtype.as_numpy_dtype)
    return np.array(numbers, np.uint64).astype(np.bool_ if dtype is bool_ else dtype.as_numpy_dtype)


def _varints(given: Field) -> list[int]:
    if given.kind == _VARINT:
        return [given.value]
    found: list[int] = []
    place = 0
    while place < len(given.value):
        value, place = _read_varint(given.value, place)
        found.append(value)
    return found


def _filled(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The values in `shape`; the last value fills the rest; without values, zeros or empty strings do."""
    size = math.prod(shape)
    if len(values) > size:
        raise ValueError(f"{len(values)} values do not fill the shape {shape}")
    if not len(values) and values.dtype != object:
        return np.zeros(shape, values.dtype)
    last = values[-1] if len(values) else b""
    filled = np.full(size, last, values.dtype)
    filled[: len(values)] = values
    return filled.reshape(shape)
