"""Static attributes: Python values that are part of the structure, in a hashable and typed form."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import hosting_trace
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.constancy import size_value
from tfcompat._core.types.dimension import Dimension
from tfcompat._core.types.dtype import INDEX, as_dtype
from tfcompat._core.types.shape import TensorShape
from tfcompat._jaxpr.size import is_open


def freeze(op: str, parameter: str, frozen: Callable[[Any], Any], value: Any) -> Any:
    """`value` in its form as part of the structure. Errors name the op and the parameter."""
    try:
        return frozen(value)
    except InvalidArgumentError as refused:
        raise InvalidArgumentError.of(f"tf.{op}: {parameter} can't be {value!r}: {refused}") from refused
    except (TypeError, ValueError) as refused:
        raise type(refused)(f"tf.{op}: {parameter} can't be {value!r}: {refused}") from refused


def _valued(value: Any) -> Any:
    """The array of a tensor or a variable, which determines a shape; other values unchanged.

    Sizes with symbols are an array of objects.
    """
    tensor = value._as_tensor() if hasattr(type(value), "_as_tensor") else value
    if type(tensor) is not Tensor:
        return value
    if not tensor._is_symbolic():
        return tensor._value()
    found = size_value(tensor)
    if found is not None:
        if found.dtype == object and tensor.dtype not in INDEX:
            raise TypeError("integers are expected")
        return found
    trace = hosting_trace()
    if trace is not None and tensor.dtype in INDEX:
        return trace.sizes_in(tensor)
    return tensor._trace.read(tensor, "shape")


def integer(value: Any) -> Any:
    """A static integer, or None; a size with symbols as it is."""
    if value is None or type(value) is int:
        return value
    if isinstance(value, (bool, float)) or (hasattr(value, "dtype") and not as_dtype(value.dtype).is_integer):
        raise TypeError("an integer is expected")
    found = _valued(value)
    if isinstance(found, np.ndarray) and found.dtype == object:
        found = found.item()
    return found if is_open(found) else operator.index(found)


def integers(value: Any) -> Any:
    """Nested static integers as tuples; tensors and arrays are read."""
    if value is None or type(value) is int or is_open(value):
        return value
    if isinstance(value, TensorShape):
        return tuple(value.as_list())
    if isinstance(value, (list, tuple)):
        return tuple(map(integers, value))
    if isinstance(value, Dimension) and value.value is not None:
        return value.value
    if isinstance(value, range):
        return tuple(value)
    array = np.asarray(_valued(value))
    if array.dtype == object and array.size and all(map(_is_size, array.ravel())):
        return _sizes(array.tolist())
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError("integers are expected")
    return int(array) if array.ndim == 0 else integers(array.tolist())


def _sizes(value: Any) -> Any:
    """Sizes, with symbols or without, in nested lists as tuples."""
    if isinstance(value, list):
        return tuple(map(_sizes, value))
    return value if is_open(value) else int(value)


def _is_size(value: Any) -> bool:
    return is_open(value) or isinstance(value, (int, np.integer))


def axes(value: Any) -> Any:
    """Static axes; booleans and NumPy's numbers are converted to integers.

    Raises: InvalidArgumentError for a tensor that is neither int32 nor int64, a list of other numbers, or text;
      TypeError for a Python float.
    """
    if value is None or type(value) is int:
        return value
    if type(value) is Tensor and value.dtype not in INDEX:
        raise InvalidArgumentError.of(f"a tensor of axes must be int32 or int64, got {value.dtype.name}.")
    if isinstance(value, str) or (isinstance(value, (list, tuple)) and any(isinstance(x, (float, str)) for x in value)):
        raise InvalidArgumentError.of("integers are expected")
    if isinstance(value, (list, tuple)):
        return tuple(map(axes, value))
    if isinstance(value, (bool, np.bool_, np.floating)) or (isinstance(value, np.ndarray) and value.dtype.kind in "bf"):
        return integers(np.asarray(value).astype(np.int64))
    return integers(value)


def attribute_axes(value: Any) -> Any:
    """Static axes that are an attribute of TensorFlow's op, not a tensor: other numbers are truncated to integers."""
    if isinstance(value, (list, tuple)):
        return tuple(map(attribute_axes, value))
    return int(value) if isinstance(value, (bool, float, np.bool_, np.floating)) else integers(value)


def shape(value: Any) -> tuple[Any, ...] | None:
    """A static shape as a tuple of integers; None for an unknown size, or for an absent shape."""
    found = integers(value)
    return (found,) if isinstance(found, int) else found


def cut_shape(value: Any) -> tuple[Any, ...] | None:
    """A static shape; a floating array and floating tensors in a list are truncated to integers, as in TensorFlow."""
    if isinstance(value, (np.ndarray, np.generic)):
        return shape(_cut(value))
    if isinstance(value, (list, tuple)) and any(type(size) is Tensor or hasattr(size, "_as_tensor") for size in value):
        return shape([size if isinstance(size, float) else _cut(size) for size in value])
    return shape(value)


def _cut(number: Any) -> Any:
    """The floating array or tensor `number` truncated to integers; any other value unchanged."""
    if not hasattr(number, "dtype") or not as_dtype(number.dtype).is_floating:
        return number
    sizes = size_value(number) if type(number) is Tensor else None
    trace = hosting_trace()
    if trace is not None and type(number) is Tensor and sizes is None:
        sizes = trace.sizes_in(number)
    if sizes is not None and sizes.dtype == object:
        return sizes.item() if sizes.ndim == 0 else sizes
    with np.errstate(invalid="ignore"):
        return np.asarray(_valued(number)).astype(np.int64)


def _string(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError("a string is expected")
    return value


STATIC: dict[str, Callable[[Any], Any]] = {
    "int": integer,
    "bool": lambda value: None if value is None else bool(value),
    "str": _string,
    "Axes": axes,
    "AttributeAxes": attribute_axes,
    "Ints": integers,
    "Shape": shape,
    "Dtype": lambda value: None if value is None else as_dtype(value),
}
