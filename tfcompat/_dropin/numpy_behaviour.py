"""NumPy's behaviour for tensors: methods, type promotion of operators, subscripts.

Once enabled, it stays enabled.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import bool_, int32, string
from tfcompat._dropin.weak.conversion import binary, held, unary
from tfcompat._dropin.weak.exchange import exchange, substitute
from tfcompat._dropin.weak.tensor import WeakTensor
from tfcompat._ops.array.gathering import gather, gather_nd
from tfcompat._ops.array.gathering import where as positions
from tfcompat._ops.array.indexing import getitem
from tfcompat._ops.array.joining import stack
from tfcompat._ops.array.layout import broadcast_to
from tfcompat._ops.elementwise.algebraic import abs, negative
from tfcompat._ops.elementwise.bitwise import not_ as invert
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.numpy_like import elementwise, layout, pair, product, reduction
from tfcompat._ops.numpy_like.promotion import asarray, preference, promoted
from tfcompat._ops.numpy_like.selection import where
from tfcompat._ops.operator import multiply, or_reflected
from tfcompat._state.cell import Cell

_MODES = ("off", "legacy", "safe", "all")
# Operators that convert their operands in the modes "safe" and "all"; the others do not.
_CONVERTING = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
_REFLECTED = (*_CONVERTING, "and", "or", "xor")
_COMPARING = ("lt", "le", "gt", "ge", "eq", "ne")

Operator = Callable[[Any, Any], Any]


def experimental_enable_numpy_behavior(prefer_float32: bool = False, dtype_conversion_mode: str = "legacy") -> None:
    """Gives tensors NumPy's methods and subscripts, and operators that promote dtypes.

    In the mode "legacy" operators promote as NumPy does; Python's floats count as float32 if `prefer_float32`, else as
    float64. In "safe" and "all" Python's numbers become weak tensors, and functions convert their operands, too: "safe"
    refuses a common dtype that is wider than both operands, or less precise than one. Enable it before other calls. The
    mode "off" does not promote.

    Shapes: none.
    Dtypes: none.
    Raises: ValueError for a `dtype_conversion_mode` that does not exist.
    Source: TF 2.21 `tf.experimental.numpy.experimental_enable_numpy_behavior`.
    """
    if dtype_conversion_mode not in _MODES:
        raise ValueError(
            "tf.experimental.numpy.experimental_enable_numpy_behavior: dtype_conversion_mode must be one of "
            f"{_MODES}, got {dtype_conversion_mode!r}."
        )
    preference.is_float32 = prefer_float32
    preference.mode = dtype_conversion_mode
    if Tensor.__getitem__ is not _subscript:  # pyright: ignore[reportAttributeAccessIssue]
        _install()
    if preference.is_automatic:
        exchange(__name__.partition(".")[0])


def _install() -> None:
    """Adds NumPy's behaviour to the classes of tensors and variables."""
    names = [f"__{name}__" for name in (*_REFLECTED, *_COMPARING)] + [f"__r{name}__" for name in _REFLECTED]
    operators = {name: _operator(name, getattr(Tensor, name)) for name in names}
    for name, operate in operators.items():
        setattr(Tensor, name, operate)
        setattr(WeakTensor, name, operate)
        setattr(Cell, name, _through(operate))
    for name, method in _METHODS.items():
        setattr(Tensor, name, method)
        setattr(WeakTensor, name, unary(method) if method is _reshape else substitute(method))
    for name, read in _PROPERTIES.items():
        setattr(Tensor, name, property(read))
        setattr(WeakTensor, name, property(substitute(read)))
    for name, function in (("__neg__", negative), ("__abs__", abs), ("__invert__", invert)):
        setattr(WeakTensor, name, unary(function))


def _operator(name: str, plain: Operator) -> Operator:
    """The operator that calls `plain` for tensors of one dtype, and promotes other operands according to the mode."""
    automatic, legacy = _automatic(name, plain), _legacy(name, plain)

    def operate(self: Any, other: Any) -> Any:
        if type(self) is type(other) is Tensor and other.dtype is self.dtype and name != "__matmul__":
            return plain(self, other)
        if preference.is_automatic:
            return automatic(self, other)
        return (legacy if preference.mode == "legacy" else plain)(held(self), held(other))

    return operate


def _legacy(name: str, plain: Operator) -> Operator:
    """The operator that promotes as NumPy does."""
    if name in ("__matmul__", "__rmatmul__"):
        return product.matmul if name == "__matmul__" else lambda self, other: product.matmul(other, self)

    def operate(self: Any, other: Any) -> Any:
        is_alike = type(other) is Tensor and other.dtype is self.dtype
        if is_alike or self.dtype is string or not _is_number(other):
            return plain(self, other)
        return plain(*promoted(self, other))

    return operate


