"""Conversion of values to tensors."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.operation.recipe import made_once
from tfcompat._core.structure.conversion import converted
from tfcompat._core.structure.sharding import noted
from tfcompat._core.structure.tensor import CoreTensor, Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.aval import Aval
from tfcompat._core.types.dtype import DType, as_dtype, int32, int64, string
from tfcompat._core.types.literal import UnsupportedValueError, host_array
from tfcompat._core.types.shape import TensorShape

_PLAIN = frozenset((float, int, bool, complex, str, bytes, np.ndarray, np.float32, np.float64, np.int32, np.int64))
_MOST_INT32 = 2**31 - 1

_pack = Op(
    "stack",
    lambda *tensors: jnp.stack(tensors),
    fold=lambda *arrays: np.stack(arrays),
    gradient=GradientRule(reads=False),
)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """A tensor of the value of a Python scalar, a nested list, or an array, which is copied.

    Shapes: that of `value`; if `shape` is given, `value` has as many elements, or one, which is repeated.
    Dtypes: `dtype`, else int32 (int64 if too large) for Python integers, float32 for floats, complex128, bool, string;
      an array keeps its own.
    Raises: TypeError if `value` cannot become `dtype`; ValueError for a ragged list or one that holds tensors.
    Source: TF 2.21 `tf.constant`.
    """
    del name
    wanted = None if dtype is None else as_dtype(dtype)
    tensor = Tensor(_hosted(value, wanted)) if type(value) in _PLAIN else _constant(value, wanted)
    return tensor if shape is None else _shaped(tensor, shape, value)


def _hosted(value: Any, dtype: DType | None) -> np.ndarray:
    """The array of `value`. Raises ValueError if it has no dtype, and TypeError if a function is traced."""
    try:
        return host_array(value, dtype)
    except UnsupportedValueError as refused:
        if here.trace.is_symbolic:
            raise TypeError(f"Failed to convert elements of {value!r} to Tensor. {refused}") from None
        raise ValueError(*refused.args) from None


def _constant(value: Any, dtype: DType | None) -> Tensor:
    if hasattr(type(value), "_snapshot"):
        return Tensor(_hosted(value.numpy(), dtype))
    if isinstance(value, (list, tuple)) and _holds_tensor(value):
        raise ValueError("tf.constant: a list of tensors is not a constant; use tf.stack or tf.convert_to_tensor.")
    if type(value) is Tensor and dtype is not None and value.dtype is not dtype:
        raise TypeError(f"Expected tensor {value} with dtype {dtype!r}, but got dtype {value.dtype!r}.")
    return convert_to_tensor(value.as_list() if isinstance(value, TensorShape) else value, dtype)


def _shaped(tensor: Tensor, shape: Any, value: Any) -> Tensor:
    dims = TensorShape(shape)
    if not dims.is_fully_defined():
        raise ValueError(f"tf.constant: shape must be fully known, got {dims}.")
    size = tensor._aval.size
    if size not in (1, dims.num_elements()):
        raise TypeError(
            f"Eager execution of tf.constant with unsupported shape. Tensor {tensor} (converted from {value}) has "
            f"{size} elements, but got `shape` {dims} with {dims.num_elements()} elements)."
        )
    wanted = tuple(dim for dim in dims.as_list() if dim is not None)
    if wanted == tensor._aval.shape:
        return tensor
    if type(tensor._array) is np.ndarray:
        return Tensor(np.array(_spread(tensor._array, wanted)))
    return record(_spreading(wanted), (tensor,))


def _spread(array: Any, dims: tuple[int, ...]) -> Any:
    if array.size == 1:
        return (np if type(array) is np.ndarray else jnp).broadcast_to(array.reshape(()), dims)
    return array.reshape(dims)


@made_once
def _spreading(dims: tuple[int, ...]) -> Op:
    return Op("constant", functools.partial(_spread, dims=dims), label=f"shape={dims}")


@functools.cache
def _casting(dtype: DType) -> Op:
    def cast(array: Any) -> Any:
        return array.astype(dtype.as_numpy_dtype)

    return Op("cast", cast, label=f"dtype={dtype!r}", gradient=GradientRule(reads=False))


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """`value` as a tensor: itself if it is one, the value of a variable, a list of tensors packed, else a constant.

    Shapes: that of `value`.
    Dtypes: `dtype`, else that of `value`, else `dtype_hint` where it is possible.
    Raises: ValueError if a tensor has another dtype; TypeError if a value cannot become `dtype`.
    Source: TF 2.21 `tf.convert_to_tensor`.
    """
    if type(value) is Tensor and dtype is None:
        return value
    wanted = None if dtype is None else as_dtype(dtype)
    if type(value) in _PLAIN and dtype_hint is None:
        return Tensor(_hosted(value, wanted))
    hint = None if dtype_hint is None else as_dtype(dtype_hint)
    if wanted is None and hint is not None:
        try:
            return convert_to_tensor(value, hint)
        except (TypeError, ValueError):
            return convert_to_tensor(value)
    tensor = value._snapshot() if hasattr(type(value), "_snapshot") else as_tensor(value, wanted)
    if tensor is None:
        if isinstance(value, TensorShape):
            return _of_shape(value, wanted)
        return Tensor(_hosted(value, wanted))
    if wanted is not None and tensor._aval.dtype is not wanted:
        where = "" if name is None else f"{name}: "
        raise ValueError(
            f"{where}Tensor conversion requested dtype {wanted.name} for Tensor with dtype {tensor._aval.dtype.name}: "
            f"{tensor!r}"
        )
    return tensor


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, a variable, or a composite of tensors such as `tf.IndexedSlices`.

    It is True for all objects of classes with the attribute `is_tensor_like`, such as the symbolic tensors of Keras 2,
    and False for linear operators and extension types, whose classes have `_is_tensor = False`.

    Source: TF 2.21 `tf.is_tensor`.
    """
    kind: Any = type(x)
    if kind is Tensor:
        return True
    is_one = hasattr(kind, "_flatten_composite") and getattr(kind, "_is_tensor", True)
    return is_one or issubclass(kind, CoreTensor) or hasattr(kind, "_as_tensor") or hasattr(kind, "is_tensor_like")


