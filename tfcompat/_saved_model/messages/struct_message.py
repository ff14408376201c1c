"""The messages of structures by their names, as in `tensorflow.core.protobuf.struct_pb2`."""

from __future__ import annotations

from typing import Any

from tfcompat._saved_model.messages.message import messages

_SAME = (
    *("BoundedTensorSpecProto", "DictValue", "ListValue", "NamedTupleValue", "PairValue", "StructuredValue"),
    *("TensorSpecProto", "TupleValue", "TypeSpecProto"),
)
# By TensorFlow's name of a message, the name here.
_NAMES = {"NoneValue": "Nothing"} | {name: name for name in _SAME}


def __getattr__(name: str) -> Any:
    """The class of the message `name`. Raises AttributeError for another name."""
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return messages()[_NAMES[name]]
