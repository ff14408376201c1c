"""How an op was made, so that a similar op can be made for other sizes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple


class Recipe(NamedTuple):
    """A call that makes an op.

    Attributes:
      maker: makes the op from `fixed`, followed by `sized`.
      fixed: the arguments that determine the computation; equal for ops of one kind.
      sized: the arguments that may contain sizes: integers, avals, ops, and tuples of these.
    """

    maker: Callable[..., Any]
    fixed: tuple[Any, ...]
    sized: tuple[Any, ...]

    def made(self, sized: tuple[Any, ...]) -> Any:
        """The op for other sizes."""
        return self.maker(*self.fixed, *sized)


def made_once(maker: Callable[..., Any]) -> Callable[..., Any]:
    """`maker`, which makes ops from sizes, with cached results. The ops have a recipe."""

    @functools.cache
    def made(*sized: Any) -> Any:
        op = maker(*sized)
        op.recipe = Recipe(maker, (), sized)
        return op

    return functools.wraps(maker)(made)
