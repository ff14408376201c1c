"""Ops and abstract values with integers in place of the symbols for sizes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from tfcompat._core.operation.inference import LEAST
from tfcompat._core.types.aval import Aval, SymbolicAval, aval_of
from tfcompat._jaxpr.padded.bound import FOUND
from tfcompat._jaxpr.size import is_open, symbols_of, value_of


class Sized:
    """Puts the `values` of symbols in their place."""

    def __init__(self, values: Mapping[str, int]) -> None:
        self._values = values
        # By `id`, with the object itself, which must live as long as its `id` is used.
        self._ops: dict[int, tuple[Any, Any]] = {}

    def size(self, size: Any) -> Any:
        """The value of `size`; one that a loop or a branch finds has none, and stays.

        Raises: KeyError if another one has no value.
        """
        try:
            return value_of(size, self._values)
        except KeyError:
            if not _is_found(size):
                raise
            return size

    def aval(self, aval: Aval) -> Aval:
        """`aval`, or the one of its sizes if it has symbols."""
        return aval if type(aval) is Aval else aval_of(tuple(map(self.size, aval.shape)), aval.dtype)

    def array(self, sizes: np.ndarray) -> np.ndarray:
        """An array of sizes."""
        return np.vectorize(self.argument, otypes=[object])(sizes)

    def op(self, op: Any) -> Any:
        """`op`, or the one of its kind whose attributes have the sizes."""
        found = self._ops.get(id(op))
        if found is None:
            found = self._ops[id(op)] = (op, self._made(op))
        return found[1]

    def _made(self, op: Any) -> Any:
        recipe = op.recipe
        if recipe is None:
            return op
        sized = self.argument(recipe.sized)
        if _is_same(sized, recipe.sized):
            return op
        made = recipe.found(sized)
        if not made.forms and _are_large(sized, recipe.sized):
            made.forms = op.forms  # derivatives depend on sizes of 0 and 1 alone
        return made

    def argument(self, value: Any) -> Any:
        """An argument of a recipe."""
        if isinstance(value, tuple):
            parts = [self.argument(part) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        if hasattr(value, "recipe"):
            return self.op(value)
        if isinstance(value, SymbolicAval):
            return self.aval(value)  # pyright: ignore[reportArgumentType]
        return self.size(value) if is_open(value) else value


class Rescoped(Sized):
    """Puts symbols of the same names, in another scope, in the place of symbols."""

    def __init__(self, scope: jax.export.SymbolicScope) -> None:
        super().__init__({})
        self._scope = scope

    def size(self, size: Any) -> Any:
        """`size` in the scope, unless a loop or a branch finds it."""
        if not is_open(size) or _is_found(size):
            return size
        return jax.export.symbolic_shape(str(size), scope=self._scope)[0]


class Met(Sized):
    """Collects the symbols that it meets, and replaces nothing.

    Attributes:
      names: their names.
    """

    def __init__(self) -> None:
        super().__init__({})
        self.names: set[str] = set()

    def size(self, size: Any) -> Any:
        """`size`, whose symbols are collected."""
        self.names |= symbols_of([size])
        return size

    def aval(self, aval: Aval) -> Aval:
        """`aval`, whose symbols are collected."""
        if type(aval) is not Aval:
            self.names |= symbols_of(aval.shape)
        return aval


def _is_found(size: Any) -> bool:
    return all(name.startswith(FOUND) for name in symbols_of([size]))


def _is_same(one: Any, other: Any) -> bool:
    """Whether nothing in `other` was replaced in `one`."""
    if isinstance(one, tuple):
        return all(_is_same(a, b) for a, b in zip(one, other, strict=True))
    return one is other


def _are_large(one: Any, other: Any) -> bool:
    """Whether the sizes in `one` that replace symbols in `other` are at least 2."""
    if isinstance(one, tuple):
        return all(_are_large(a, b) for a, b in zip(one, other, strict=True))
    if one is other:
        return True
    if hasattr(one, "recipe"):
        return _are_large(one.recipe.sized, other.recipe.sized)
    if isinstance(one, Aval):
        return one.kind == other.kind
    return not is_open(other) or (not is_open(one) and abs(one) >= LEAST)


def has_symbols(value: Any) -> bool:
    """Whether an op, or an argument of a recipe, contains a symbol."""
    if isinstance(value, tuple):
        return any(map(has_symbols, value))
    if hasattr(value, "recipe"):
        return value.recipe is not None and has_symbols(value.recipe.sized)
    return isinstance(value, SymbolicAval) or is_open(value)
