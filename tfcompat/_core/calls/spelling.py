"""The spelling of a call: how its arguments appear in the key of the cached op."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import as_tensor
from tfcompat._core.structure.tensor import CoreTensor, Tensor
from tfcompat._core.types.dtype import DType

ARRAY, ARRAYS, NUMBER, STATIC = range(4)
_ATTRIBUTES = frozenset((int, bool, str, type(None), DType))
_LARGEST = 2**63


def spell(role: int, value: Any, key: list[Any], found: list[Any]) -> bool:
    """Adds one argument to the key and to the operands; False if it can't be part of a spelling."""
    kind = type(value)
    if role == STATIC:
        if issubclass(kind, list):
            value = tuple(value)
        if kind not in _ATTRIBUTES and not _is_constant(value):
            return False
        key.append((kind, value))
        return True
    if kind is Tensor:
        key.append(value._aval.dtype)
    elif kind is float:
        key.append(float)
    elif kind is int:
        if not -_LARGEST <= value < _LARGEST:
            return False
        key.append(int)
    elif role == ARRAYS and (kind is list or kind is tuple):
        if not all(type(x) is Tensor for x in value):
            return False
        key.append((len(value), *(x._aval.dtype for x in value)))
        found += value
        return True
    elif hasattr(kind, "_as_tensor"):
        value = value._as_tensor()
        key.append(value._aval.dtype)
    elif is_variable(value):
        value = as_tensor(value)
        key.append(value._aval.dtype)
    else:
        return False
    found.append(value)
    return True


def _is_constant(value: Any) -> bool:
    """Whether `value` is a tuple of integers, None and such tuples."""
    return type(value) is tuple and all(type(v) is int or v is None or _is_constant(v) for v in value)


def is_variable(value: Any) -> bool:
    """Whether `value` is a variable of a library, such as Keras': an object that counts as a tensor."""
    kind: Any = type(value)
    return kind is not Tensor and issubclass(kind, CoreTensor) and hasattr(kind, "__tf_tensor__")
