"""Which dtype NumPy's rules make of several, and arrays of it.

A Python number beside an array takes the array's kind, as in NumPy 2; alone it is int64 or float64.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dtype import DType, as_dtype
from tfcompat._core.nest import flatten
from tfcompat._core.tensor import Tensor
from tfcompat._ops.elementwise.rounding import cast


@dataclass
class Preference:
    """What a program has chosen.

    Attributes:
      is_float32: whether Python's floats count as float32, its complex numbers as complex64.
    """

    is_float32: bool = False

    def clear(self) -> None:
        """Nothing chosen."""
        self.is_float32 = False


preference = Preference()


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype that NumPy's rules make of `arrays_and_dtypes`: arrays, numbers, lists of them, and dtypes.

    Shapes: any.
    Dtypes: any; float64 for none.
    Raises: TypeError if they have no dtype in common.
    Source: TF 2.21 `tf.experimental.numpy.result_type`.
    """
    return as_dtype(np.result_type(*(map(_spoken, flatten(arrays_and_dtypes)) if arrays_and_dtypes else [np.float64])))


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
    """The NumPy dtype that values of `type1` and of `type2` both fit.

    Shapes: none.
    Dtypes: any.
    Raises: TypeError if there is none.
    Source: TF 2.21 `tf.experimental.numpy.promote_types`.
    """
    return np.promote_types(_numpy_dtype(type1), _numpy_dtype(type2))


def finfo(dtype: Any) -> np.finfo[Any]:
    """The limits of the floating `dtype`, as NumPy tells them.

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
    """The argument `dtype`, of which Python's types are NumPy's; None for none."""
    return result_type(dtype) if dtype else None


def default_float() -> DType:
    """What integers become where a function answers fractions."""
    return result_type(float)


def asarray(a: Any, dtype: Any = None) -> Any:
    """The tensor of `a`, itself if it is one, with the elements converted to `dtype` if that is given.

    Shapes: any -> the same.
    Dtypes: any -> `dtype`; of Python's numbers int64, float64 (or float32, if that is preferred) and complex128.
    Source: TF 2.21 `tf.experimental.numpy.asarray`.
    """
    wanted = chosen(dtype)
    if type(a) is Tensor:
        return a if wanted is None else cast(a, wanted)
    wanted = wanted or natural_dtype(a)
    return cast(convert_to_tensor(a, dtype_hint=wanted), wanted)


def promoted(*arrays: Any) -> list[Any]:
    """The tensors of `arrays`, all of the dtype that theirs promote to."""
    first = arrays[0]._aval.dtype if type(arrays[0]) is Tensor else None
    if first is not None and all(type(array) is Tensor and array._aval.dtype is first for array in arrays):
        return list(arrays)
    dtype = result_type(*arrays)
    return [asarray(array, dtype) for array in arrays]


def is_inexact(dtype: DType) -> bool:
    """Whether NumPy counts `dtype` among its floating and complex ones: of bfloat16 it knows nothing."""
    return np.issubdtype(dtype.as_numpy_dtype, np.inexact)


def floating(value: Any) -> Any:
    """The tensor of `value`; what is neither floating nor complex becomes the default floating dtype."""
    array = asarray(value)
    return array if is_inexact(array.dtype) else cast(array, default_float())
