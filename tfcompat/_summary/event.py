"""The records of event files: TensorFlow's message `Event`, in the wire format of protocol buffers."""

from __future__ import annotations

import functools
import struct
from typing import NamedTuple

from tfcompat._ops.text.tensor_message import field, number_field

# Numbers of fields: of Event,
_WALL_TIME, _STEP, _FILE_VERSION, _GRAPH, _SUMMARY, _SOURCE = 1, 2, 3, 4, 5, 10
# of SourceMetadata, Summary and its Value,
_WRITER, _VALUE, _TAG, _TENSOR, _METADATA = 1, 1, 1, 8, 9
# and of SummaryMetadata and its PluginData.
_PLUGIN, _DESCRIPTION, _PLUGIN_NAME, _CONTENT = 1, 3, 1, 2
_TIME = struct.Struct("<Bd")
_DOUBLE = 1
_ALL_BITS = (1 << 64) - 1


class Label(NamedTuple):
    """The tag of a value, and the message `SummaryMetadata`, if it has one."""

    tag: bytes
    metadata: bytes | None


def first_event(wall_time: float) -> bytes:
    """The event at the start of each file."""
    source = field(_SOURCE, field(_WRITER, b"tensorflow.core.util.events_writer"))
    return event(wall_time, 0, field(_FILE_VERSION, b"brain.Event:2") + source)


def event(wall_time: float, step: int, content: bytes) -> bytes:
    """An event with one of the messages that it may have."""
    head = _TIME.pack(_WALL_TIME << 3 | _DOUBLE, wall_time)
    return (head + number_field(_STEP, step & _ALL_BITS) if step else head) + content


def graph_content(graph: bytes) -> bytes:
    """The content of an event: a message `GraphDef`."""
    return field(_GRAPH, graph)


def summary_content(summary: bytes) -> bytes:
    """The content of an event: a message `Summary`."""
    return field(_SUMMARY, summary)


def tensor_content(label: Label, tensor: bytes) -> bytes:
    """The content of an event: a summary of one value, the message `TensorProto`."""
    tag, metadata = _parts(label)
    return field(_SUMMARY, field(_VALUE, tag + field(_TENSOR, tensor) + metadata))


@functools.lru_cache(maxsize=4096)
def _parts(label: Label) -> tuple[bytes, bytes]:
    tag = field(_TAG, label.tag) if label.tag else b""
    return tag, b"" if label.metadata is None else field(_METADATA, label.metadata)


@functools.lru_cache(maxsize=1024)
def metadata_of(plugin: str, description: str | None, content: bytes = b"") -> bytes:
    """The message `SummaryMetadata` for a plugin of TensorBoard.

    Raises: TypeError if the description is not a string.
    """
    if description is not None and not isinstance(description, str):
        raise TypeError(f"tf.summary: description must be a string, got {description!r}.")
    data = field(_PLUGIN_NAME, plugin.encode()) + (field(_CONTENT, content) if content else b"")
    return field(_PLUGIN, data) + (field(_DESCRIPTION, description.encode()) if description else b"")
