"""The skeleton of a recording: its structure without the sizes."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Any
from weakref import WeakValueDictionary, ref

from tfcompat._core.operation.inference import LEAST
from tfcompat._core.operation.op import Op, pullback_like
from tfcompat._core.operation.recipe import Hashed
from tfcompat._core.types.aval import Aval

_KIND = "kind"
# The kinds of ops with a recipe: equal kinds are one object. A kind that is dropped is only made again.
_kinds: dict[Hashable, Hashable] = {}
_MOST_KINDS = 8192
# For this many arguments, scripts are kept at one skeleton.
_MOST_ARGUMENTS = 64
# Reentrant: the handler of a signal may record too.
_extending = threading.RLock()


class Skeleton:
    """The steps up to one without their sizes: one object for all recordings that differ only in sizes of 2 or more.

    Integers of 2 or more among the attributes of ops count as sizes. It exists for as long as a node has it, or as
    something else refers to it.

    Attributes:
      scripts: the steps of gradients, by their arguments (see `tfcompat._autodiff.script`).
    """

    __slots__ = ("__weakref__", "_before", "_first", "_others", "scripts")

    def __init__(self, before: Skeleton | None) -> None:
        self._before = before  # which must live as long as this one, since it leads to it
        # The step of the continuation that was made first, and that continuation: most skeletons have only one.
        self._first: tuple[Hashable, ref[Skeleton]] | None = None
        self._others: WeakValueDictionary[Hashable, Skeleton] | None = None
        self.scripts: dict[Hashable, Any] = {}

    def after(self, step: Hashable) -> Skeleton:
        """The skeleton that continues this one by `step`."""
        found = self._known(step)
        if found is None:
            with _extending:
                found = self._known(step)
                if found is None:
                    found = self._extended(step)
        return found

    def _known(self, step: Hashable) -> Skeleton | None:
        first, others = self._first, self._others
        if first is not None and first[0] == step and (found := first[1]()) is not None:
            return found
        return None if others is None else others.get(step)

    def _extended(self, step: Hashable) -> Skeleton:
        found = Skeleton(self)
        if self._first is None or self._first[1]() is None:
            self._first = step, ref(found)
        else:
            if self._others is None:
                self._others = WeakValueDictionary()
            self._others[step] = found
        return found

    def note(self, arguments: Hashable, script: Any) -> None:
        """Stores `script` for `arguments`."""
        with _extending:
            if arguments not in self.scripts and len(self.scripts) >= _MOST_ARGUMENTS:
                self.scripts.clear()
            self.scripts[arguments] = script


# That of no steps.
EMPTY = Skeleton(None)


def kind_of(op: Op) -> Hashable:
    """A key of `op` without sizes, equal for all ops of one recipe; `op` itself if it has no recipe.

    Ops of one kind have equal gradient rules.
    """
    found = op.derived.get(_KIND)
    if found is None:
        made = _kind_of(op)
        if len(_kinds) >= _MOST_KINDS:
            _kinds.clear()
        found = op.derived[_KIND] = _kinds.setdefault(made, made)
    return found


def _kind_of(op: Op) -> Hashable:
    if op.recipe is None:
        return op
    recipe = op.recipe
    rule = None if recipe.maker is pullback_like else op.gradient  # the form of a pullback contains its rule
    return Hashed((recipe.maker, recipe.fixed, rule, tuple(map(_of_argument, recipe.sized))))


def _of_argument(value: Any) -> Hashable:
    if isinstance(value, tuple):
        return tuple(map(_of_argument, value))
    if type(value) is int:
        return _clipped(value)
    if isinstance(value, Aval):
        return value.kind
    return kind_of(value) if isinstance(value, Op) else (type(value), value)


def _clipped(number: int) -> int:
    return max(-LEAST, min(LEAST, number))
