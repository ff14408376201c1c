"""Values to tensors: what dtype a Python or NumPy value gets, and which conversions TensorFlow refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.dtype import (
    BOOL,
    COMPLEX,
    FLOATING,
    INTEGER,
    DType,
    as_dtype,
    bool_,
    complex128,
    float32,
    int32,
    int64,
    string,
)
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.op import Op
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import record

_pack = Op("stack", lambda *tensors: jnp.stack(tensors))
_INT32 = np.iinfo(np.int32)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """A tensor of the value of a Python scalar, a nested list, or an array, which is copied.

    Shapes: that of `value`; if `shape` is given, `value` has as many elements, or one, which is repeated.
    Dtypes: `dtype`, else int32 (int64 if too large) for Python integers, float32 for floats, complex128, bool, string;
      an array keeps its own.
    Raises: TypeError if `value` cannot become `dtype`; ValueError for a ragged list or one that holds tensors.
    Source: TF 2.21 `tf.constant`.
    """
    del name
    if isinstance(value, (list, tuple)) and _holds_tensor(value):
        raise ValueError("tf.constant: a list of tensors is not a constant; use tf.stack or tf.convert_to_tensor.")
    tensor = convert_to_tensor(value, dtype)
    if shape is None:
        return tensor
    dims = tuple(TensorShape(shape).as_list())
    if tensor._aval.size == 1:
        return Tensor(np.array(np.broadcast_to(np.asarray(tensor._value()).reshape(()), dims)))
    if tensor._aval.size != TensorShape(dims).num_elements():
        raise TypeError(f"tf.constant: shape {dims} does not fit the {tensor._aval.size} elements of value.")
    return Tensor(np.asarray(tensor._value()).reshape(dims))


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """`value` as a tensor: itself if it is one, what a variable holds, a list of tensors packed, else a constant.

    Shapes: that of `value`.
    Dtypes: `dtype`, else that of `value`, else `dtype_hint` where it is possible.
    Raises: ValueError if a tensor has another dtype; TypeError if a value cannot become `dtype`.
    Source: TF 2.21 `tf.convert_to_tensor`.
    """
    del name
    wanted = None if dtype is None else as_dtype(dtype)
    if wanted is None and dtype_hint is not None:
        try:
            return convert_to_tensor(value, dtype_hint)
        except (TypeError, ValueError):
            return convert_to_tensor(value)
    tensor = value._snapshot() if hasattr(type(value), "_snapshot") else as_tensor(value)
    if tensor is None:
        return Tensor(_array(value, wanted))
    if wanted is not None and tensor._aval.dtype is not wanted:
        raise ValueError(
            f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype {tensor._aval.dtype.name}: {tensor!r}"
        )
    return tensor


def as_tensor(value: Any) -> Tensor | None:
    """The tensor that `value` is or stands for (a variable, rows of a gradient, a list with tensors);

    None if it is a plain value.
    """
    kind = type(value)
    if kind is Tensor:
        return value
    if kind in (float, int, bool, np.ndarray, str, bytes):
        return None
    if hasattr(kind, "_as_tensor"):
        return value._as_tensor()
    if isinstance(value, jax.Array):
        with jax.enable_x64(True):
            return Tensor(jnp.asarray(value, value.dtype))
    if isinstance(value, (list, tuple)) and _holds_tensor(value):
        return _packed(value)
    return None


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_holds_tensor, value))
    return isinstance(value, Tensor) or hasattr(type(value), "_as_tensor")


def _packed(values: Any) -> Tensor:
    """The stack of a list that holds tensors; the other elements take the dtype of the first tensor."""
    dtype = next(_dtypes(values))
    parts = tuple(
        _packed(v) if isinstance(v, (list, tuple)) and _holds_tensor(v) else convert_to_tensor(v, dtype) for v in values
    )
    for part in parts[1:]:
        if part._aval is not parts[0]._aval:
            raise InvalidArgumentError.of(
                f"tf.stack: shapes of all inputs must match, got {parts[0]._aval} and {part._aval}."
            )
    return record(_pack, parts)


def _dtypes(values: Any) -> Iterator[DType]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _dtypes(value)
        elif _holds_tensor(value):
            yield value.dtype


def _array(value: Any, dtype: DType | None) -> np.ndarray:
    """A fresh host array of a plain value."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind not in "OSUM":
        array = np.array(value, copy=True)
        as_dtype(array.dtype)
        return array if dtype is None else _cast(array, value, dtype)
    if hasattr(value, "__array__") and not isinstance(value, (np.ndarray, np.generic)):
        return _array(np.asarray(value), dtype)
    if value is None:
        raise ValueError("Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.")
    return _from_python(value, dtype)


