"""The messages of checkpoints: the graph of objects, and the state of a folder of checkpoints."""

from __future__ import annotations

import functools
from typing import Any

from tfcompat._core.system.error import DataLossError
from tfcompat._data.format.descriptor import Fields, message_classes
from tfcompat._data.format.stored_message import decoding_errors

# The name of the tensor that holds the graph.
GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"

_FILE = "tensorflow/core/protobuf/checkpoint.proto"
_GRAPH: dict[str, Fields] = {
    "BoolValue": (("value", 1, "bool"),),
    "RegisteredSaver": (("name", 1, "string"), ("object_name", 2, "string")),
    "ObjectReference": (("node_id", 1, "int32"), ("local_name", 2, "string")),
    "SerializedTensor": (("name", 1, "string"), ("full_name", 2, "string"), ("checkpoint_key", 3, "string")),
    "SlotVariableReference": (
        ("original_variable_node_id", 1, "int32"),
        ("slot_name", 2, "string"),
        ("slot_variable_node_id", 3, "int32"),
    ),
    "TrackableObject": (
        ("children", 1, "ObjectReference*"),
        ("attributes", 2, "SerializedTensor*"),
        ("slot_variables", 3, "SlotVariableReference*"),
        ("registered_saver", 4, "RegisteredSaver"),
        ("has_checkpoint_values", 5, "BoolValue"),
    ),
    "TrackableObjectGraph": (("nodes", 1, "TrackableObject*"),),
}
_STATE: dict[str, Fields] = {
    "CheckpointState": (
        ("model_checkpoint_path", 1, "string"),
        ("all_model_checkpoint_paths", 2, "string*"),
        ("all_model_checkpoint_timestamps", 3, "double*"),
        ("last_preserved_timestamp", 4, "double"),
    ),
}


@functools.cache
def checkpoint_messages() -> dict[str, type[Any]]:
    """The classes of the messages, by name."""
    return message_classes(_FILE, {**_GRAPH, **_STATE})


def graph_of(data: bytes, subject: str) -> Any:
    """The message `TrackableObjectGraph` in `data`, whose references are checked.

    Raises: DataLossError, naming `subject`, for bytes of another form, and for references to nodes that do not exist.
    """
    with decoding_errors(subject):
        graph = checkpoint_messages()["TrackableObjectGraph"].FromString(data)
    count = len(graph.nodes)
    for node in graph.nodes:
        numbers = [child.node_id for child in node.children]
        for slot in node.slot_variables:
            numbers += [slot.original_variable_node_id, slot.slot_variable_node_id]
        if any(not 0 <= number < count for number in numbers):
            raise DataLossError.of(f"{subject} is corrupted: an object refers to one that does not exist")
    if not count:
        raise DataLossError.of(f"{subject} is corrupted: the graph of objects is empty")
    return graph


def text_of(message: Any) -> str:
    """`message` in protobuf's text format."""
    from google.protobuf import text_format

    return text_format.MessageToString(message)


def state_of(text: str) -> Any:
    """The message `CheckpointState` that `text` describes. Raises ValueError for text of another form."""
    from google.protobuf import text_format

    message = checkpoint_messages()["CheckpointState"]()
    try:
        return text_format.Merge(text, message)
    except text_format.ParseError as bad:
        raise ValueError(str(bad)) from bad
