"""Abstract values: the shape and dtype of a tensor that has no value yet, interned."""

from __future__ import annotations

import math
import threading
from typing import Any, NoReturn
from weakref import WeakValueDictionary

import jax

from tfcompat._core.system.error import UntraceableError
from tfcompat._core.types.dtype import INTEGER, DType, as_dtype
from tfcompat._core.types.shape import TensorShape
from tfcompat._jaxpr.size import is_open

# The most elements of integers that ops compute at once, since they may become shapes, axes, paddings or places: of
# vectors, and of other tensors. More are likely to be data, whose recordings should not differ by their sizes.
_MOST_IN_VECTOR, _MOST_ELEMENTS = 64, 16


class Aval:
    """The abstract value of a tensor. There is one object per shape and type at a time, so identity is equality.

    Attributes:
      is_empty: whether it has no elements.
      kind: the dtype and, for each axis, whether its size is 0, 1 or larger. Derivatives depend on this alone.
    """

    __slots__ = (
        *("__weakref__", "dtype", "is_empty", "is_small_integer", "kind", "nbytes", "ndim", "shape", "size", "struct"),
        "tensor_shape",
    )

    def __init__(self, shape: tuple[int, ...], dtype: DType) -> None:
        self.shape = shape
        self.dtype = dtype
        self.ndim = len(shape)
        self.size = math.prod(shape)
        self.is_empty = self.size == 0
        most = _MOST_IN_VECTOR if self.ndim == 1 else _MOST_ELEMENTS
        self.is_small_integer = self.size <= most and dtype in INTEGER
        self.nbytes = self.size * dtype.size
        self.kind = (dtype, *[min(size, 2) for size in shape])
        self.tensor_shape = TensorShape._of(shape)
        # None for strings, which stay on the host.
        self.struct: Any = None
        if dtype.as_numpy_dtype is not object:
            self.struct = jax.ShapeDtypeStruct(shape, dtype.as_numpy_dtype)

    def __repr__(self) -> str:
        return f"{self.dtype.name}[{','.join(map(str, self.shape))}]"


class SymbolicAval:
    """The abstract value of a tensor in all recordings of a family, or in a trace with open dimensions.

    Its sizes may be expressions of symbols, each of which is at least 2. Those of equal shapes are equal. They are not
    interned, because symbols are short-lived.
    """

    __slots__ = ("dtype", "ndim", "shape", "struct")

    is_empty = is_small_integer = False
    nbytes = 0

    def __init__(self, shape: tuple[Any, ...], dtype: DType) -> None:
        self.shape = shape
        self.dtype = dtype
        self.ndim = len(shape)
        # None for strings, as in `Aval`.
        self.struct: Any = None
        if dtype.as_numpy_dtype is not object:
            self.struct = jax.ShapeDtypeStruct(shape, dtype.as_numpy_dtype)

    @property
    def size(self) -> Any:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def tensor_shape(self) -> TensorShape:
        """The shape as users see it: None for a size with symbols."""
        return TensorShape._of(tuple([size if type(size) is int else None for size in self.shape]))

    @property
    def kind(self) -> tuple[Any, ...]:
        """See `Aval`."""
        return (self.dtype, *[min(size, 2) if type(size) is int else 2 for size in self.shape])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SymbolicAval) and self.dtype is other.dtype and self.shape == other.shape

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"{self.dtype.name}[{','.join(map(str, self.shape))}]"


class OpenAval:
    """The abstract value of a tensor whose shape is unknown until `set_shape`; ops refuse it until then.

    Attributes:
      refusal: the error for code that asks for the shape.
    """

    __slots__ = ("dtype", "refusal", "tensor_shape")

    is_empty = is_small_integer = False

    def __init__(self, shape: TensorShape, dtype: DType, refusal: UntraceableError) -> None:
        self.tensor_shape = shape
        self.dtype = dtype
        self.refusal = refusal

    def __getattr__(self, name: str) -> NoReturn:
        raise self.refused()

    def refused(self) -> UntraceableError:
        """An error like `refusal`, to raise."""
        return type(self.refusal)(*self.refusal.args)

    def __repr__(self) -> str:
        return f"{self.dtype.name}{self.tensor_shape}"


_Key = tuple[tuple[int, ...], DType]
_interned: WeakValueDictionary[_Key, Aval] = WeakValueDictionary()
# Some of them, for fast access.
_recent: dict[_Key, Aval] = {}
_MOST_RECENT = 1024
# Reentrant: the handler of a signal may make avals too.
_interning = threading.RLock()


def aval_of(shape: tuple[int, ...], dtype: DType) -> Aval:
    """The interned `Aval` of `shape` (a tuple of ints) and `dtype`; a `SymbolicAval` if a size contains a symbol."""
    found = _recent.get((shape, dtype))
    if found is None:
        if any(map(jax.export.is_symbolic_dim, shape)):
            return SymbolicAval(shape, dtype)  # pyright: ignore[reportReturnType]  # represents the avals of a family
        with _interning:
            found = _interned.get((shape, dtype))
            if found is None:
                found = _interned[shape, dtype] = Aval(shape, dtype)
            if len(_recent) >= _MOST_RECENT:
                _recent.clear()
            _recent[shape, dtype] = found
    return found


def aval_like(array: Any) -> Aval:
    """The `Aval` of a NumPy or JAX array, or of anything with `shape` and `dtype`."""
    return aval_of(tuple(array.shape), as_dtype(array.dtype))


def fits(aval: Any, shape: Any) -> bool:
    """Whether a tensor of `aval` has every size that is known in `shape`, which converts to a `TensorShape`.

    A size with symbols differs from every known size, since it may have another value.
    """
    if not aval.tensor_shape.is_compatible_with(shape):
        return False
    if type(aval) is not SymbolicAval:
        return True
    dims = TensorShape(shape)
    return dims.rank is None or all(
        known is None or (not is_open(size) and size == known) for size, known in zip(aval.shape, dims, strict=True)
    )
