"""The least and the largest value of a size with symbols."""

from __future__ import annotations

import ast
import functools
import itertools
import operator
from collections.abc import Callable, Mapping
from typing import Any

from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.size import is_open, symbols_of, value_of

Range = tuple[int, int]

# Axes of size 0 and 1 broadcast and vanish: only symbols for sizes that a program finds itself represent them, too.
LEAST = 2
FOUND = "u"
# The end of the names of those that are not 0.
POSITIVE = "p"
# A size with one symbol is evaluated for each of its values, up to this many; others by intervals.
MOST_VALUES = 4096
# Indices and sizes are computed in 32 bits.
LIMIT = 2**31


def bounds(size: Any, largest: Mapping[str, int]) -> Range:
    """The least and the largest value of `size` where each symbol is at most what `largest` says.

    It is at least 2, or less if its name says so (see `least_of`). For a size with one symbol the bounds are exact. For
    others both may lie further outside.

    Raises: NoRule if `largest` says nothing about a symbol, or if 32 bits cannot hold the size.
    """
    if not is_open(size):
        return int(size), int(size)
    symbols = sorted(symbols_of([size]))
    if not largest.keys() >= set(symbols):
        raise NoRule("size", f"a loop or a branch finds {size}")
    return _bounds(str(size), size, tuple((name, largest[name]) for name in symbols))


def least_of(name: str) -> int:
    """The least value of a symbol."""
    if not name.startswith(FOUND):
        return LEAST
    return 1 if name.endswith(POSITIVE) else 0


@functools.lru_cache(maxsize=4096)
def _bounds(text: str, size: Any, largest: tuple[tuple[str, int], ...]) -> Range:
    found = _interval(ast.parse(text.replace("^", "**"), mode="eval").body, dict(largest), text)
    if len(largest) == 1 and largest[0][1] <= MOST_VALUES:
        ((name, most),) = largest
        values = [value_of(size, {name: value}) for value in range(least_of(name), most + 1)]
        return min(values), max(values)
    return found


def _interval(node: ast.expr, largest: Mapping[str, int], text: str) -> Range:
    """The range of an expression, from those of its parts."""
    match node:
        case ast.Constant(value=int(value)):
            found = value, value
        case ast.Name(id=name):
            found = least_of(name), largest[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            least, most = _interval(operand, largest, text)
            found = -most, -least
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            parts = _interval(left, largest, text), _interval(right, largest, text)
            found = _combined(_OPERATORS[type(sign)], *parts)
        case ast.Call(func=ast.Name(id=name), args=[left, right]) if name in _FUNCTIONS:
            found = _FUNCTIONS[name](_interval(left, largest, text), _interval(right, largest, text), text)
        case _:
            raise NoRule("size", f"cannot bound {text}")
    if max(map(abs, found)) >= LIMIT:
        raise NoRule("size", f"{text} can exceed 32 bits")
    return found


def _combined(function: Callable[[int, int], int], left: Range, right: Range) -> Range:
    """The range of a function that is monotone in each of its arguments."""
    values = [function(*pair) for pair in itertools.product(left, right)]
    return min(values), max(values)


def _quotient(left: Range, right: Range, text: str) -> Range:
    if right[0] <= 0 <= right[1]:
        raise NoRule("size", f"{text} can divide by 0")
    return _combined(operator.floordiv, left, right)


def _remainder(left: Range, right: Range, text: str) -> Range:
    if right[0] <= 0:
        raise NoRule("size", f"{text} has a remainder of a divisor that can be less than 1")
    return left if left[0] >= 0 and left[1] < right[0] else (0, right[1] - 1)


_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
}

_FUNCTIONS: dict[str, Callable[[Range, Range, str], Range]] = {
    "floordiv": _quotient,
    "mod": _remainder,
    "max": lambda left, right, _: _combined(max, left, right),
    "min": lambda left, right, _: _combined(min, left, right),
}
