"""The states of TensorFlow's kernels for datasets, as the messages in checkpoints.

The state of a kernel is a name and some values, each under a key. The values are in one compressed block.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.system.error import DataLossError
from tfcompat._core.types.dtype import DType, as_dtype, int64, string, variant
from tfcompat._data.blocks.host_value import Array
from tfcompat._data.format.snappy import compressed_block, decompressed
from tfcompat._data.format.stored_message import parsed, stored_messages

DELIMITER = b"@@"
_ITERATOR = "tensorflow::Iterator"
_COMPRESSED = "tensorflow.data.CompressedElement"


class Part(NamedTuple):
    """A value of a kernel: its dtype, its shape, and its content."""

    dtype: DType
    shape: tuple[int, ...]
    content: bytes

    @property
    def integer(self) -> int | None:
        """A scalar of dtype int64; None for other values."""
        if self.dtype is not int64 or self.shape or len(self.content) != np.dtype(np.int64).itemsize:
            return None
        return int.from_bytes(self.content, "little", signed=True)


class KernelMessage:
    """The state of a kernel in `text`, a message `VariantTensorDataProto`; `subject` is named in errors.

    Attributes:
      name: the names of the kernels around it and its own, perhaps behind a prefix.
      keys: the keys of its values.

    Raises: DataLossError for a message of another form.
    """

    def __init__(self, text: bytes, subject: str) -> None:
        self._message = parsed("VariantTensorDataProto", text, subject)
        self._subject = subject
        self.name, *self.keys = self._message.metadata.split(DELIMITER)
        if self._message.type_name != _ITERATOR or not self.name:
            raise self._corrupted("a part of it has no name")

    def parts(self) -> dict[bytes, Part]:
        """The values by key. Raises DataLossError if they are corrupted."""
        tensors = self._message.tensors
        if len(tensors) != 1 or len(tensors[0].variant_val) != 1:
            raise self._corrupted("its numbers are missing")
        element = parsed("CompressedElement", tensors[0].variant_val[0].metadata, self._subject)
        if len(element.component_metadata) != len(self.keys):
            raise self._corrupted(f"it has {len(self.keys)} names for other values")
        content, start = decompressed(element.data), 0
        found: dict[bytes, Part] = {}
        for key, each in zip(self.keys, element.component_metadata, strict=True):
            size = sum(each.uncompressed_bytes)
            shape = tuple(dim.size for dim in each.tensor_shape.dim)
            found[key] = Part(_dtype(each.dtype), shape, content[start : start + size])
            start += size
        if start != len(content):
            raise self._corrupted(f"it has {len(content)} bytes instead of {start}")
        return found

    def _corrupted(self, problem: str) -> DataLossError:
        return DataLossError.of(f"{self._subject} is corrupted: {problem}")


def _dtype(number: int) -> DType:
    """The dtype with a number; `variant` for a number that no dtype has."""
    try:
        return as_dtype(number)
    except TypeError:
        return variant


def kernel_message(name: str, values: Mapping[str, int | bytes | tuple[Array, DType]]) -> bytes:
    """The state `values` of the kernel `name`. Arrays of numbers or strings come with their dtypes."""
    element = stored_messages()["CompressedElement"]()
    content: list[bytes] = []
    for value in values.values():
        dtype, shape, texts = _content(value)
        content += texts
        element.component_metadata.add(
            dtype=dtype.as_datatype_enum,
            tensor_shape={"dim": [{"size": size} for size in shape]},
            uncompressed_bytes=[len(text) for text in texts],
        )
    element.data = compressed_block(b"".join(content))
    held: Any = {"type_name": _COMPRESSED, "metadata": element.SerializeToString()}
    tensor: Any = {"dtype": variant.as_datatype_enum, "tensor_shape": {}, "variant_val": [held]}
    metadata = DELIMITER.join([name.encode(), *[key.encode() for key in values]])
    message = stored_messages()["VariantTensorDataProto"](type_name=_ITERATOR, metadata=metadata, tensors=[tensor])
    return message.SerializeToString()


def _content(value: int | bytes | tuple[Array, DType]) -> tuple[DType, tuple[int, ...], list[bytes]]:
    """The dtype, the shape and the content of a value: one string of bytes, or one for each string."""
    if isinstance(value, bytes):
        return string, (), [value]
    array, dtype = (np.array(value, np.int64), int64) if isinstance(value, int) else value
    if array.dtype == object:
        texts: list[Any] = array.ravel().tolist()
        return dtype, array.shape, texts
    return dtype, array.shape, [np.ascontiguousarray(array).tobytes()]
