"""Element types: TensorFlow's `DType` objects, and the sets of them that ops accept.

A `DType` is interned: there is one object per type, so the recorder compares types with `is`. It compares equal to its
name and to its NumPy type, as in TensorFlow.
"""

from __future__ import annotations

from typing import Any, cast

import ml_dtypes
import numpy as np


class DType:
    """The element type of a tensor.

    Source: TF 2.21 `tf.dtypes.DType`.
    """

    __slots__ = ("_enum", "_name", "_numpy")

    def __init__(self, name: str, enum: int, numpy_type: Any) -> None:
        self._name = name
        self._enum = enum
        self._numpy = np.dtype(numpy_type)

    @property
    def name(self) -> str:
        """The type's name, `"float32"`."""
        return self._name

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy scalar type; `object` for strings."""
        return object if self._numpy.kind == "O" else self._numpy.type

    @property
    def as_datatype_enum(self) -> int:
        """The number of this type in TensorFlow's `DataType` enumeration."""
        return self._enum

    @property
    def base_dtype(self) -> DType:
        """This type itself: TensorFlow 2 has no reference types."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The type of the real part: float32 for complex64, itself otherwise."""
        return {complex64: float32, complex128: float64}.get(self, self)

    @property
    def is_floating(self) -> bool:
        """Whether this is a real floating point type."""
        return self in FLOATING or self in _NARROW_FLOATING

    @property
    def is_numeric(self) -> bool:
        """Whether this is a type of numbers, complex ones included; bool is not."""
        return self.is_floating or self.is_integer or self.is_complex

    @property
    def is_integer(self) -> bool:
        """Whether this is an integer type, signed or not."""
        return self in INTEGER or self in _NARROW_INTEGER

    @property
    def is_complex(self) -> bool:
        """Whether this is a complex type."""
        return self in COMPLEX

    @property
    def is_bool(self) -> bool:
        """Whether this is the boolean type."""
        return self is bool_

    @property
    def is_unsigned(self) -> bool:
        """Whether this is an unsigned integer type."""
        return self in UNSIGNED or self in (uint2, uint4)

    @property
    def is_quantized(self) -> bool:
        """False: quantised types are not supported."""
        return False

    @property
    def is_numpy_compatible(self) -> bool:
        """Whether NumPy arrays of this type exist."""
        return self not in (resource, variant)

    @property
    def size(self) -> int:
        """Bytes per element; 0 for strings, whose size varies."""
        return 0 if self._numpy.kind == "O" else self._numpy.itemsize

    @property
    def min(self) -> Any:
        """The lowest finite value. Raises TypeError if the type has no order."""
        return self._limit("min")

    @property
    def max(self) -> Any:
        """The highest finite value. Raises TypeError if the type has no order."""
        return self._limit("max")

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range that images of this type use: (0, 1) for floating types. Raises ValueError for other types."""
        if self in (float16, float32, float64):
            return 0, 1
        if self is bool_:
            return 0, True
        if self not in (int8, int16, int32, int64, uint8, uint16, uint32, uint64):
            raise ValueError(f"{self} does not have defined limits.")
        return 0, self.max

    def is_compatible_with(self, other: Any) -> bool:
        """Whether `other` names this type."""
        return self is as_dtype(other)

    def _limit(self, which: str) -> Any:
        if self.is_floating:
            return getattr(cast(Any, ml_dtypes.finfo(self._numpy)), which)
        if self.is_integer:
            return getattr(ml_dtypes.iinfo(self._numpy), which)
        raise TypeError(f"Cannot find {which}imum value of {self} with type {self}.")

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        if other is None or isinstance(other, DType):
            return False
        if type(other) is str:
            return _BY_VALUE.get(other) is self
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"tf.{self._name}"

    def __str__(self) -> str:
        return f"<dtype: '{self._name}'>"

    def __int__(self) -> int:
        return self._enum

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self._name,)


float32 = DType("float32", 1, np.float32)
float64 = DType("float64", 2, np.float64)
int32 = DType("int32", 3, np.int32)
uint8 = DType("uint8", 4, np.uint8)
int16 = DType("int16", 5, np.int16)
int8 = DType("int8", 6, np.int8)
string = DType("string", 7, np.object_)
complex64 = DType("complex64", 8, np.complex64)
int64 = DType("int64", 9, np.int64)
bool_ = DType("bool", 10, np.bool_)
bfloat16 = DType("bfloat16", 14, ml_dtypes.bfloat16)
uint16 = DType("uint16", 17, np.uint16)
complex128 = DType("complex128", 18, np.complex128)
float16 = DType("float16", 19, np.float16)
resource = DType("resource", 20, np.object_)
variant = DType("variant", 21, np.object_)
uint32 = DType("uint32", 22, np.uint32)
uint64 = DType("uint64", 23, np.uint64)
float8_e5m2 = DType("float8_e5m2", 24, ml_dtypes.float8_e5m2)
float8_e4m3fn = DType("float8_e4m3fn", 25, ml_dtypes.float8_e4m3fn)
float8_e4m3fnuz = DType("float8_e4m3fnuz", 26, ml_dtypes.float8_e4m3fnuz)
float8_e4m3b11fnuz = DType("float8_e4m3b11fnuz", 27, ml_dtypes.float8_e4m3b11fnuz)
float8_e5m2fnuz = DType("float8_e5m2fnuz", 28, ml_dtypes.float8_e5m2fnuz)
int4 = DType("int4", 29, ml_dtypes.int4)
uint4 = DType("uint4", 30, ml_dtypes.uint4)
int2 = DType("int2", 31, ml_dtypes.int2)
uint2 = DType("uint2", 32, ml_dtypes.uint2)
float4_e2m1fn = DType("float4_e2m1fn", 33, ml_dtypes.float4_e2m1fn)

FLOATING = frozenset((bfloat16, float16, float32, float64))
COMPLEX = frozenset((complex64, complex128))
UNSIGNED = frozenset((uint8, uint16, uint32, uint64))
INTEGER = UNSIGNED | frozenset((int8, int16, int32, int64))
INDEX = frozenset((int32, int64))
WIDE = frozenset((int64, uint64, float64, complex128))
REAL = frozenset((bfloat16, float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64))
TRAINABLE = FLOATING | COMPLEX
INEXACT = frozenset((bfloat16, float16, float32, float64, complex64, complex128))
NUMERIC = REAL | COMPLEX
BOOL = frozenset((bool_,))
DENSE = NUMERIC | BOOL
MOVABLE = DENSE | frozenset((string,))
ADDABLE = NUMERIC | frozenset((string,))

# Types of one byte or less. TensorFlow converts the two FLOAT8 types and INT4, and copies parts of
# tensors of FLOAT8; tensors of the others come from arrays, take another shape, and are read.
FLOAT8 = frozenset((float8_e5m2, float8_e4m3fn))
INT4 = frozenset((int4, uint4))
_NARROW_FLOATING = FLOAT8 | frozenset((float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz, float4_e2m1fn))
_NARROW_INTEGER = INT4 | frozenset((int2, uint2))
NARROW = _NARROW_FLOATING | _NARROW_INTEGER
COPIED = MOVABLE | FLOAT8
HELD = MOVABLE | NARROW
ANY = MOVABLE | FLOAT8 | INT4

_ALL = (
    *(float32, float64, int32, uint8, int16, int8, string, complex64, int64, bool_, bfloat16, uint16, complex128),
    *(float16, resource, variant, uint32, uint64, float8_e5m2, float8_e4m3fn, int4, uint4),
    *(float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz, int2, uint2, float4_e2m1fn),
)
_BY_NUMPY: dict[Any, DType] = {dtype._numpy.type: dtype for dtype in _ALL if dtype.is_numpy_compatible}
_BY_NUMPY.update({np.longlong: int64, np.ulonglong: uint64, np.bytes_: string, np.str_: string})
_BY_VALUE: dict[Any, DType] = {dtype.name: dtype for dtype in _ALL}
_BY_VALUE.update({"half": float16, "float": float32, "double": float64})
_BY_VALUE.update({dtype._enum: dtype for dtype in _ALL})
_BY_VALUE.update({float: float32, bool: bool_, object: string})
_BY_VALUE.update(_BY_NUMPY)


def as_dtype(type_value: Any) -> DType:
    """The `DType` that `type_value` names: a DType, a name, a NumPy or Python type, or TensorFlow's number of the type.

    An object with a dtype names that dtype. Only three Python types have one, `float`, `bool` and `object` (strings):
    `int` could mean 32 or 64 bits.

    Raises: TypeError if it names no dtype.
    Source: TF 2.21 `tf.as_dtype`.
    """
    if type(type_value) is DType:
        return type_value
    if type(type_value) is str and (named := _BY_VALUE.get(type_value)) is not None:
        return named
    numpy_type: Any = type_value if isinstance(type_value, np.dtype) else getattr(type_value, "dtype", None)
    if isinstance(numpy_type, np.dtype) and numpy_type.type in _BY_NUMPY:
        return _BY_NUMPY[numpy_type.type]
    try:
        return _BY_VALUE[type_value]
    except (KeyError, TypeError):
        pass
    raise TypeError(f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType.")
