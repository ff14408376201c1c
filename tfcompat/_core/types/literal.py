"""Converts plain values to host arrays, with TensorFlow's choice of dtypes and its refusals.

NumPy values convert to any dtype, like `astype`. For Python values, the first scalar of a nested sequence determines
which kinds the others may have, and to which dtypes all of them convert.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import numpy as np

from tfcompat._core.types.dimension import Dimension
from tfcompat._core.types.dtype import (
    COMPLEX,
    FLOAT8,
    FLOATING,
    INT4,
    INTEGER,
    DType,
    as_dtype,
    bool_,
    complex128,
    float16,
    float32,
    float64,
    int32,
    int64,
    resource,
    string,
    uint64,
    variant,
)

_INT32, _INT64 = np.iinfo(np.int32), np.iinfo(np.int64)
_LARGE = 2**31
_SCALARS = frozenset((float, int, bool, complex, str, bytes))

# Kinds of scalars: a floating number, an integer, Python's and NumPy's boolean, a complex number, a string.
_FLOAT, _INT, _BOOL, _NUMPY_BOOL, _COMPLEX, _STRING = range(6)
_KINDS: tuple[tuple[tuple[type, ...], int], ...] = (
    ((bool,), _BOOL),
    ((np.bool_,), _NUMPY_BOOL),
    ((int, np.integer), _INT),
    ((float, np.floating), _FLOAT),
    ((complex, np.complexfloating), _COMPLEX),
    ((str, bytes), _STRING),
)
_REAL = frozenset((_FLOAT, _INT, _BOOL))
# The kinds that may follow the kind of the first scalar in a sequence.
_AFTER = {
    _FLOAT: _REAL,
    _INT: _REAL,
    _BOOL: frozenset((_BOOL, _NUMPY_BOOL)),
    _NUMPY_BOOL: frozenset((_BOOL, _NUMPY_BOOL)),
    _COMPLEX: _REAL | {_COMPLEX},
    _STRING: frozenset((_STRING,)),
}
# For each dtype, the kinds of Python scalars that convert directly; others convert from the natural dtype.
_DIRECT = {
    **dict.fromkeys((float16, float32, float64), _REAL),
    **dict.fromkeys((int32, int64, uint64), frozenset((_INT, _BOOL))),
    complex128: _REAL | {_COMPLEX},
    bool_: _AFTER[_BOOL],
    string: _AFTER[_STRING],
}
# Scalars that convert to a dtype without further checks if they are not large.
_SHORT: dict[tuple[type, DType | None], Any] = {
    **{(kind, dtype): dtype.as_numpy_dtype for kind in (int, float) for dtype in (float32, float64)},
    **{(int, dtype): dtype.as_numpy_dtype for dtype in (int32, int64)},
    (int, None): np.int32,
    (float, None): np.float32,
}
# Their names in TensorFlow's messages.
_SPOKEN = {float16: "half", float32: "float", float64: "double"}


class UnsupportedValueError(Exception):
    """A value has a type without a dtype, or values of types that don't go together."""


def host_array(value: Any, dtype: DType | None) -> np.ndarray:
    """A fresh host array of a plain value, of `dtype` or of its natural dtype.

    Raises: TypeError if the value cannot become `dtype`; ValueError or UnsupportedValueError if it can't be converted
      to any tensor.
    """
    short = _SHORT.get((type(value), dtype))
    if short is not None and -_LARGE < value < _LARGE:
        return np.array(value, short)
    is_array = type(value) not in _SCALARS and hasattr(value, "__array__")
    return _from_numpy(np.asarray(value), dtype) if is_array else _from_python(value, dtype)


def refusal(value: Any, dtype: DType) -> TypeError:
    """The error for a Python value that TensorFlow doesn't convert to `dtype`."""
    return TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {_SPOKEN.get(dtype, dtype.name)}")


def _from_numpy(array: np.ndarray, dtype: DType | None) -> np.ndarray:
    if dtype in (resource, variant):
        raise TypeError(f"Cannot convert {array!r} to EagerTensor of dtype {dtype}")
    if dtype is None:
        try:
            dtype = as_dtype(array.dtype)
        except TypeError:
            text = f"Failed to convert a NumPy array to a Tensor (Unsupported numpy type: {array.dtype})."
            raise ValueError(text) from None
    if array.dtype == dtype.as_numpy_dtype and dtype is not string:
        return array.copy()
    if dtype is not string:
        with np.errstate(all="ignore"):
            return _astype(array, dtype)
    if array.dtype.kind not in "OSU":
        array = array.astype(object)
    for element in array.flat:
        if not isinstance(element, (str, bytes)):
            kind = type(element).__name__
            raise ValueError(f"Failed to convert a NumPy array to a Tensor (Unsupported object type {kind}).")
    return _encoded(array.flat, array.shape)


def _astype(array: np.ndarray, dtype: DType) -> np.ndarray:
    """A copy, converted as in C; the imaginary part is dropped without a warning."""
    if array.dtype.kind == "c" and dtype not in COMPLEX and dtype is not bool_:
        return np.real(array).astype(dtype.as_numpy_dtype)
    return array.astype(dtype.as_numpy_dtype)


def _from_python(value: Any, dtype: DType | None) -> np.ndarray:
    types: dict[type, None] = {}
    _collect_types(value, types)
    if Dimension in types:
        return _from_python(_sized(value, dtype), dtype)
    kinds = [_kind(kind, value) for kind in types]
    array = _rectangular(value, kinds)
    if not kinds:
        return array.astype((dtype or float32).as_numpy_dtype)
    if array.dtype.kind == "f" and _FLOAT not in kinds:
        # NumPy converts integers to floats if one of them exceeds int64 and another does not.
        array = np.array(value, object)
    if dtype is not None and _is_direct(array, kinds, dtype):
        return _encoded(_leaves(value), array.shape) if dtype is string else _cast(array, dtype)
    natural = _natural_dtype(array, kinds, next(iter(types)))
    if dtype is None or natural is dtype:
        return _naturally(value, array, natural)
    if not _is_compatible(dtype, natural):
        raise refusal(value, dtype)
    return _cast(array, dtype)


