"""The messages of structures by their names, as in `tensorflow.core.protobuf.struct_pb2`."""

from __future__ import annotations

from typing import Any

from tfcompat._saved_model.messages.message import messages

_NAMES = {"NoneValue": "Nothing"} | dict.fromkeys(
    (
        *("BoundedTensorSpecProto", "DictValue", "ListValue", "NamedTupleValue", "PairValue", "StructuredValue"),
        *("TensorSpecProto", "TupleValue", "TypeSpecProto"),
    ),
    "",
)


def __getattr__(name: str) -> Any:
    """The class of the message `name`. Raises AttributeError for another name."""
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return messages()[_NAMES[name] or name]
