"""Values of components as tensors of TensorFlow's files: dense tensors, and variants for sparse and ragged ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.system.error import DataLossError
from tfcompat._core.types.dtype import DType, as_dtype, int64, string, variant
from tfcompat._data.blocks.host_value import Array, HostRagged, HostSparse
from tfcompat._data.format.stored_message import parsed
from tfcompat._data.format.wire import MalformedError, varint

_TENSOR, _RAGGED = "tensorflow::Tensor", "RaggedTensorVariant"
_SPARSE_PARTS = 3
# The fields of values by the names of dtypes; other dtypes use `int_val`.
FIELDS = {
    "float32": "float_val",
    "float64": "double_val",
    "string": "string_val",
    "complex64": "scomplex_val",
    "complex128": "dcomplex_val",
    "int64": "int64_val",
    "bool": "bool_val",
    "float16": "half_val",
    "bfloat16": "half_val",
    "uint32": "uint32_val",
    "uint64": "uint64_val",
}
# The most bytes of a tensor whose last value is repeated.
_MOST_REPEATED = 1 << 28


def number_bytes(number: int) -> bytes:
    """A number that is not negative, in protobuf's variable length."""
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def content_of(array: Array) -> bytes:
    """The values of an array of numbers or strings: of strings their lengths, then the strings."""
    if array.dtype != object:
        return np.ascontiguousarray(array).tobytes()
    return _joined(array.ravel().tolist())


def shape_bytes(shape: tuple[int, ...]) -> bytes:
    """The message `TensorShapeProto`."""
    dims = [b"\x08" + number_bytes(size) if size else b"" for size in shape]
    return b"".join([b"\x12" + number_bytes(len(dim)) + dim for dim in dims])


def head_of(dtype: DType, shape: tuple[int, ...]) -> bytes:
    """The beginning of a `TensorProto`, before its content."""
    dims = shape_bytes(shape)
    return b"\x08" + number_bytes(dtype.as_datatype_enum) + b"\x12" + number_bytes(len(dims)) + dims


def dense_bytes(array: Array, dtype: DType) -> bytes:
    """The `TensorProto` of an array."""
    return head_of(dtype, array.shape) + _content_field(content_of(array))


def _content_field(content: bytes) -> bytes:
    """The field `tensor_content`, which is left out if it is empty."""
    return b'"' + number_bytes(len(content)) + content if content else b""


def column_bytes(column: Array, dtype: DType) -> list[bytes]:
    """The `TensorProto` of each row of an array of numbers."""
    count, shape = len(column), column.shape[1:]
    size = math.prod(shape) * column.dtype.itemsize
    head = head_of(dtype, shape)
    if not size:
        return [head] * count
    head += b'"' + number_bytes(size)
    content = np.ascontiguousarray(column).tobytes()
    return [head + content[start : start + size] for start in range(0, count * size, size)]


def variants_of(value: HostSparse | HostRagged | Array, dtype: DType, splits: DType) -> list[bytes]:
    """The messages `VariantTensorDataProto` of a sparse tensor (three) or a ragged one (one)."""
    if isinstance(value, HostSparse):
        pairs = zip(value, (int64, dtype, int64), strict=True)
        return [_variant(_TENSOR, [dense_bytes(part, kind)]) for part, kind in pairs]
    ragged = value if isinstance(value, HostRagged) else HostRagged(value, ())
    parts = [dense_bytes(part, splits) for part in ragged.splits]
    return [_variant(_RAGGED, [*parts, dense_bytes(ragged.values, dtype)])]


def _variant(name: str, tensors: list[bytes]) -> bytes:
    parts = b"".join([b"\x1a" + number_bytes(len(tensor)) + tensor for tensor in tensors])
    return b"\x0a" + number_bytes(len(name)) + name.encode() + parts


def variant_tensor(variants: list[bytes]) -> bytes:
    """The `TensorProto` of a scalar variant, or of a vector of several."""
    shape = () if len(variants) == 1 else (len(variants),)
    return head_of(variant, shape) + _content_field(_joined(variants))


def _joined(texts: list[bytes]) -> bytes:
    """The lengths of `texts`, then the texts."""
    return b"".join([*[number_bytes(len(text)) for text in texts], *texts])


def shape_of(message: Any, subject: str) -> tuple[int, ...]:
    """The sizes in a `TensorShapeProto`. Raises DataLossError if one is unknown."""
    shape = tuple(dim.size for dim in message.dim)
    if message.unknown_rank or any(size < 0 for size in shape):
        raise DataLossError.of(f"{subject} is corrupted: the shape of a tensor is unknown")
    return shape


def dtype_of(number: int, subject: str) -> DType:
    """The dtype with a number of the enumeration `DataType`. Raises DataLossError for an unknown number."""
    try:
        return as_dtype(number)
    except TypeError as unknown:
        raise DataLossError.of(f"{subject} is corrupted: no dtype has the number {number}") from unknown


def decoded(data: bytes, subject: str) -> tuple[DType, Any]:
    """The dtype and the value of a `TensorProto`: an array, `HostSparse` or `HostRagged`.

    Raises: DataLossError, naming `subject`, if it is corrupted.
    """
    return _value(parsed("TensorProto", data, subject), subject)


