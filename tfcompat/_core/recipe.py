"""How an op was made, so that one like it can be made for other sizes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple


class Recipe(NamedTuple):
    """A call that makes an op.

    Attributes:
      maker: makes the op from `fixed` and `sized`, one after another.
      fixed: the arguments that determine the computation; of two ops of one kind they are equal.
      sized: the arguments that may contain sizes: integers, avals, ops, and tuples of these.
    """

    maker: Callable[..., Any]
    fixed: tuple[Any, ...]
    sized: tuple[Any, ...]

    def made(self, sized: tuple[Any, ...]) -> Any:
        """The op for other sizes."""
        return self.maker(*self.fixed, *sized)


def made_once(maker: Callable[..., Any]) -> Callable[..., Any]:
    """`maker`, which makes ops from sizes, called once for equal ones; the ops know their recipe."""

    @functools.cache
    def made(*sized: Any) -> Any:
        op = maker(*sized)
        op.recipe = Recipe(maker, (), sized)
        return op

    return functools.wraps(maker)(made)
