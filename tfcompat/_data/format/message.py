"""The messages of examples: `tf.train.Example` and its parts, which are classes of the package protobuf.

Their descriptors are made at run time, in a pool of their own: TensorFlow's messages of the same names may be loaded in
the same process.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

_FILE = "tensorflow/core/example/example.proto"
_PACKAGE = "tensorflow"
_MODULE = "tfcompat.train"
# Field: name, number, and the type: a message, or one of protobuf's with a star for a repeated field.
_MESSAGES: dict[str, tuple[tuple[str, int, str], ...]] = {
    "BytesList": (("value", 1, "bytes*"),),
    "FloatList": (("value", 1, "float*"),),
    "Int64List": (("value", 1, "int64*"),),
    "Feature": (("bytes_list", 1, "BytesList"), ("float_list", 2, "FloatList"), ("int64_list", 3, "Int64List")),
    "Features": (("feature", 1, "map Feature"),),
    "FeatureList": (("feature", 1, "Feature*"),),
    "FeatureLists": (("feature_list", 1, "map FeatureList"),),
    "Example": (("features", 1, "Features"),),
    "SequenceExample": (("context", 1, "Features"), ("feature_lists", 2, "FeatureLists")),
}
MESSAGES = tuple(_MESSAGES)
# The field of Feature of which a message has only one.
_ONE_OF, _CHOICE = "Feature", "kind"


def with_messages(namespace: str, absence: Callable[[str], Any]) -> Callable[[str], Any]:
    """The `__getattr__` of a public module that has the messages, which are made when one is first used.

    `absence` is called for other names.
    """

    def __getattr__(name: str) -> Any:
        if name not in MESSAGES:
            return absence(name)
        vars(sys.modules[namespace]).update(messages())
        return messages()[name]

    return __getattr__


@functools.cache
def messages() -> dict[str, type[Any]]:
    """The classes of the messages, by name."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name=_FILE, package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        described = file.message_type.add(name=name)
        if name == _ONE_OF:
            described.oneof_decl.add(name=_CHOICE)
        for field, number, kind in fields:
            _add_field(described, field, number, kind)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    found = {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in MESSAGES
    }
    for name, made in found.items():
        # Where copies by `pickle` look for it.
        made.__module__ = _MODULE
        made.__doc__ = f"The message `tensorflow.{name}`.\n\nSource: TF 2.21 `tf.train.{name}`."
    return found


def _add_field(described: Any, name: str, number: int, kind: str) -> None:
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto as kinds

    is_map, is_repeated = kind.startswith("map "), kind.endswith("*")
    of = kind.removeprefix("map ").removesuffix("*")
    field = described.field.add(
        name=name, number=number, label=kinds.LABEL_REPEATED if is_map or is_repeated else kinds.LABEL_OPTIONAL
    )
    if is_map:
        # A map is a list of messages with a key and a value, nested in the message that has it.
        entry = described.nested_type.add(name=f"{name.title().replace('_', '')}Entry")
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, label=kinds.LABEL_OPTIONAL, type=kinds.TYPE_STRING)
        entry.field.add(
            name="value",
            number=2,
            label=kinds.LABEL_OPTIONAL,
            type=kinds.TYPE_MESSAGE,
            type_name=f".{_PACKAGE}.{of}",
        )
        field.type, field.type_name = kinds.TYPE_MESSAGE, f".{_PACKAGE}.{described.name}.{entry.name}"
    elif of in _MESSAGES:
        field.type, field.type_name = kinds.TYPE_MESSAGE, f".{_PACKAGE}.{of}"
        if described.name == _ONE_OF:
            field.oneof_index = 0
    else:
        field.type = {"bytes": kinds.TYPE_BYTES, "float": kinds.TYPE_FLOAT, "int64": kinds.TYPE_INT64}[of]
        if of != "bytes":
            field.options.packed = True
