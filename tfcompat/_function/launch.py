"""The program of a body that has settled: a call reads its leaves, runs it, and gives the variables their new values.

What a flush finds out anew each time (which program serves, which buffers it may take over, where each value goes) is
looked up once here; a call only makes sure that it still holds. Where many variables are read and assigned, a call
costs what is done for each of them, so that is little.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from tfcompat._core.alarm import alarms, failures
from tfcompat._core.aval import Aval
from tfcompat._core.config import settings
from tfcompat._core.counter import counts
from tfcompat._core.failure import from_runtime
from tfcompat._core.program import Program, cache
from tfcompat._core.tensor import Tensor, finished
from tfcompat._core.trace import running, upload
from tfcompat._function.graph import Argument, Drawn
from tfcompat._state.cell import Cell, is_foreign

# References to what stands in a list and in one other place when nobody else has any: the third is the counted one.
_REFERENCES = 3

Updates = Sequence[tuple[Cell, int, Aval]]


def takeable(sources: Sequence[Any], avals: Sequence[Aval], updates: Updates) -> frozenset[int]:
    """The leaves, by number, whose buffers a call may take over: what variables held that it assigns."""
    new = {cell._number: aval for cell, _, aval in updates}
    leaves = enumerate(zip(sources, avals, strict=True))
    return frozenset(k for k, (source, aval) in leaves if isinstance(source, Cell) and new.get(source._number) is aval)


def are_shared(values: list[Any]) -> bool:
    """Whether somebody has one of `values` beside this list and who gave it."""
    return max(map(sys.getrefcount, values), default=0) > _REFERENCES


class Launch:
    """A program, and where each of its inputs comes from and each of its outputs belongs."""

    def __init__(
        self,
        program: Program,
        sources: Sequence[Any],
        numbers: tuple[list[float], list[int]],
        outputs: Sequence[tuple[Any, Any]],
        updates: Updates,
    ) -> None:
        """Makes the launch of `program`, a whole body's, whose leaves have `sources`.

        `outputs` are what a call answers: (slot, aval), or (value, None) for what is the same at every call; `updates`
        are (variable, slot, aval) for each variable that it assigns.
        """
        self._program = program
        self._numbers = numbers
        places = {slot: place for place, slot in enumerate(program.outputs)}
        self._outputs = [(value if aval is None else places[value], aval) for value, aval in outputs]
        # The leaves whose buffers the program takes over come last.
        first = len(program.leaves) - len(program.donated.intersection(program.leaves))
        self._taken: list[Cell] = [sources[k] for k in program.leaves[first:]]
        renewed = {cell._number: places[slot] for cell, slot, _ in updates}
        self._renewed = [renewed.pop(cell._number) for cell in self._taken]
        self._assigned = [(cell, places[slot], aval) for cell, slot, aval in updates if cell._number in renewed]
        self._arrays: list[Any] = [None] * first
        self._arguments: list[tuple[int, int]] = []
        self._streams: list[tuple[int, Any]] = []
        self._cells: list[tuple[int, Cell]] = []
        for place, k in enumerate(program.leaves[:first]):
            source = sources[k]
            if type(source) is Argument:
                self._arguments.append((place, source.index))
            elif type(source) is Drawn:
                self._streams.append((place, source.stream))
            elif type(source) is Tensor:
                self._arrays[place] = source._array
            else:
                self._cells.append((place, source))

    def __call__(self, flat: Sequence[Any]) -> list[Any] | None:
        """Runs it on the leaves of a call's arguments. None, and nothing is done, where a flush must look closer."""
        with running:
            arrays = self._gathered(flat)
            taken = [cell._tensor for cell in self._taken]
            buffers = [tensor._array for tensor in taken]
            if alarms or failures or settings.is_explaining or self._program not in cache:
                return None
            held = [tensor._trace for tensor in taken]
            if held.count(None) < len(held) or are_shared(taken) or are_shared(buffers):
                return None
            if any(is_foreign(cell._tensor) for cell, _, _ in self._assigned):
                return None
            for place, stream in self._streams:
                arrays[place] = np.array(stream(), np.int64)
            answers = self._run([*arrays, *buffers])
            try:
                return self._bound(taken, answers)
            except KeyboardInterrupt:
                self._bound(taken, answers)
                raise

    def _gathered(self, flat: Sequence[Any]) -> list[Any]:
        """The arrays of the leaves, computed, but for those that are drawn or taken over."""
        arrays = self._arrays.copy()
        for place, index in self._arguments:
            tensor = flat[index]
            array = tensor._value("function")
            if type(array) is np.ndarray:
                upload(tensor, array)
            arrays[place] = tensor._array
        for place, cell in self._cells:
            tensor = cell._tensor
            arrays[place] = cell._current()._value("function") if tensor._array is None else tensor._array
        return arrays

    def _run(self, arrays: list[Any]) -> Sequence[Any]:
        counts.flushes += 1
        counts.cache_hits += 1
        counts.causes["function"] += 1
        cache.touch(self._program)
        try:
            return self._program(*self._numbers, arrays, {})
        except jax.errors.JaxRuntimeError as failed:
            raise from_runtime(failed, "function", self._program.owner.path()) from failed

    def _bound(self, taken: list[Tensor], answers: Sequence[Any]) -> list[Any]:
        """Gives the variables their new values; returns the leaves of the result.

        Nobody else has a tensor of `taken`, so it stays, with another array.
        """
        for tensor, place in zip(taken, self._renewed, strict=True):
            tensor._array = answers[place]
        for cell, place, aval in self._assigned:
            cell._tensor = finished(answers[place], aval)
        return [value if aval is None else finished(answers[value], aval) for value, aval in self._outputs]
