"""`==` and `!=` on tensors."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import by_row, element_trace
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import bool_
from tfcompat._jaxpr.size import broadcast_shapes, has_symbols
from tfcompat._ops.elementwise import comparison


@dispatched
def eq(self: Any, other: Any) -> Any:
    """`self == other`: elementwise, False for shapes that do not broadcast and for None.

    Source: TF 2.21 `tf.__operators__.eq`.
    """
    return _compared(comparison.equal, _equal_or_false, self, other, False)


@dispatched
def ne(self: Any, other: Any) -> Any:
    """`self != other`: elementwise, True for shapes that do not broadcast and for None.

    Source: TF 2.21 `tf.__operators__.ne`.
    """
    return _compared(comparison.not_equal, _not_equal_or_true, self, other, True)


def is_foreign(other: Any) -> bool:
    """Whether the operators of `other` go before those of a tensor."""
    return getattr(other, "__array_priority__", 0) > Tensor.__array_priority__


def _compared(
    public: Callable[..., Any], of_any_shapes: Callable[..., Any], tensor: Tensor, other: Any, otherwise: bool
) -> Any:
    if type(tensor) is not Tensor:
        tensor = convert_to_tensor(tensor)
    if other is None or is_foreign(other):
        return otherwise if other is None else NotImplemented
    held = as_tensor(other)
    right = convert_to_tensor(other, tensor.dtype) if held is None else held
    if right.dtype is tensor.dtype and not _do_broadcast(tensor, right):
        if element_trace() is None or not has_symbols((*tensor._aval.shape, *right._aval.shape)):
            return Tensor(np.array(otherwise))
        # The sizes of an element may be equal after all.
        if _has_open_beside_fixed(tensor, right):
            return of_any_shapes(tensor, right)
    return public(tensor, right)


def _do_broadcast(x: Tensor, y: Tensor) -> bool:
    try:
        broadcast_shapes(x._aval.shape, y._aval.shape)
    except ValueError:
        return False
    return True


def _has_open_beside_fixed(x: Tensor, y: Tensor) -> bool:
    pairs = itertools.zip_longest(reversed(x.shape.as_list()), reversed(y.shape.as_list()), fillvalue=1)
    return any(None in pair and pair != (None, None) and 1 not in pair for pair in pairs)


@by_row("x", "y", specs=lambda **_: TensorSpec(None, bool_))
def _equal_or_false(x: Tensor, y: Tensor) -> Tensor:
    return comparison.equal(x, y) if _do_broadcast(x, y) else Tensor(np.array(False))


@by_row("x", "y", specs=lambda **_: TensorSpec(None, bool_))
def _not_equal_or_true(x: Tensor, y: Tensor) -> Tensor:
    return comparison.not_equal(x, y) if _do_broadcast(x, y) else Tensor(np.array(True))
