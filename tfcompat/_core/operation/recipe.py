"""How an op was made, so that a similar op can be made for other sizes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tfcompat._jaxpr.size import has_symbols


class Recipe(NamedTuple):
    """A call that makes an op.

    Attributes:
      maker: makes the op from `fixed`, followed by `sized`.
      fixed: the arguments that determine the computation; equal for ops of one kind.
      sized: the arguments that may contain sizes: integers, avals, ops, and tuples of these.
      find: takes `sized`, and returns the op from a cache. None if ops of this kind are not cached.
    """

    maker: Callable[..., Any]
    fixed: tuple[Any, ...]
    sized: tuple[Any, ...]
    find: Callable[[tuple[Any, ...]], Any] | None = None

    def ops(self) -> Iterator[Any]:
        """The ops that the op is made of."""
        return _ops(self.sized)

    def made(self, sized: tuple[Any, ...]) -> Any:
        """A new op for other sizes, which may contain symbols."""
        return self.maker(*self.fixed, *sized)

    def found(self, sized: tuple[Any, ...]) -> Any:
        """The op for other sizes, all of them integers."""
        return self.made(sized) if self.find is None else self.find(sized)


def _ops(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _ops(part)
    elif hasattr(value, "recipe"):
        yield value


class Hashed:
    """A large part of `Recipe.fixed`, or of its substitute in comparisons. Its hash is computed once.

    Attributes:
      value: the part.
    """

    __slots__ = ("_hash", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._hash = hash(value)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Hashed) and self._hash == other._hash and self.value == other.value

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return repr(self.value)


def made_once(maker: Callable[..., Any]) -> Callable[..., Any]:
    """`maker`, which makes ops from sizes, with cached results unless they contain symbols. The ops have a recipe."""

    known: dict[Any, Any] = {}

    def made(*sized: Any) -> Any:
        op = known.get(sized)
        if op is None:
            op = maker(*sized)
            op.recipe = Recipe(maker, (), sized, lambda other: made(*other))
            if not has_symbols(sized):
                known[sized] = op
        return op

    return functools.wraps(maker)(made)
