"""Python's operators on ragged tensors, and their subscripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core.calls.by_trial import by_host, or_by_host
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._ops.elementwise import algebraic, bitwise, comparison
from tfcompat._ops.ragged.elementwise import together
from tfcompat._ops.ragged.subscript import ragged_getitem
from tfcompat._ops.ragged.tensor import RaggedTensor

_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": algebraic.add,
    "sub": algebraic.subtract,
    "mul": algebraic.multiply,
    "truediv": algebraic.truediv,
    "div": algebraic.truediv,
    "floordiv": algebraic.floordiv,
    "mod": algebraic.floormod,
    "pow": algebraic.pow,
    "and": bitwise.and_,
    "or": bitwise.or_,
    "xor": bitwise.xor,
}
_COMPARISON: dict[str, Callable[..., Any]] = {
    "lt": comparison.less,
    "le": comparison.less_equal,
    "gt": comparison.greater,
    "ge": comparison.greater_equal,
}


def _forward(function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: _result(function, self, other)


def _reflected(function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: _result(function, other, self)


def _result(function: Callable[..., Any], one: Any, other: Any) -> Any:
    """`function(one, other)`. In functions of elements, the host computes what no trace can hold."""
    try:
        return together(function, one, other)
    except Exception as refusal:
        found = by_host(refusal, function, (one, other), {})
        if found is None:
            raise
        return found


def _equality(function: Callable[..., Any], otherwise: bool) -> Callable[[Any, Any], Any]:
    """TensorFlow's `==` and `!=`: `otherwise` for None, and where rows do not fit."""

    def operate(self: Any, other: Any) -> Any:
        if other is None:
            return otherwise
        try:
            return _result(function, self, other)
        except (InvalidArgumentError, ValueError):
            return otherwise

    return operate


def _attach() -> None:
    for name, function in _ARITHMETIC.items():
        setattr(RaggedTensor, f"__{name}__", _forward(function))
        setattr(RaggedTensor, f"__r{name}__", _reflected(function))
    for name, function in _COMPARISON.items():
        setattr(RaggedTensor, f"__{name}__", _forward(function))
    unary: dict[str, Callable[..., Any]] = {
        "neg": algebraic.negative,
        "abs": algebraic.abs,
        "invert": bitwise.not_,
    }
    for name, function in unary.items():
        setattr(RaggedTensor, f"__{name}__", lambda self, f=function: self.with_flat_values(f(self.flat_values)))
    RaggedTensor.__eq__ = _equality(comparison.equal, False)
    RaggedTensor.__ne__ = _equality(comparison.not_equal, True)
    RaggedTensor.__getitem__ = lambda self, key: or_by_host(ragged_getitem, (self, key), {})  # pyright: ignore[reportAttributeAccessIssue]


_attach()