def _sized(value: Any, dtype: DType | None) -> Any:
    """`value`, with integers for dimensions. One that is not in a list can only become int32 or int64."""
    if isinstance(value, (list, tuple)):
        return [_sized(each, None) for each in value]
    if not isinstance(value, Dimension):
        return value
    if value.value is None:
        raise ValueError("Cannot convert unknown Dimension ? to a Tensor.")
    if dtype not in (None, int32, int64):
        raise TypeError(f"Cannot convert Dimension {value} to dtype {dtype}. Allowed dtypes are tf.int32 and tf.int64.")
    return value.value


def _is_direct(array: np.ndarray, kinds: list[int], dtype: DType) -> bool:
    """Whether TensorFlow converts scalars of `kinds` to `dtype` directly."""
    if dtype not in _DIRECT or not _DIRECT[dtype].issuperset(kinds):
        return False
    return dtype not in INTEGER or not _is_large(array, dtype)


def _cast(array: np.ndarray, dtype: DType) -> np.ndarray:
    with np.errstate(invalid="ignore", over="ignore"):
        return array.astype(dtype.as_numpy_dtype)


def _naturally(value: Any, array: np.ndarray, natural: DType) -> np.ndarray:
    if natural is string:
        return _encoded(_leaves(value), array.shape)
    try:
        with np.errstate(over="raise"):
            return array.astype(natural.as_numpy_dtype)
    except FloatingPointError:
        text = "Can't convert Python sequence with a value out of range for a double-precision float."
        raise ValueError(text) from None


def _collect_types(value: Any, types: dict[type, None]) -> None:
    """Adds the types of the scalars in `value`, in the order in which they appear."""
    if isinstance(value, (list, tuple)):
        children = dict.fromkeys(map(type, value))
        if _SCALARS.issuperset(children):
            types.update(children)
        else:
            for child in value:
                _collect_types(child, types)
    elif isinstance(value, np.ndarray):
        if value.size:
            types[value.dtype.type] = None
    elif _is_sequence(value):
        for child in value:
            _collect_types(child, types)
    else:
        types[type(value)] = None


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") and not isinstance(value, (str, bytes, dict))


def _kind(kind: type, value: Any) -> int:
    for classes, found in _KINDS:
        if issubclass(kind, classes):
            return found
    culprit = value if type(value) is kind else next(leaf for leaf in _leaves(value) if type(leaf) is kind)
    raise UnsupportedValueError(
        f"Attempt to convert a value ({culprit!r}) with an unsupported type ({kind}) to a Tensor."
    )


def _rectangular(value: Any, kinds: list[int]) -> np.ndarray:
    """The NumPy array of `value`. Raises ValueError if TensorFlow doesn't convert it."""
    if kinds and not _AFTER[kinds[0]].issuperset(kinds):
        raise UnsupportedValueError(f"Can't convert Python sequence with mixed types to Tensor, got {value!r}.")
    try:
        array = np.array(value)
    except UnicodeDecodeError:
        # In an array with text, NumPy decodes bytes.
        array = np.array(value, object)
        if any(map(_is_sequence, array.flat)):
            _raise_ragged(value)
    except ValueError:
        raise ValueError(f"Can't convert non-rectangular Python sequence to Tensor, got {value!r}.") from None
    if not kinds and array.size:
        _raise_ragged(value)
    return array


def _raise_ragged(value: Any) -> NoReturn:
    raise ValueError(f"Can't convert non-rectangular Python sequence to Tensor, got {value!r}.")


def _is_large(array: np.ndarray, dtype: DType) -> bool:
    """Whether an integer doesn't fit into as many bits as `dtype` has, 32 or 64."""
    if array.dtype.kind in "bi" and dtype is not int32:
        return False
    limits = _INT32 if dtype is int32 else _INT64
    return dtype is not uint64 and bool(array.min() < limits.min or array.max() > limits.max)


def _natural_dtype(array: np.ndarray, kinds: list[int], first: type) -> DType:
    """The dtype to which Python values convert if no dtype is requested."""
    if kinds[0] == _STRING:
        return string
    if kinds[0] == _COMPLEX:
        return complex128
    if kinds[0] in (_BOOL, _NUMPY_BOOL):
        return bool_
    if kinds[0] == _FLOAT:
        return as_dtype(first) if first in (np.float16, np.float64) else float32
    if _FLOAT in kinds:
        return float32
    if _is_large(array, int64):
        raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
    return int64 if _is_large(array, int32) else int32


def _is_compatible(dtype: DType, natural: DType) -> bool:
    """Whether a value of the natural dtype `natural` may be converted to `dtype`."""
    if dtype in INTEGER or dtype in INT4:
        return natural in INTEGER
    if dtype in FLOAT8:
        return natural in FLOATING
    if dtype in FLOATING:
        return natural in INTEGER or natural in FLOATING
    return dtype in COMPLEX and (natural in INTEGER or natural in FLOATING or natural in COMPLEX)


def _encoded(elements: Iterable[Any], shape: tuple[int, ...]) -> np.ndarray:
    flat = [element.encode() if isinstance(element, str) else bytes(element) for element in elements]
    array = np.empty(len(flat), object)
    array[:] = flat
    return array.reshape(shape)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray):
        yield from value.flat
    elif _is_sequence(value):
        for child in value:
            yield from _leaves(child)
    else:
        yield value
