"""The promoted dtype of two dtypes under implicit conversion: their least upper bound in a lattice.

A weak dtype is that of a Python number: it yields to every other dtype of its kind.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from tfcompat._core.types import dtype as types
from tfcompat._core.types.dtype import DType


class Kind(NamedTuple):
    """A dtype, and whether it is weak."""

    dtype: DType
    is_weak: bool = False


# Each line: a dtype, those right above it. "*" marks a weak one.
_ABOVE = """
bool: int32*
int32*: int64*
int64*: uint8 int8 float32*
uint8: uint16 int16
uint16: uint32 int32
uint32: uint64 int64
uint64: float64*
int8: int16
int16: int32
int32: int64
int64: float64*
float32*: float64*
float64*: bfloat16 float16 complex128*
bfloat16: float32
float16: float32
float32: float64 complex64
float64: complex128
complex128*: complex64
complex64: complex128
complex128:
"""
# The number of bits of the whole numbers that the dtypes hold.
_BITS = {
    types.int8: 7,
    types.uint8: 8,
    types.int16: 15,
    types.uint16: 16,
    types.int32: 31,
    types.uint32: 32,
    types.int64: 63,
    types.uint64: 64,
}
_PRECISION = {
    types.bfloat16: 8,
    types.float16: 11,
    types.float32: 24,
    types.complex64: 24,
    types.float64: 53,
    types.complex128: 53,
}


def _kind(spelled: str) -> Kind:
    return Kind(types.as_dtype(spelled.removesuffix("*")), spelled.endswith("*"))


def _closed(lines: str) -> dict[Kind, frozenset[Kind]]:
    """Each kind with all kinds above it, and itself."""
    direct = {name: above.split() for name, _, above in (line.partition(":") for line in lines.split("\n") if line)}

    def reach(name: str) -> frozenset[str]:
        return frozenset({name}.union(*map(reach, direct[name])))

    return {_kind(name): frozenset(map(_kind, reach(name))) for name in direct}


_REACHED = _closed(_ABOVE)


@functools.cache
def joined(x: Kind, y: Kind) -> Kind | None:
    """The kind that `x` and `y` promote to; None if one of the dtypes is never converted."""
    if x not in _REACHED or y not in _REACHED:
        return None
    common = _REACHED[x] & _REACHED[y]
    return next(kind for kind in common if common <= _REACHED[kind])


@functools.cache
def is_safe(x: Kind, y: Kind) -> bool:
    """Whether `x` and `y` promote to the dtype of one of them, which holds every whole number of the other."""
    found = joined(x, y)
    if found is None or found.dtype not in (x.dtype, y.dtype):
        return False
    most = _PRECISION.get(found.dtype)
    return most is None or all(kind.is_weak or _BITS.get(kind.dtype, 0) <= most for kind in (x, y))
