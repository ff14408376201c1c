"""NumPy's promotion of dtypes, and conversion of arrays to the promoted dtype.

A Python number next to an array takes the array's kind, as in NumPy 2; alone it is int64 or float64. In the modes
"safe" and "all", where operands are converted implicitly, it is weak, and int32, float32 or complex128.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor, is_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.container import is_composite
from tfcompat._core.types.dtype import DType, as_dtype, bool_, complex128, float32, int32, int64, string, uint32, uint64
from tfcompat._core.types.nest import flatten
from tfcompat._core.types.shape import TensorShape
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.indexed_slices.rows import IndexedSlices
from tfcompat._ops.numpy_like.lattice import Kind, is_safe, joined

_INT32 = np.iinfo(np.int32)
# The dtypes of Python's numbers, and of their types, where operands are converted implicitly.
_WEAK: tuple[tuple[type, Kind], ...] = (
    (bool, Kind(bool_)),
    (int, Kind(int32, True)),
    (float, Kind(float32, True)),
    (complex, Kind(complex128, True)),
)


@dataclass
class Preference:
    """The options that a program has set.

    Attributes:
      is_float32: whether Python's floats are float32, and its complex numbers complex64.
      mode: how dtypes are converted: "off", "legacy" (as NumPy does), "safe" or "all".
    """

    is_float32: bool = False
    mode: str = "off"

    @property
    def is_automatic(self) -> bool:
        """Whether operands are converted implicitly."""
        return self.mode in ("safe", "all")

    def clear(self) -> None:
        """Resets the options."""
        self.is_float32, self.mode = False, "off"


preference = Preference()


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The promoted dtype of `arrays_and_dtypes` by NumPy's rules: arrays, numbers, lists of them, and dtypes.

    Where operands are converted implicitly, it is the dtype that they are converted to.

    Shapes: any.
    Dtypes: any; float64 for none.
    Raises: TypeError if they have no dtype in common.
    Source: TF 2.21 `tf.experimental.numpy.result_type`.
    """
    if preference.is_automatic:
        kind = common_kind(*arrays_and_dtypes)
        if kind is None:
            raise NotImplementedError(f"tf.experimental.numpy.result_type: no dtype is common to {arrays_and_dtypes}.")
        return kind.dtype
    return numpy_type(*arrays_and_dtypes)


def numpy_type(*arrays_and_dtypes: Any) -> DType:
    """The promoted dtype of `arrays_and_dtypes` by NumPy's rules."""
    return as_dtype(np.result_type(*(map(_spoken, flatten(arrays_and_dtypes)) if arrays_and_dtypes else [np.float64])))


def common_kind(*values: Any) -> Kind | None:
    """The kind that `values` are promoted to, ignoring None; None if some of them are never converted.

    Raises: TypeError in the mode "safe" if it would be wider than each of them, or less precise than one;
      OverflowError for a Python integer beyond int32.
    """
    kinds = [kind_of(leaf) for value in values if value is not None for leaf in _leaves(value)] or [Kind(float32, True)]
    found = kinds[0]
    for kind in kinds[1:]:
        both = None if found is None or kind is None else joined(found, kind)
        if found is None or kind is None or both is None:
            return None
        if preference.mode == "safe" and not is_safe(found, kind):
            raise TypeError(
                f"In promotion mode PromoMode.SAFE, implicit dtype promotion between ({found.dtype!r}, "
                f"weak={found.is_weak}) and ({kind.dtype!r}, weak={kind.is_weak}) is disallowed. Cast one of them, or "
                "enable the mode 'all'."
            )
        found = both
    return found


def _leaves(value: Any) -> list[Any]:
    return flatten(value) if isinstance(value, (list, tuple, dict)) else [value]


def kind_of(value: Any) -> Kind | None:
    """The kind of a tensor, an array, a number, or a type of these; None if it is never converted."""
    if getattr(type(value), "_is_weak", False):
        return Kind(value.dtype, True)
    if isinstance(value, DType):
        return Kind(value)
    if is_composite(type(value)) and not isinstance(value, IndexedSlices):
        return None
    if isinstance(value, (bytes, str)):
        return Kind(string)
    if isinstance(value, TensorShape):
        return Kind(int32)
    if isinstance(value, (np.dtype, type)) or hasattr(value, "dtype"):
        weak = next((kind for kind in _WEAK if kind[0] is value), None)
        return _strong(getattr(value, "dtype", value)) if weak is None else weak[1]
    if isinstance(value, int) and not _INT32.min <= value <= _INT32.max:
        raise OverflowError(f"Python int {value} too large to convert to np.int32")
    return next((kind for python, kind in _WEAK if isinstance(value, python)), None)


