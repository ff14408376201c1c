"""The skeleton of a recording: its structure without the sizes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from tfcompat._core.aval import Aval
from tfcompat._core.inference import LEAST
from tfcompat._core.node import Node
from tfcompat._core.op import Op
from tfcompat._core.recipe import Hashed

_KIND = "kind"
# The kinds of ops with a recipe: equal kinds are one object. A kind that is dropped is only made again.
_kinds: dict[Hashable, Hashable] = {}
_MOST_KINDS = 8192
# The last step of a recording, and its skeleton: it is asked for several times.
_latest: tuple[Any, Hashable] = (None, ())


def skeleton(path: Sequence[Node]) -> Hashable:
    """A key of the steps in `path`, equal for recordings that differ only in sizes of 2 or more.

    Integers of 2 or more among the attributes of ops count as sizes.
    """
    global _latest
    latest, found = _latest
    if latest is not path[-1]:
        found = tuple([_of_node(node) for node in path])
        _latest = path[-1], found
    return found


def _of_node(node: Node) -> Hashable:
    if node.op is None:
        return (node.avals[0].kind, node.inputs)
    origin = node.origin
    if origin is None:
        return (kind_of(node.op), node.inputs)
    return (kind_of(node.op), node.inputs, origin.forward.first, origin.wanted, origin.given, origin.reads)


def kind_of(op: Op) -> Hashable:
    """A key of `op` without sizes, equal for all ops of one recipe; `op` itself if it has no recipe."""
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
    return Hashed((recipe.maker, recipe.fixed, tuple(map(_of_argument, recipe.sized))))


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
