"""Binds arguments to parameters faster than `inspect.Signature.bind`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

_EMPTY = inspect.Parameter.empty
_TAKEN = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class QuickSignature:
    """Positional-or-keyword and keyword-only parameters, without `*args` and `**kwargs`."""

    def __init__(self, parameters: Sequence[inspect.Parameter]) -> None:
        by_position = [p for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        by_keyword = [p for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
        self._positional = [(p.name, p.default) for p in by_position]
        self._named = sorted((p.name, p.default) for p in by_keyword)

    @classmethod
    def of(cls, parameters: Sequence[inspect.Parameter]) -> QuickSignature | None:
        """The quick signature of `parameters`; None if there are parameters of another kind."""
        return cls(parameters) if all(p.kind in _TAKEN for p in parameters) else None

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """The positional and keyword arguments, with defaults filled in; None if they don't fit."""
        if len(args) > len(self._positional):
            return None
        rest = [kwargs.get(name, default) for name, default in self._positional[len(args) :]]
        named = {name: kwargs.get(name, default) for name, default in self._named}
        taken = sum(name in kwargs for name, _ in self._positional[len(args) :]) + sum(name in kwargs for name in named)
        if taken != len(kwargs) or any(value is _EMPTY for value in (*rest, *named.values())):
            return None
        return (*args, *rest), named
