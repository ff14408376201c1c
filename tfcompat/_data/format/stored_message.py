"""The messages in the files of saved datasets and of caches: tensors, types of elements, indices."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Generator
from typing import Any

from tfcompat._core.system.error import DataLossError
from tfcompat._data.format.descriptor import Fields, message_classes

_FILE = "tensorflow/core/protobuf/stored.proto"
_SHAPE: dict[str, Fields] = {
    "Dim": (("size", 1, "int64"), ("name", 2, "string")),
    "TensorShapeProto": (("dim", 2, "Dim*"), ("unknown_rank", 3, "bool")),
}
# The fields of `TensorProto` for numbers and strings.
TENSOR_FIELDS: Fields = (
    ("dtype", 1, "int32"),
    ("tensor_shape", 2, "TensorShapeProto"),
    ("version_number", 3, "int32"),
    ("tensor_content", 4, "bytes"),
    ("float_val", 5, "float*"),
    ("double_val", 6, "double*"),
    ("int_val", 7, "int32*"),
    ("string_val", 8, "bytes*"),
    ("scomplex_val", 9, "float*"),
    ("int64_val", 10, "int64*"),
    ("bool_val", 11, "bool*"),
    ("dcomplex_val", 12, "double*"),
    ("half_val", 13, "int32*"),
    ("uint32_val", 16, "uint32*"),
    ("uint64_val", 17, "uint64*"),
)
_TENSOR: dict[str, Fields] = {
    "TensorProto": (*TENSOR_FIELDS, ("variant_val", 15, "VariantTensorDataProto*")),
    "VariantTensorDataProto": (("type_name", 1, "string"), ("metadata", 2, "bytes"), ("tensors", 3, "TensorProto*")),
}
_TYPE: dict[str, Fields] = {
    "Nothing": (),
    "TensorSpecProto": (("name", 1, "string"), ("shape", 2, "TensorShapeProto"), ("dtype", 3, "int32")),
    "BoundedTensorSpecProto": (
        *(("name", 1, "string"), ("shape", 2, "TensorShapeProto"), ("dtype", 3, "int32")),
        *(("minimum", 4, "TensorProto"), ("maximum", 5, "TensorProto")),
    ),
    "TypeSpecProto": (
        ("type_spec_class", 1, "int32"),
        ("type_state", 2, "StructuredValue"),
        ("type_spec_class_name", 3, "string"),
        ("num_flat_components", 4, "int32"),
    ),
    "StructuredValue": (
        ("none_value", 1, "Nothing"),
        ("float64_value", 11, "double"),
        ("int64_value", 12, "sint64"),
        ("string_value", 13, "string"),
        ("bool_value", 14, "bool"),
        ("tensor_shape_value", 31, "TensorShapeProto"),
        ("tensor_dtype_value", 32, "int32"),
        ("tensor_spec_value", 33, "TensorSpecProto"),
        ("type_spec_value", 34, "TypeSpecProto"),
        ("bounded_tensor_spec_value", 35, "BoundedTensorSpecProto"),
        ("list_value", 51, "ListValue"),
        ("tuple_value", 52, "TupleValue"),
        ("dict_value", 53, "DictValue"),
        ("named_tuple_value", 54, "NamedTupleValue"),
        ("tensor_value", 55, "TensorProto"),
        ("numpy_value", 56, "TensorProto"),
    ),
    "ListValue": (("values", 1, "StructuredValue*"),),
    "TupleValue": (("values", 1, "StructuredValue*"),),
    "DictValue": (("fields", 1, "map StructuredValue"),),
    "PairValue": (("key", 1, "string"), ("value", 2, "StructuredValue")),
    "NamedTupleValue": (("name", 1, "string"), ("values", 2, "PairValue*")),
}
# The messages of values and of their types.
VALUE_MESSAGES = {**_SHAPE, **_TENSOR, **_TYPE}
_INDEX: dict[str, Fields] = {
    "SnapshotMetadataRecord": (
        ("graph_hash", 1, "string"),
        ("run_id", 2, "string"),
        ("creation_timestamp", 3, "int64"),
        ("version", 4, "int64"),
        ("dtype", 5, "int32*"),
        ("num_elements", 6, "int64"),
        ("finalized", 1000, "bool"),
    ),
    "VersionDef": (("producer", 1, "int32"), ("min_consumer", 2, "int32")),
    "BundleHeaderProto": (("num_shards", 1, "int32"), ("endianness", 2, "int32"), ("version", 3, "VersionDef")),
    "BundleEntryProto": (
        ("dtype", 1, "int32"),
        ("shape", 2, "TensorShapeProto"),
        ("shard_id", 3, "int32"),
        ("offset", 4, "int64"),
        ("size", 5, "int64"),
        ("crc32c", 6, "fixed32"),
        ("slices", 7, "TensorSliceProto*"),
    ),
    "TensorSliceProto": (("extent", 1, "Extent*"),),
    "Extent": (("start", 1, "int64"), ("length", 2, "int64")),
    "CompressedElement": (
        ("data", 1, "bytes"),
        ("component_metadata", 2, "CompressedComponentMetadata*"),
        ("version", 3, "int32"),
    ),
    "CompressedComponentMetadata": (
        ("dtype", 1, "int32"),
        ("tensor_shape", 2, "TensorShapeProto"),
        ("uncompressed_bytes", 4, "uint64*"),
    ),
}


@functools.cache
def stored_messages() -> dict[str, type[Any]]:
    """The classes of the messages, by name."""
    return message_classes(_FILE, {**VALUE_MESSAGES, **_INDEX}, {"StructuredValue": "kind"})


def parsed(name: str, data: bytes, subject: str) -> Any:
    """The message `name` in `data`. Raises DataLossError, naming `subject`, for bytes of another form."""
    with decoding_errors(subject):
        return stored_messages()[name].FromString(data)


@contextlib.contextmanager
def decoding_errors(subject: str) -> Generator[None]:
    """Raises protobuf's errors as DataLossError, naming `subject`."""
    from google.protobuf.message import DecodeError

    try:
        yield
    except (DecodeError, RecursionError) as bad:
        raise DataLossError.of(f"{subject} is corrupted: {bad}") from bad
