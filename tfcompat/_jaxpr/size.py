"""Sizes with symbols, as jaxprs of symbolic shapes have them, and their values.

`jax.export.symbolic_shape` documents how an expression is written: `2*n*m + 1`, `n^2`, `floordiv(n, 2)`, `mod(n, 2)`,
`max(n, 1)`, `min(n, 1)`. JAX has no public function that evaluates one, so its text is evaluated.
"""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class _Expression(NamedTuple):
    """The text of a size, compiled, and the symbols in it."""

    code: CodeType
    symbols: frozenset[str]


def is_open(size: Any) -> bool:
    """Whether `size` contains a symbol."""
    return not isinstance(size, int) and jax.export.is_symbolic_dim(size)


def has_symbols(value: Any) -> bool:
    """Whether `value`, a size or nested tuples and abstract values of sizes, contains a symbol."""
    if isinstance(value, tuple):
        return any(map(has_symbols, value))
    return any(map(is_open, value.shape)) if hasattr(value, "shape") else is_open(value)


def sizes_in(value: Any) -> Iterator[Any]:
    """The sizes in nested tuples."""
    if isinstance(value, tuple):
        for part in value:
            yield from sizes_in(part)
    else:
        yield value


def broadcast_shapes(*shapes: tuple[Any, ...]) -> tuple[Any, ...]:
    """The shape to which `shapes`, whose sizes may contain symbols, broadcast. Raises ValueError if they do not."""
    common = ()
    for shape in shapes:
        if shape is not common:
            found = _broadcast(common, shape)
            if found is None:
                return (jnp if has_symbols(shapes) else np).broadcast_shapes(*shapes)
            common = found
    return common


def _broadcast(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The shape to which two shapes broadcast; None if they do not, or if that is not seen at once."""
    if len(one) < len(other):
        one, other = other, one
    found = list(one)
    for k in range(-len(other), 0):
        size, given = one[k], other[k]
        if type(size) is not int or type(given) is not int:
            return None
        if size == 1:
            found[k] = given
        elif given not in (1, size):
            return None
    return tuple(found)


def is_at_most(size: Any, other: Any) -> bool:
    """Whether `size` is at most `other`, whatever the values of the symbols in them are."""
    try:
        return bool(size <= other)
    except jax.errors.InconclusiveDimensionOperation:
        return False


def are_below(sizes: Iterable[Any], bound: int) -> bool:
    """Whether one of `sizes` is less than `bound`, whatever the values of its symbols are.

    If that depends on them, an equality that holds where the size is less is denied (see `comparison`).
    """
    return any(_is_below(size, bound) for size in sizes)


def _is_below(size: Any, bound: int) -> bool:
    try:
        return bool(size < bound)
    except jax.errors.InconclusiveDimensionOperation:
        least = bound - 1
        return bool(jax.export.symbolic_shape(f"max({size}, {least})", scope=size.scope)[0] == least)


def symbols_of(sizes: Iterable[Any]) -> frozenset[str]:
    """The names of the symbols in `sizes`."""
    return frozenset().union(*(_parsed(str(size)).symbols for size in sizes if is_open(size)))


def value_of(size: Any, values: Mapping[str, Any]) -> Any:
    """The value of `size` for the `values` of its symbols: integers, or integer scalars that JAX traces.

    Raises KeyError if a symbol has no value.
    """
    if not is_open(size):
        return int(size)
    expression = _parsed(str(size))
    given = {name: values[name] for name in expression.symbols}
    return eval(expression.code, {"__builtins__": {}}, _FUNCTIONS | given)  # names and operators only


def evaluator(sizes: Iterable[Any], symbols: Iterable[str]) -> Callable[..., tuple[Any, ...]]:
    """A function of the values of `symbols` that computes `sizes`, made to be called often.

    In place of a size there may be a tuple of sizes, with other tuples and None in it.
    """
    text = f"lambda {', '.join(symbols)}: {_text(tuple(sizes))}"
    return eval(text, {"__builtins__": {}} | _FUNCTIONS)  # names and operators only


def _text(value: Any) -> str:
    if type(value) is tuple:
        return f"({''.join(_text(part) + ', ' for part in value)})"
    return str(value).replace("^", "**")


@functools.lru_cache(maxsize=4096)
def _parsed(text: str) -> _Expression:
    tree = ast.parse(text.replace("^", "**"), mode="eval")
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return _Expression(compile(tree, text, "eval"), frozenset(names - _FUNCTIONS.keys()))


def _greater(left: Any, right: Any) -> Any:
    return max(left, right) if isinstance(left, int) and isinstance(right, int) else jnp.maximum(left, right)


def _smaller(left: Any, right: Any) -> Any:
    return min(left, right) if isinstance(left, int) and isinstance(right, int) else jnp.minimum(left, right)


_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "max": _greater,
    "min": _smaller,
}