def _automatic(name: str, plain: Operator) -> Operator:
    """The operator that converts its operands to their common dtype, if it is in `_CONVERTING`."""
    bare = name.strip("_")
    bare = bare if bare in _CONVERTING else bare.removeprefix("r")
    if name == "__eq__":
        equal = binary(plain, keeps_weak=False)
        return lambda self, other: plain(held(self), other) if other is None else equal(self, other)
    if bare not in _CONVERTING:
        return lambda self, other: plain(held(self), held(other))
    convert = binary(plain)
    forward = convert if name == f"__r{bare}__" else or_reflected(convert, f"__r{bare}__")
    if bare != "mul":
        return forward

    def product_or_and(self: Any, other: Any) -> Any:
        is_truth = any(getattr(each, "dtype", None) is bool_ for each in (self, other))
        return multiply(held(self), held(other)) if is_truth else forward(self, other)

    return product_or_and


def _is_number(other: Any) -> bool:
    """Whether `other` is a number or contains numbers, so that it has a dtype to promote."""
    return isinstance(other, (numbers.Number, np.ndarray, list, tuple, Tensor, Cell))


def _through(operate: Operator) -> Operator:
    """The operator of variables."""
    return lambda self, other: operate(self._read(), other)


def _subscript(tensor: Any, key: Any) -> Any:
    """The part of a tensor that `key` picks: as before, and by lists of positions and of bool."""
    self = held(tensor)
    items = _items(key)
    if getattr(key, "dtype", None) == bool_ or not any(map(_is_list, items)):
        return getitem(self, key)
    picked = {place: _positions(item) for place, item in enumerate(items) if _is_list(item)}
    part = getitem(self, tuple(slice(None) if place in picked else item for place, item in enumerate(items)))
    axes = _axes(items, self.ndim, picked)
    if len(axes) == 1:
        return gather(part, _inside(picked.popitem()[1], part, axes[0]), axis=axes[0])
    shape = np.broadcast_shapes(*[index._aval.shape for index in picked.values()])
    places = [
        _inside(broadcast_to(index, shape), part, axis) for index, axis in zip(picked.values(), axes, strict=True)
    ]
    found = gather_nd(layout.moveaxis(part, axes, list(range(len(axes)))), stack(places, -1))
    if axes != list(range(axes[0], axes[0] + len(axes))):
        return found
    return layout.moveaxis(found, list(range(len(shape))), list(range(axes[0], axes[0] + len(shape))))


def _items(key: Any) -> tuple[Any, ...]:
    """The items of a subscript; a list that contains None, Ellipsis or lists counts as a tuple."""
    if isinstance(key, list) and any(item is None or item is Ellipsis or _is_list(item) for item in key):
        return tuple(key)
    return key if isinstance(key, tuple) else (key,)


def _is_list(item: Any) -> bool:
    """Whether `item` of a subscript selects several positions along its axis."""
    return isinstance(item, (list, tuple)) or (isinstance(item, (np.ndarray, Tensor)) and item.ndim > 0)


def _positions(item: Any) -> Any:
    """The positions that an item selects."""
    array = asarray(item)
    if array.dtype is bool_:
        if array.ndim != 1:
            raise NotImplementedError(
                "tf.Tensor.__getitem__: a mask among other subscripts must be a vector; use the mask alone."
            )
        return cast(layout.ravel(positions(array)), int32)
    if not array.dtype.is_integer:
        raise IndexError(f"tf.Tensor.__getitem__: positions must be integers or bool, got {item!r}.")
    return cast(array, int32)


def _axes(items: tuple[Any, ...], rank: int, picked: dict[int, Any]) -> list[int]:
    """The axes of the items `picked` after the other items have been applied."""
    found, axis = [], 0
    taken = sum(item is not None and item is not Ellipsis for item in items)
    for place, item in enumerate(items):
        if place in picked:
            found.append(axis)
        if item is Ellipsis:
            axis += rank - taken
        elif item is None or isinstance(item, slice) or place in picked:
            axis += 1
    return found


def _inside(index: Any, part: Any, axis: int) -> Any:
    """Positions along `axis`, with negative positions converted to positive ones."""
    return where(index < 0, index + part._aval.shape[axis], index)


def _reshape(self: Any, *newshape: Any, order: str = "C") -> Any:
    is_one = len(newshape) == 1 and not isinstance(newshape[0], int)
    return layout.reshape(self, newshape[0] if is_one else newshape, order)


_PROPERTIES: dict[str, Callable[[Any], Any]] = {
    "T": layout.transpose,
    "data": lambda self: self,
    "size": layout.size,
}
_METHODS: dict[str, Any] = {
    "__getitem__": _subscript,
    "__pos__": lambda self: self,
    "__round__": elementwise.around,
    "astype": cast,
    "clip": pair.clip,
    "flatten": layout.flatten,
    "max": reduction.amax,
    "mean": reduction.mean,
    "min": reduction.amin,
    "ravel": layout.ravel,
    "reshape": _reshape,
    "tolist": lambda self: self.numpy().tolist(),
    "transpose": layout.transpose,
}
