"""Examples in JSON: `tf.io.decode_json_example`."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from typing import Any

from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._data.format.message import messages
from tfcompat._ops.text.element import mapped

_FEATURE_NUMBER = {"bytes_list": 1, "float_list": 2, "int64_list": 3}
_MOST_UNSIGNED = 0xFFFF_FFFF_FFFF_FFFF


def decode_json_example(json_examples: Any, name: str | None = None) -> Any:
    """The `tf.train.Example` messages that `json_examples` hold in JSON, in the binary format.

    Shapes: [*dims] -> same.
    Dtypes: string -> string.
    Gradient: None.
    Raises: InvalidArgumentError if a string is not the JSON of an example.
    Source: TF 2.21 `tf.io.decode_json_example`.
    """
    del name
    return mapped("io.decode_json_example", _decoded, json_examples)


def _decoded(text: bytes) -> bytes:
    from google.protobuf import json_format

    try:
        example = json_format.Parse(text, messages()["Example"]())
        keys = list(_first(_first(json.loads(text), "features"), "feature"))
    except (json_format.ParseError, RecursionError, ValueError) as bad:
        raise InvalidArgumentError.of(f"tf.io.decode_json_example: Error while parsing JSON: {bad}") from bad
    if not example.HasField("features"):
        return b""
    # In the order of the JSON, and numbers with a tag each, as TensorFlow writes them.
    features = example.features.feature
    return _field(1, b"".join(_field(1, _field(1, key.encode()) + _field(2, _feature(features[key]))) for key in keys))


def _first(value: Any, key: str) -> Any:
    return value.get(key) or {}


def _feature(feature: Any) -> bytes:
    kind = feature.WhichOneof("kind")
    if kind is None:
        return b""
    values = getattr(feature, kind).value
    return _field(_FEATURE_NUMBER[kind], b"".join(_listed(values, kind)))


def _listed(values: Iterable[Any], kind: str) -> Iterable[bytes]:
    if kind == "bytes_list":
        return (_field(1, value) for value in values)
    if kind == "float_list":
        return (b"\x0d" + struct.pack("<f", value) for value in values)
    return (b"\x08" + _varint(value & _MOST_UNSIGNED) for value in values)


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
