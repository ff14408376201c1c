"""What of a turn needn't be done in the turn, since it is known which it is."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.node import Node, Number
from tfcompat._core.replay import Plan
from tfcompat._function.control.counted import slots_of
from tfcompat._function.control.course import Course
from tfcompat._function.control.tensor_array import WRITE
from tfcompat._function.control.turn import Turn
from tfcompat._function.control.window import Windows, complains, is_falling


class Write(NamedTuple):
    """What the turns write into an array: the rows, by turn, and the slot of what is written."""

    rows: np.ndarray
    slot: int


class Forecast:
    """What is known of a turn that is taken a known number of times.

    Attributes:
      windows: by slot, what is read at known places of what stays the same.
      fixed: slots of what is read of what stays the same, at places that stay the same.
      known: by slot, the integers and booleans that the turn reads, in each turn.
      writes: by its place, what is written into an array of which nothing is read.
      carried: the parts of the state that go from turn to turn.
      outputs: the slots of what they are after a turn, of what is written, and of the answers.
      leaves: the slots of the leaves that are read besides.
      checks: the steps that may complain.
      is_backward: whether the last window comes first.
    """

    def __init__(self, turn: Turn, course: Course, answers: Sequence[int]) -> None:
        """`answers` are slots besides those of the state."""
        self._turn = turn
        self._values: Mapping[Any, np.ndarray] = course.values
        self._answered = [*turn.after, *answers, *turn.block.effects]
        is_taken = course.count > 0
        self.writes = {place: found for place in turn.parts if is_taken and (found := self._writes_into(place))}
        still = turn.counters | turn.idle | self.writes.keys()
        self.carried = [place for place in turn.parts if place not in still]
        written = [write.slot for writes in self.writes.values() for write in writes]
        self.outputs = [*[turn.after[place - 1] for place in self.carried], *written, *answers]
        windows = dict(self._find_windows()) if is_taken else {}
        fixed = self._find_fixed() if is_taken else set()
        self.checks = [
            node
            for node in turn.block.checks
            if is_taken and node.first not in windows and node.first not in fixed and not self._is_quiet(node)
        ]
        self._choose(windows, fixed)

    def _choose(self, windows: Mapping[int, Windows], fixed: set[int]) -> None:
        """Takes what is needed of the reads that needn't be done in the turn."""
        block = self._turn.block
        wanted = [*self.outputs, *block.effects, *[slot for node in self.checks for slot in slots_of(node)]]
        known = self._values.keys()
        plan = Plan(block.path, {*windows, *fixed, *known}, wanted)
        # Reads that a tape in the block goes through stay there.
        reads = {*windows, *fixed}.difference(plan.linearised)
        plan = Plan(block.path, reads | known, wanted)
        read = {slot for node in plan.steps for slot in slots_of(node)}.union(wanted)
        self.windows = {slot: found for slot, found in windows.items() if slot in reads & read}
        self.fixed = sorted(fixed & reads & read)
        self.known = {slot: found for slot, found in self._values.items() if slot in read}
        self.leaves = [node.first for node in plan.leaves]

    @functools.cached_property
    def is_backward(self) -> bool:
        """Whether the turns are to be gone through from the last row on."""
        if self._turn.rows:
            return self._turn.is_backward
        written = [is_falling(write.rows) for writes in self.writes.values() for write in writes]
        ways = [*written, *[found.is_backward for found in self.windows.values()]]
        return 2 * sum(ways) > len(ways)

    def _find_windows(self) -> Iterator[tuple[int, Windows]]:
        for node in self._turn.block.path:
            if self._reads_fixed(node):
                moving = [k for k, slot in enumerate(node.inputs) if type(slot) is int and slot not in self._turn.fixed]
                if len(moving) == 1 and self._is_window(node, moving[0]):
                    found = Windows(node, moving[0], self._values[node.inputs[moving[0]]])
                    if found.is_inside and found.is_sparing:
                        yield node.first, found

    def _find_fixed(self) -> set[int]:
        return {node.first for node in self._turn.block.path if self._reads_fixed(node)} & self._turn.fixed

    def _reads_fixed(self, node: Node) -> bool:
        """Whether `node` takes a window out of a tensor that stays the same."""
        return node.op is not None and bool(node.op.windows) and node.inputs[0] in self._turn.fixed

    def _is_window(self, node: Node, position: int) -> bool:
        assert node.op is not None
        slot = node.inputs[position]
        return position in node.op.windows and node.signature[position].ndim == 0 and slot in self._values

    def _is_quiet(self, node: Node) -> bool:
        """Whether `node`, which reads or writes in places that are known, will not complain."""
        assert node.op is not None
        positions = [1] if node.op is WRITE else list(node.op.windows)
        known = {k: self._value(node.inputs[k]) for k in positions}
        if not known or any(value is None for value in known.values()):
            return False
        return not complains(node, known)

    def _value(self, reference: int | Number) -> np.ndarray | None:
        return self._turn.block.value(reference) if isinstance(reference, Number) else self._values.get(reference)

    def _writes_into(self, place: int) -> list[Write]:
        """What the turns write into the array in `place`, in rows all different; nothing if the array is read."""
        slot = next((slot for slot, held in self._turn.leaves.items() if held == place), None)
        last = self._turn.after[place - 1]
        if slot is None or slot == last or self._readers(last) or self._answered.count(last) > 1:
            return []
        found: list[Write] = []
        while slot != last:
            readers = self._readers(slot)
            if slot in self._answered or len(readers) != 1 or not self._is_known_write(readers[0], slot):
                return []
            _, row, value = slots_of(readers[0])
            found.append(Write(self._values[row], value))
            slot = readers[0].first
        rows = np.concatenate([write.rows for write in found])
        return found if len(np.unique(rows)) == len(rows) else []

    def _readers(self, slot: int) -> list[Node]:
        """The steps that read what is in `slot`."""
        return [node for node in self._turn.block.path if slot in slots_of(node)]

    def _is_known_write(self, node: Node, array: int) -> bool:
        """Whether `node` writes into `array`, in a row that is known and there."""
        if node.op is not WRITE or node.inputs[0] != array or node.inputs[2] == array:
            return False
        return node.inputs[1] in self._values and self._is_quiet(node)
