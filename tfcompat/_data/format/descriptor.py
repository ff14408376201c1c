"""Classes of protobuf messages, made of tables at run time, in pools of their own.

TensorFlow's messages of the same names may be loaded in the same process.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tfcompat._jaxpr.postponement import postponed

# Fields of a message: name, number, and the type: a message or one of protobuf's. A star is put after the type of a
# repeated field, `map ` before the type of the values of a map, whose keys are strings.
Fields = Sequence[tuple[str, int, str]]
PACKAGE = "tensorflow"


def message_classes(
    file: str,
    messages: Mapping[str, Fields],
    one_of: Mapping[str, str] | None = None,
    beside: Mapping[str, Collection[str]] | None = None,
) -> dict[str, type[Any]]:
    """The classes of `messages`, by name; a message `A.B` is nested in `A`, which comes before it.

    `one_of` has the name of the choice that the fields of a message are of, except those in `beside`.
    """
    with postponed():  # a signal handler that needs it must not find half of it
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    choices, others = one_of or {}, beside or {}
    described = descriptor_pb2.FileDescriptorProto(name=file, package=PACKAGE, syntax="proto3")
    added_messages: dict[str, Any] = {}
    for name, fields in messages.items():
        outer, _, own = name.rpartition(".")
        parts = added_messages[outer].nested_type if outer else described.message_type
        message = added_messages[name] = parts.add(name=own)
        if name in choices:
            message.oneof_decl.add(name=choices[name])
        for field, number, kind in fields:
            added = _add_field(message, field, number, kind, messages)
            if name in choices and field not in others.get(name, ()):
                added.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(described.SerializeToString())
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}")) for name in messages}


def _add_field(described: Any, name: str, number: int, kind: str, messages: Mapping[str, Fields]) -> Any:
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
        value = entry.field.add(name="value", number=2, label=kinds.LABEL_OPTIONAL)
        if of in messages:
            value.type, value.type_name = kinds.TYPE_MESSAGE, f".{PACKAGE}.{of}"
        else:
            value.type = getattr(kinds, f"TYPE_{of.upper()}")
        field.type, field.type_name = kinds.TYPE_MESSAGE, f".{PACKAGE}.{described.name}.{entry.name}"
    elif of in messages:
        field.type, field.type_name = kinds.TYPE_MESSAGE, f".{PACKAGE}.{of}"
    else:
        field.type = getattr(kinds, f"TYPE_{of.upper()}")
        if is_repeated and of not in ("bytes", "string"):
            field.options.packed = True
    return field