def _strong(dtype: Any) -> Kind | None:
    try:
        return Kind(as_dtype(dtype))
    except TypeError:
        return None


def _spoken(value: Any) -> Any:
    """`value` as NumPy's promotion takes it."""
    if preference.is_float32 and isinstance(value, (float, complex)):
        return np.float32(value) if isinstance(value, float) else np.complex64(value)
    if isinstance(value, (numbers.Real, np.ndarray, type)):
        return value
    if isinstance(value, DType):
        return value.as_numpy_dtype
    return as_dtype(value.dtype).as_numpy_dtype if hasattr(value, "dtype") else value


def promote_types(type1: Any, type2: Any) -> np.dtype:
    """The NumPy dtype that can hold the values of both `type1` and `type2`.

    Shapes: none.
    Dtypes: any.
    Raises: TypeError if there is no such dtype.
    Source: TF 2.21 `tf.experimental.numpy.promote_types`.
    """
    return np.promote_types(_numpy_dtype(type1), _numpy_dtype(type2))


def finfo(dtype: Any) -> np.finfo[Any]:
    """The limits of the floating `dtype`, as NumPy defines them.

    Shapes: none.
    Dtypes: floating.
    Source: TF 2.21 `tf.experimental.numpy.finfo`.
    """
    return np.finfo(_numpy_dtype(dtype))


def _numpy_dtype(dtype: Any) -> np.dtype:
    return np.dtype(dtype.as_numpy_dtype if isinstance(dtype, DType) else dtype)


def natural_dtype(value: Any) -> DType:
    """The dtype that `value` alone has as an array."""
    leaves = flatten(value) or [np.empty(0)]
    if any(isinstance(leaf, (str, bytes)) for leaf in leaves):
        return as_dtype(object)
    return result_type(*leaves)


def chosen(dtype: Any) -> DType | None:
    """The argument `dtype`, where Python's types have NumPy's meaning; None stays None."""
    if isinstance(dtype, str):
        return as_dtype(dtype)
    return result_type(dtype) if dtype else None


def wide(is_unsigned: bool) -> DType:
    """The wide integer dtype that a function returns for small integers."""
    if preference.is_automatic:
        return uint32 if is_unsigned else int32
    return uint64 if is_unsigned else int64


def default_float() -> DType:
    """The floating dtype that a function returns for integers."""
    return result_type(float)


def asarray(a: Any, dtype: Any = None) -> Any:
    """The tensor of `a`, unchanged if it is a tensor, with the elements converted to `dtype` if that is given.

    Shapes: any -> the same.
    Dtypes: any -> `dtype`; of Python's numbers int64, float64 (or float32, if that is preferred) and complex128.
    Source: TF 2.21 `tf.experimental.numpy.asarray`.
    """
    wanted = chosen(dtype)
    if type(a) is Tensor:
        return a if wanted is None else cast(a, wanted)
    wanted = wanted or natural_dtype(a)
    if wanted.is_complex and isinstance(a, (list, tuple)) and not any(map(is_tensor, flatten(a))):
        a = np.array(a, wanted.as_numpy_dtype)  # which may mix real and complex numbers
    return cast(convert_to_tensor(a, dtype_hint=wanted), wanted)


def promoted(*arrays: Any) -> list[Any]:
    """The tensors of `arrays`, all converted to their promoted dtype."""
    return _promoted(arrays, result_type)


def promoted_as_numpy(*arrays: Any) -> list[Any]:
    """The same by NumPy's rules in every mode, as TensorFlow's NumPy arithmetic does."""
    return _promoted(arrays, numpy_type)


def _promoted(arrays: tuple[Any, ...], common: Callable[..., DType]) -> list[Any]:
    first = arrays[0]._aval.dtype if type(arrays[0]) is Tensor else None
    if first is not None and all(type(array) is Tensor and array._aval.dtype is first for array in arrays):
        return list(arrays)
    dtype = common(*arrays)
    return [asarray(array, dtype) for array in arrays]


def is_inexact(dtype: DType) -> bool:
    """Whether `dtype` is floating or complex for NumPy, which does not know bfloat16."""
    return np.issubdtype(dtype.as_numpy_dtype, np.inexact)


def floating(value: Any) -> Any:
    """The tensor of `value`; converted to the default floating dtype unless it is floating or complex."""
    array = asarray(value)
    return array if is_inexact(array.dtype) else cast(array, default_float())
