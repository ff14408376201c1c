"""What counts: the integers and booleans of a block that are known in each of its turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.dtype import INTEGER, bool_
from tfcompat._core.node import Node, Number
from tfcompat._function.control.arithmetic import Function, by_numpy
from tfcompat._function.control.block import Block

COUNTED = INTEGER | {bool_}


class Counted:
    """The integers and booleans without shape that NumPy can compute of a block from some of its leaves.

    Attributes:
      slots: where they are.
    """

    def __init__(self, block: Block, leaves: Iterable[int]) -> None:
        """What is known if `leaves` are."""
        self.slots = set(leaves)
        self._numbers: dict[int | Number, Any] = {}
        self._steps: list[tuple[Function, Node]] = []
        kept = doing(block)
        for node in block.path:
            self._numbers.update({number: block.value(number) for number in node.inputs if type(number) is Number})
            if node.op is None and node.inputs and node.aval.dtype in COUNTED:
                self.slots.add(node.first)
                self._numbers[node.first] = self._numbers[node.inputs[0]]
            elif node.op is not None and node.first not in kept and self.slots.issuperset(slots_of(node)):
                function = arithmetic_of(node)
                if function is not None:
                    self.slots.update(range(node.first, node.slot))
                    self._steps.append((function, node))

    def values(self, given: Mapping[int, Any]) -> dict[int, Any]:
        """What is in `slots` if `given` is in those of the leaves: scalars, or vectors of what is there by turns."""
        values: dict[Any, Any] = {**self._numbers, **given}
        for function, node in self._steps:
            answers = function(*[values[reference] for reference in node.inputs])
            values.update(zip(range(node.first, node.slot), answers, strict=True))
        return values


class Known:
    """What a slot is known to hold, as a scan finds it in its turns.

    Attributes:
      table: what it holds in each turn, None if that can be told from the number of the turn.
      is_linear: whether the number is needed for it.
    """

    def __init__(self, values: np.ndarray) -> None:
        self._first = values[0] if len(values) else np.zeros((), values.dtype)[()]
        is_same = (values == self._first).all()
        steps = np.diff(values[:2]) if values.dtype != bool else values[:0]
        self._step = steps[0] if len(steps) else np.zeros((), values.dtype)[()]
        count = np.arange(len(values)).astype(values.dtype)
        self.is_linear = (
            not is_same and values.dtype != bool and bool((values == self._first + self._step * count).all())
        )
        self.table = None if is_same or self.is_linear else values

    def at(self, number: Any, entry: Any) -> Any:
        """What it holds in the turn with this `number`; `entry` is that of the table."""
        if entry is not None:
            return entry
        first = jnp.asarray(self._first)
        return first + jnp.asarray(number, first.dtype) * self._step if self.is_linear else first


def doing(block: Block) -> set[int]:
    """The steps, by their first slot, that do something besides computing."""
    return {node.first for node in block.path if not block.effects.isdisjoint(range(node.first, node.slot))}


def slots_of(node: Node) -> list[int]:
    """The slots that `node` reads."""
    return [reference for reference in node.inputs if type(reference) is int]


def arithmetic_of(node: Node) -> Function | None:
    """What computes the outputs of `node`, if these are integers and booleans and it is arithmetic."""
    assert node.op is not None
    if any(aval.ndim or aval.dtype not in COUNTED for aval in (*node.signature, *node.avals)):
        return None
    key = ("numpy", node.signature)
    if key not in node.op.derived:
        node.op.derived[key] = by_numpy(node.op.outputs, [aval.struct for aval in node.signature])
    return node.op.derived[key]
