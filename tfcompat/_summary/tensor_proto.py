"""`tf.make_tensor_proto` and `tf.make_ndarray`: the message `TensorProto`, which servers and TensorBoard exchange."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.types.dtype import DType, as_dtype, string
from tfcompat._data.format.stored_tensor import FIELDS
from tfcompat._dropin.compatibility import as_bytes
from tfcompat._summary.message import messages

# Dtypes whose values are in the field in another form.
_FORMS = {"float16": np.uint16, "bfloat16": np.uint16, "complex64": np.float32, "complex128": np.float64}
# Dtypes whose values are never in the content.
_LISTED = frozenset(("bool", "uint16", "int4", "uint4", "complex64", "complex128"))
_MOST_BYTES = 1 << 31


def make_tensor_proto(
    values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False, allow_broadcast: bool = False
) -> Any:
    """The message `TensorProto` with `values`: a number, a string, a nested list of them, an array or a tensor.

    Without a `dtype`, Python floats are float32, and Python integers int32 if they fit. A message is returned as it is.

    Shapes: any, or `shape`: the last value is repeated for missing ones, and none is used for a size of 0. With
      `verify_shape` the shapes must be equal, with `allow_broadcast` a single value may fill any shape.
    Dtypes: any of numbers, bool, string.
    Raises: ValueError for None, for too many values, and for both flags; TypeError for another dtype or shape.
    Source: TF 2.21 `tf.make_tensor_proto`.
    """
    if allow_broadcast and verify_shape:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    kind = messages()["TensorProto"]
    if isinstance(values, kind):
        return values
    array = _array(values, None if dtype is None else as_dtype(dtype))
    sizes = array.shape if shape is None else tuple(map(int, shape))
    if 0 in sizes and array.shape != sizes and not isinstance(values, (np.ndarray, np.generic)):
        array = np.empty(sizes, np.float32 if dtype is None else array.dtype)
    found = as_dtype(array.dtype)
    _require_size(array, sizes, verify_shape, allow_broadcast)
    proto = kind(dtype=found.as_datatype_enum)
    proto.tensor_shape.SetInParent()
    for size in sizes:
        proto.tensor_shape.dim.add(size=size)
    if found is string:
        proto.string_val.extend(map(as_bytes, array.ravel().tolist()))
    elif math.prod(sizes) == array.size > 1 and found.name not in _LISTED:
        if array.nbytes >= _MOST_BYTES:
            raise ValueError("Cannot create a tensor proto whose content is larger than 2GB.")
        proto.tensor_content = array.tobytes()
    else:
        flat = np.ascontiguousarray(array).ravel()
        getattr(proto, _field(found)).extend(flat.view(_FORMS.get(found.name, flat.dtype)).tolist())
    return proto


def make_ndarray(tensor: Any) -> np.ndarray:
    """The array in the message `tensor`, a `TensorProto`.

    Shapes: that of the message.
    Dtypes: that of the message; strings are objects.
    Raises: TypeError or ValueError for other dtypes; OverflowError for a number that the dtype does not have.
    Source: TF 2.21 `tf.make_ndarray`.
    """
    shape = [dim.size for dim in tensor.tensor_shape.dim]
    dtype = as_dtype(tensor.dtype)
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, dtype.as_numpy_dtype).copy().reshape(shape)
    count = math.prod(shape)
    if dtype is string:
        texts = list(tensor.string_val)
        texts += (texts[-1:] or [""]) * (count - len(texts))
        return np.array(texts, object).reshape(shape)
    listed = list(getattr(tensor, _field(dtype)))
    kind = np.dtype(dtype.as_numpy_dtype)
    values = np.array(listed, _FORMS.get(dtype.name, kind)).view(kind)
    if not values.size:
        return np.zeros(shape, kind)
    return np.pad(values, (0, count - values.size), "edge").reshape(shape)


def _field(dtype: DType) -> str:
    if dtype.name not in FIELDS and not dtype.is_integer:
        raise TypeError(f"Unsupported tensor type: {dtype.name}.")
    return FIELDS.get(dtype.name, "int_val")


def _array(values: Any, dtype: DType | None) -> np.ndarray:
    """`values` as an array of `dtype`, or of TensorFlow's choice."""
    if values is None:
        raise ValueError("None values not supported.")
    if isinstance(values, (np.ndarray, np.generic)) or as_tensor(values) is not None:
        array = np.asarray(values)
        return array if dtype is None else array.astype(dtype.as_numpy_dtype)
    if dtype is not None:
        return np.asarray(convert_to_tensor(values, dtype))
    try:
        array = np.array(values)
    except ValueError as refusal:
        raise ValueError(f"Expected values {values} to be a dense tensor.") from refusal
    if array.dtype.kind in "US":  # NumPy cuts zeros at the end of texts
        return np.array(values, object)
    if array.dtype == np.float64:
        return array.astype(np.float32)
    small = array.astype(np.int32) if array.dtype == np.int64 else array
    return small if np.array_equal(small, array) else array


def _require_size(array: np.ndarray, shape: Sequence[int], verify_shape: bool, allow_broadcast: bool) -> None:
    size = math.prod(shape)
    differs = array.shape not in ((1,), ()) and array.size != size if allow_broadcast else array.shape != tuple(shape)
    if (allow_broadcast or verify_shape) and differs:
        raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, but got {array.shape}.")
    if not allow_broadcast and array.size > size:
        raise ValueError(f"Too many elements provided. Takes at most {size}, but got {array.size}.")