def _value(message: Any, subject: str) -> tuple[DType, Any]:
    dtype = dtype_of(message.dtype, subject)
    shape = shape_of(message.tensor_shape, subject)
    if dtype is variant:
        return dtype, variant_value(_variant_messages(message, math.prod(shape), subject), subject)
    if message.tensor_content:
        return dtype, array_of_content(message.tensor_content, dtype, shape, subject)
    return dtype, _array_of_fields(message, dtype, shape, subject)


def _variant_messages(message: Any, count: int, subject: str) -> list[Any]:
    if message.variant_val:
        return list(message.variant_val)
    return [parsed("VariantTensorDataProto", text, subject) for text in _texts(message.tensor_content, count, subject)]


def variant_value(messages: list[Any], subject: str) -> Any:
    """The value of variants. Raises DataLossError for another value than a sparse or a ragged tensor."""
    arrays = [[_value(tensor, subject)[1] for tensor in each.tensors] for each in messages]
    names = [each.type_name for each in messages]
    if names == [_RAGGED] and arrays[0]:
        *splits, values = arrays[0]
        # The rows of each axis are the entries of the next one, or the values.
        counts = [*[len(rows) - 1 for rows in splits[1:]], len(values) if values.ndim else 0][: len(splits)]
        if values.ndim and all(map(_is_partition, splits, counts)):
            return HostRagged(values, tuple(splits)) if splits else values
    if names == [_TENSOR] * _SPARSE_PARTS and all(len(each) == 1 for each in arrays):
        indices, values, shape = [each[0] for each in arrays]
        if indices.ndim == 2 and indices.shape == (len(values), len(shape)):
            return HostSparse(indices, values, shape)
    raise DataLossError.of(f"{subject} is corrupted, or has values that are neither dense, sparse nor ragged tensors")


def _is_partition(splits: Array, length: int) -> bool:
    return (
        splits.ndim == 1
        and len(splits) > 0
        and splits.dtype.kind == "i"
        and splits[0] == 0
        and splits[-1] == length
        and bool((np.diff(splits) >= 0).all())
    )


def array_of_content(content: bytes, dtype: DType, shape: tuple[int, ...], subject: str) -> Array:
    """The array with the values `content`. Raises DataLossError if its size does not fit `shape`."""
    count = math.prod(shape)
    if dtype is string:
        found = np.empty(count, object)
        found[:] = _texts(content, count, subject)
        return found.reshape(shape)
    kind = np.dtype(dtype.as_numpy_dtype)
    if len(content) != count * kind.itemsize:
        raise DataLossError.of(f"{subject} is corrupted: a tensor of the shape {shape} has {len(content)} bytes")
    return np.frombuffer(content, kind).reshape(shape)


def _texts(content: bytes, count: int, subject: str) -> list[bytes]:
    """The strings in `content`, which begins with their lengths."""
    if count > len(content):
        raise DataLossError.of(f"{subject} is corrupted: {count} strings do not fit into {len(content)} bytes")
    sizes: list[int] = []
    place = 0
    try:
        for _ in range(count):
            size, place = varint(content, place, len(content))
            sizes.append(size)
    except MalformedError as cut:
        raise DataLossError.of(f"{subject} is corrupted: the lengths of strings are cut") from cut
    if place + sum(sizes) != len(content):
        raise DataLossError.of(f"{subject} is corrupted: strings of {sum(sizes)} bytes in {len(content) - place} bytes")
    found: list[bytes] = []
    for size in sizes:
        found.append(content[place : place + size])
        place += size
    return found


def _array_of_fields(message: Any, dtype: DType, shape: tuple[int, ...], subject: str) -> Array:
    """The array of a message that lists its values; the last one stands for those that are missing."""
    field = FIELDS.get(dtype.name, "int_val")
    try:
        found = _converters(dtype)(list(getattr(message, field)))
    except (OverflowError, ValueError) as bad:
        raise DataLossError.of(f"{subject} is corrupted: {bad}") from bad
    count = math.prod(shape)
    if len(found) > count or count * found.dtype.itemsize > max(_MOST_REPEATED, len(found) * found.dtype.itemsize):
        raise DataLossError.of(f"{subject} is corrupted: a tensor of the shape {shape} has {len(found)} values")
    last = found[-1:] if len(found) else np.full(1, b"" if dtype is string else 0, found.dtype)
    return np.concatenate([found, np.repeat(last, count - len(found))]).reshape(shape)


def _converters(dtype: DType) -> Callable[[list[Any]], Array]:
    kind = np.dtype(dtype.as_numpy_dtype)
    if dtype.name in ("float16", "bfloat16"):
        return lambda values: np.array(values, np.uint16).view(kind)
    if dtype.name in ("complex64", "complex128"):
        part = np.float32 if dtype.name == "complex64" else np.float64
        return lambda values: np.array(values, part).view(kind)
    if dtype is string:
        return lambda values: np.array([*values, None], object)[:-1]
    return lambda values: np.array(values, kind)


def messages_of(texts: list[bytes], subject: str) -> list[Any]:
    """The messages `VariantTensorDataProto` in `texts`."""
    return [parsed("VariantTensorDataProto", text, subject) for text in texts]