def as_tensor(value: Any, dtype: DType | None = None) -> Tensor | None:
    """The tensor that `value` is or represents; None if it is a plain value.

    A variable represents its value, rows of a gradient for the dense gradient, a list with tensors for their stack. If
    `dtype` is given, such a stack is cast to it, and so is a JAX array, as a NumPy array would be.
    """
    kind: Any = type(value)
    if kind is Tensor:
        return value
    if kind in _PLAIN:
        return None
    if hasattr(kind, "_as_tensor"):
        return value._as_tensor()
    if isinstance(value, jax.Array):
        with jax.enable_x64(True):
            return Tensor(noted(jnp.asarray(value, dtype.as_numpy_dtype if dtype else value.dtype)))
    if isinstance(value, (list, tuple)) and _holds_tensor(value):
        return _packed(value, dtype)
    return kind.__tf_tensor__(value, dtype, None) if hasattr(kind, "__tf_tensor__") else converted(value, dtype)


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return not _PLAIN.issuperset(map(type, value)) and any(map(_holds_tensor, value))
    kind: Any = type(value)
    return kind is Tensor or hasattr(kind, "_as_tensor") or hasattr(kind, "__tf_tensor__")


def _packed(values: Any, dtype: DType | None) -> Tensor:
    """The stack of a list that holds tensors; plain elements take the dtype of the first tensor, or `dtype`."""
    shared = dtype or next(_dtypes(values))
    parts = tuple(_part(value, shared, dtype is not None) for value in values)
    first = parts[0]._aval
    for k, part in enumerate(parts):
        if part._aval != first:
            raise _unlike(k, part._aval, first)
    trace = element_trace()
    if shared is string and trace is not None and any(part._is_symbolic() for part in parts):
        return trace.hosted("stack", _stacked, parts, [((len(parts), *first.shape), string)])[0]
    if shared is string or (first.is_small_integer and all(type(part._array) is np.ndarray for part in parts)):
        return Tensor(np.stack([np.asarray(part._value()) for part in parts]))
    return record(_pack, parts)


def _stacked(values: Any, *arrays: np.ndarray) -> list[np.ndarray]:
    del values
    return [np.stack(arrays)]


def _part(value: Any, dtype: DType, is_cast: bool) -> Tensor:
    """One element of a list that holds tensors."""
    if isinstance(value, (list, tuple)) and _holds_tensor(value):
        return _packed(value, dtype)
    tensor = as_tensor(value)
    if tensor is None:
        return convert_to_tensor(value, dtype)
    return record(_casting(dtype), (tensor,)) if is_cast and tensor._aval.dtype is not dtype else tensor


def _unlike(k: int, other: Aval, first: Aval) -> InvalidArgumentError:
    if other.dtype is not first.dtype:
        problem = f"element {k} was expected to be {first.dtype.name} as the first, but is {other.dtype.name}"
    else:
        problem = f"shapes of all elements must match, got {first.shape} first and {other.shape} as element {k}"
    return InvalidArgumentError.of(f"tf.stack: {problem}.")


def _dtypes(values: Any) -> Iterator[DType]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _dtypes(value)
        elif _holds_tensor(value):
            yield as_dtype(value.dtype)


def _of_shape(shape: TensorShape, dtype: DType | None) -> Tensor:
    """A vector of the dimensions."""
    if not shape.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor.")
    if dtype not in (None, int32, int64):
        raise TypeError(f"Cannot convert TensorShape {shape} to dtype {dtype}. Allowed: tf.int32 and tf.int64.")
    dims: list[Any] = shape.as_list()
    natural = int64 if any(dim > _MOST_INT32 for dim in dims) else int32
    return Tensor(np.array(dims, (dtype or natural).as_numpy_dtype))