def _cast(array: np.ndarray, value: Any, dtype: DType) -> np.ndarray:
    if dtype is string or (array.dtype.kind == "b") != (dtype is bool_):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}")
    if array.dtype.kind == "c" and dtype not in COMPLEX:
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}")
    with np.errstate(invalid="ignore", over="ignore"):
        return array.astype(dtype.as_numpy_dtype)


def _from_python(value: Any, dtype: DType | None) -> np.ndarray:
    try:
        array = np.array(value)
    except ValueError as ragged:
        raise ValueError(f"Can't convert non-rectangular Python sequence to Tensor: {value!r}") from ragged
    except OverflowError as large:
        raise ValueError(f"Can't convert Python sequence with out-of-range integer to Tensor: {value!r}") from large
    kinds = set(map(type, _elements(value)))
    natural = _natural_dtype(array, kinds, value)
    if dtype is None or natural is None:
        dtype = dtype or natural or float32
    elif not _converts(natural, dtype):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}")
    if dtype is string:
        return _strings(value, array.shape)
    with np.errstate(invalid="ignore", over="ignore"):
        return array.astype(dtype.as_numpy_dtype)


def _elements(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple, range)):
        for element in value:
            yield from _elements(element)
    elif isinstance(value, np.ndarray):
        yield from value.ravel()[:1]
    else:
        yield value


def _natural_dtype(array: np.ndarray, kinds: set[type], value: Any) -> DType | None:
    """The dtype that a Python value has by itself; None for an empty list."""
    if not kinds:
        return None
    if any(issubclass(kind, (str, bytes)) for kind in kinds):
        if all(issubclass(kind, (str, bytes)) for kind in kinds):
            return string
        raise ValueError(f"Can't convert Python sequence with mixed types to Tensor: {value!r}")
    are_bool = [issubclass(kind, (bool, np.bool_)) for kind in kinds]
    if any(are_bool):
        if all(are_bool):
            return bool_
        raise ValueError(f"Can't convert Python sequence with mixed types to Tensor: {value!r}")
    if array.dtype.kind == "O":
        if all(issubclass(kind, int) for kind in kinds):
            raise ValueError(f"Can't convert Python sequence with out-of-range integer to Tensor: {value!r}")
        culprit = next(kind for kind in kinds if not issubclass(kind, (int, float, complex)))
        raise ValueError(f"Attempt to convert a value ({value!r}) with an unsupported type ({culprit}) to a Tensor.")
    if any(issubclass(kind, np.generic) for kind in kinds) and all(issubclass(kind, np.generic) for kind in kinds):
        return as_dtype(array.dtype)
    if array.dtype.kind == "c":
        return complex128
    if array.dtype.kind == "f":
        return float32
    fits = array.size == 0 or (array.min() >= _INT32.min and array.max() <= _INT32.max)
    return int32 if fits else int64


def _converts(natural: DType, dtype: DType) -> bool:
    """Whether Python values that are `natural` by themselves may become `dtype`."""
    if natural is string or dtype is string:
        return natural is dtype
    if natural in BOOL or dtype in BOOL:
        return natural in BOOL and (dtype in BOOL or dtype in INTEGER)
    if natural in COMPLEX:
        return dtype in COMPLEX
    return dtype in FLOATING or dtype in COMPLEX or natural in INTEGER


def _strings(value: Any, shape: tuple[int, ...]) -> np.ndarray:
    flat = [v.encode() if isinstance(v, str) else bytes(v) for v in _elements_of_strings(value)]
    array = np.empty(len(flat), object)
    array[:] = flat
    return array.reshape(shape)


def _elements_of_strings(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray):
        yield from value.ravel()
    elif isinstance(value, (list, tuple)):
        for element in value:
            yield from _elements_of_strings(element)
    else:
        yield value
