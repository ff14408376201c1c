"""The messages of examples: `tf.train.Example` and its parts, which are classes of the package protobuf."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from tfcompat._data.format.descriptor import Fields, message_classes

_FILE = "tensorflow/core/example/example.proto"
_MODULE = "tfcompat.train"
_MESSAGES: dict[str, Fields] = {
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
    found = message_classes(_FILE, _MESSAGES, {"Feature": "kind"})
    for name, made in found.items():
        # Where copies by `pickle` look for it.
        made.__module__ = _MODULE
        made.__doc__ = f"The message `tensorflow.{name}`.\n\nSource: TF 2.21 `tf.train.{name}`."
    return found
