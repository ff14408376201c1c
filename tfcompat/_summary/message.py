"""The messages of summaries: `tf.compat.v1.Summary`, `SummaryMetadata` and `Event`, classes of the package protobuf."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

from tfcompat._data.format.descriptor import Fields, message_classes
from tfcompat._data.format.record_iterator import tf_record_iterator
from tfcompat._data.format.stored_message import TENSOR_FIELDS

_FILE = "tensorflow/core/util/event.proto"
_MODULE = "tfcompat.compat.v1"
# Parts that this package neither writes nor reads are bytes.
_MESSAGES: dict[str, Fields] = {
    "TensorShapeProto": (("dim", 2, "TensorShapeProto.Dim*"), ("unknown_rank", 3, "bool")),
    "TensorShapeProto.Dim": (("size", 1, "int64"), ("name", 2, "string")),
    "TensorProto": TENSOR_FIELDS,
    "SummaryMetadata": (
        ("plugin_data", 1, "SummaryMetadata.PluginData"),
        ("display_name", 2, "string"),
        ("summary_description", 3, "string"),
        ("data_class", 4, "int32"),
    ),
    "SummaryMetadata.PluginData": (("plugin_name", 1, "string"), ("content", 2, "bytes")),
    "HistogramProto": (
        ("min", 1, "double"),
        ("max", 2, "double"),
        ("num", 3, "double"),
        ("sum", 4, "double"),
        ("sum_squares", 5, "double"),
        ("bucket_limit", 6, "double*"),
        ("bucket", 7, "double*"),
    ),
    "Summary": (("value", 1, "Summary.Value*"),),
    "Summary.Image": (
        ("height", 1, "int32"),
        ("width", 2, "int32"),
        ("colorspace", 3, "int32"),
        ("encoded_image_string", 4, "bytes"),
    ),
    "Summary.Audio": (
        ("sample_rate", 1, "float"),
        ("num_channels", 2, "int64"),
        ("length_frames", 3, "int64"),
        ("encoded_audio_string", 4, "bytes"),
        ("content_type", 5, "string"),
    ),
    "Summary.Value": (
        ("node_name", 7, "string"),
        ("tag", 1, "string"),
        ("metadata", 9, "SummaryMetadata"),
        ("simple_value", 2, "float"),
        ("obsolete_old_style_histogram", 3, "bytes"),
        ("image", 4, "Summary.Image"),
        ("histo", 5, "HistogramProto"),
        ("audio", 6, "Summary.Audio"),
        ("tensor", 8, "TensorProto"),
    ),
    "SourceMetadata": (("writer", 1, "string"),),
    "Event": (
        ("wall_time", 1, "double"),
        ("step", 2, "int64"),
        ("file_version", 3, "string"),
        ("graph_def", 4, "bytes"),
        ("summary", 5, "Summary"),
        ("meta_graph_def", 9, "bytes"),
        ("source_metadata", 10, "SourceMetadata"),
    ),
}
_CHOICES = {"Summary.Value": "value", "Event": "what"}
_BESIDE = {"Summary.Value": ("node_name", "tag", "metadata"), "Event": ("wall_time", "step", "source_metadata")}


# Those that users make.
PUBLIC = ("Event", "HistogramProto", "Summary", "SummaryMetadata")


def with_messages(namespace: str, absence: Callable[[str], Any]) -> Callable[[str], Any]:
    """The `__getattr__` of a public module that has the messages, which are made when one is first used.

    `absence` is called for other names.
    """

    def __getattr__(name: str) -> Any:
        if name not in PUBLIC:
            return absence(name)
        vars(sys.modules[namespace]).update({public: messages()[public] for public in PUBLIC})
        return messages()[name]

    return __getattr__


def summary_iterator(path: Any) -> Iterator[Any]:
    """The messages `tf.compat.v1.Event` in the file `path`.

    Raises: the errors of `tf.compat.v1.io.tf_record_iterator`.
    Source: TF 2.21 `tf.compat.v1.train.summary_iterator`.
    """
    return map(messages()["Event"].FromString, tf_record_iterator(path))


@functools.cache
def messages() -> dict[str, type[Any]]:
    """The classes of the messages, by name."""
    found = message_classes(_FILE, _MESSAGES, _CHOICES, _BESIDE)
    for name, made in found.items():
        if "." not in name:
            # Where copies by `pickle` look for it.
            made.__module__ = _MODULE
            made.__doc__ = f"The message `tensorflow.{name}`.\n\nSource: TF 2.21 `tf.compat.v1.{name}`."
    return found


def is_summary(content: bytes) -> bool:
    """Whether `content` is a message `Summary`."""
    return _is_message("Summary", content)


def is_metadata(content: bytes) -> bool:
    """Whether `content` is a message `SummaryMetadata`."""
    return _is_message("SummaryMetadata", content)


def _is_message(name: str, content: bytes) -> bool:
    from google.protobuf.message import DecodeError

    try:
        messages()[name].FromString(content)
    except DecodeError:
        return False
    return True
