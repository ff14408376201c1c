"""Descriptions of the differences of two values, for failures of `tf.test.TestCase`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import is_tensor
from tfcompat._core.types.container import is_namedtuple
from tfcompat._ops.ragged.tensor import RaggedTensor

_SHOWN = 10
# Types that NumPy neither prints nor compares well.
_NARROW = ("bfloat16",)


def array_of(value: Any) -> np.ndarray:
    """`value`, with tensors in it evaluated, as an array with a dtype that NumPy supports."""
    array = ndarray_of(value)
    return array.astype(np.float32) if array.dtype.name in _NARROW else array


def ndarray_of(value: Any) -> np.ndarray:
    """`value`, with tensors in it evaluated, as an array."""
    return value if isinstance(value, np.ndarray) else np.asarray(_plain(value))


def inequality(a: Any, b: Any) -> str | None:
    """A description of the differences of `a` and `b`; None if they are equal. nan is equal to itself."""
    if isinstance(a, RaggedTensor) or isinstance(b, RaggedTensor):
        left, right = _rows(a), _rows(b)
        return None if left == right else f"not equal: {left} and {right}"
    first, second = _of_text(array_of(a)), _of_text(array_of(b))
    if first.shape != second.shape:
        return f"the shapes differ: {first.shape} and {second.shape}"
    same = first == second
    if first.dtype.kind in "fc" and second.dtype.kind in "fc":
        same = same | (np.isnan(first) & np.isnan(second))
    return None if np.all(same) else f"not equal {_places(~np.asarray(same), first, second)}"


def distance(a: Any, b: Any, rtol: float, atol: float, path: str = "") -> str | None:
    """A description of the differences of `a` and `b`, or of their members; None if they are within the tolerances.

    Raises: ValueError if only one of them is a dictionary.
    """
    a, b = _opened(a), _opened(b)
    if isinstance(a, Mapping) != isinstance(b, Mapping):
        raise ValueError(f"tf.test: cannot compare a dictionary with {b if isinstance(a, Mapping) else a!r}{path}.")
    if isinstance(a, Mapping):
        if a.keys() != b.keys():
            return f"the keys differ{path}: {sorted(a)} and {sorted(b)}"
        pairs = [(a[key], b[key], f"{path}[{key!r}]") for key in a]
        return next((found for x, y, where in pairs if (found := distance(x, y, rtol, atol, where))), None)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and not _are_regular(a, b):
        if len(a) != len(b):
            return f"the lengths differ{path}: {len(a)} and {len(b)}"
        pairs = [(x, y, f"{path}[{k}]") for k, (x, y) in enumerate(zip(a, b, strict=True))]
        return next((found for x, y, where in pairs if (found := distance(x, y, rtol, atol, where))), None)
    return _numeric_distance(array_of(a), array_of(b), rtol, atol, path)


def _numeric_distance(a: np.ndarray, b: np.ndarray, rtol: float, atol: float, path: str) -> str | None:
    if a.shape != b.shape:
        return f"the shapes differ{path}: {a.shape} and {b.shape}"
    close = np.isclose(a, b, rtol, atol, equal_nan=True)
    if close.all():
        return None
    return f"not close{path} (rtol={rtol}, atol={atol}) {_places(~close, a, b)}"


def _places(bad: np.ndarray, a: np.ndarray, b: np.ndarray) -> str:
    if not bad.ndim:
        return f": {a!r} and {b!r}"
    where = np.argwhere(bad)[:_SHOWN].tolist()
    more = f", the first {_SHOWN} of {bad.sum()}" if bad.sum() > _SHOWN else ""
    return f"at {where}{more}: {a[bad][:_SHOWN].tolist()} and {b[bad][:_SHOWN].tolist()}"


def _opened(value: Any) -> Any:
    """The dictionary of a named tuple, the rows of a ragged tensor; any other value unchanged."""
    if isinstance(value, RaggedTensor):
        return _rows(value)
    return value._asdict() if is_namedtuple(type(value)) else value


def _rows(value: Any) -> Any:
    """`value` as nested lists of numbers."""
    if isinstance(value, (list, tuple)):
        return [_rows(item) for item in value]
    return value.to_list() if isinstance(value, RaggedTensor) else array_of(value).tolist()


def _are_regular(a: Any, b: Any) -> bool:
    """Whether NumPy converts both to arrays of numbers."""
    try:
        return array_of(a).dtype.kind != "O" and array_of(b).dtype.kind != "O"
    except ValueError:
        return False


def _plain(value: Any) -> Any:
    """`value` with arrays in place of tensors."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return np.asarray(value) if is_tensor(value) else value


def _of_text(array: np.ndarray) -> np.ndarray:
    """The array with texts encoded as bytes, as in tensors."""
    return np.char.encode(array, "utf-8").astype(object) if array.dtype.kind == "U" else array
