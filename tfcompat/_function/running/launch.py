"""Launches: fast calls of a body's compiled program. A call reads the leaves, runs the program and binds the variables.

A flush determines each time which program to run, which buffers it may donate, and where each output belongs. A launch
determines these once; a call only checks that they are still valid. The cost of a call grows with the number of
variables, so the work for each variable is kept small.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter, is_, itemgetter
from typing import Any
from weakref import ref

import jax
import numpy as np

from tfcompat._core.programs.program import NO_LEAVES, Program
from tfcompat._core.programs.program_cache import cache
from tfcompat._core.structure.check_outcome import CheckOutcome, raise_failed_checks, register, unexamined, unverified
from tfcompat._core.structure.failure import from_runtime
from tfcompat._core.structure.interruption import Rebinding
from tfcompat._core.structure.recording import upload
from tfcompat._core.structure.sharding import everywhere, placed, sharding_of
from tfcompat._core.structure.tensor import Tensor, finished, pending
from tfcompat._core.system.config import settings
from tfcompat._core.system.counter import counts
from tfcompat._core.system.lock import binding
from tfcompat._core.tracing.flush import DONATES, MOST_UNEXAMINED
from tfcompat._core.tracing.strand import idle_threads
from tfcompat._core.types.aval import Aval
from tfcompat._function.graphs.graph import Argument, Drawn
from tfcompat._function.running.buffer_use import BufferUse, are_shared
from tfcompat._function.running.claim import Claim
from tfcompat._state.cell import Cell

_array_of, _held_of, _trace_of = attrgetter("_array"), attrgetter("_held"), attrgetter("_trace")
_is_none = partial(is_, None)
# The types of the values of arguments that a program does not take: pending ones, and those that are on the host.
_UNREADY = {type(None), np.ndarray}

Updates = Sequence[tuple[Cell, int, Aval]]


def donatable_leaves(sources: Sequence[Any], avals: Sequence[Aval], updates: Updates) -> frozenset[int]:
    """The leaves, by number, whose buffers a call may donate: old values of variables that it assigns."""
    if not DONATES:
        return NO_LEAVES
    new = {cell._number: aval for cell, _, aval in updates}
    leaves = enumerate(zip(sources, avals, strict=True))
    return frozenset(k for k, (source, aval) in leaves if isinstance(source, Cell) and new.get(source._number) is aval)


class Launch:
    """A program, with the source of each input and the destination of each output."""

    def __init__(
        self,
        program: Program,
        sources: Sequence[Any],
        numbers: tuple[Sequence[float], Sequence[int]],
        outputs: Sequence[tuple[Any, Any]],
        updates: Updates,
    ) -> None:
        """The launch of `program`, which computes a whole body whose leaves have `sources`.

        `outputs` are the results of a call: (slot, aval), or (value, None) for a value that is the same in every call.
        `updates` are (variable, slot, aval) for each variable that it assigns.
        """
        self._program = program
        # The numbers never change, so they stay on the device.
        self._numbers = program.uploaded(*numbers)
        places = {slot: place for place, slot in enumerate(program.outputs)}
        self._outputs = [(value if aval is None else places[value], aval) for value, aval in outputs]
        # The leaves whose buffers are donated are last.
        first = len(program.leaves) - len(program.donated.intersection(program.leaves))
        self._donated: list[Cell] = [sources[k] for k in program.leaves[first:]]
        renewed = {cell._number: places[slot] for cell, slot, _ in updates}
        self._donated_places = [renewed.pop(cell._number) for cell in self._donated]
        assigned = [(cell, places[slot], aval) for cell, slot, aval in updates if cell._number in renewed]
        self._assigned = [cell for cell, _, _ in assigned]
        self._assigned_places = [(place, aval) for _, place, aval in assigned]
        kept = {places[new] for new, _ in program.guards}
        self._overwritten = [k for k, (place, _) in enumerate(self._assigned_places) if place not in kept]
        held = {*self._donated_places, *(place for place, _ in self._assigned_places)}
        avals = {place: aval for place, aval in self._outputs if aval is not None}
        some_aval = program.owner.aval
        self._unbound = [(k, avals.get(k, some_aval)) for k in range(len(program.outputs)) if k not in held]
        # A value that is both a variable's new value and an output becomes two tensors.
        self._shared = frozenset(place for place, aval in self._outputs if aval is not None and place in held)
        self._derivations = {places[slot]: numbers for slot, numbers in program.derivations.items()}
        self._unbound_derivations = [
            (place, self._derivations[place]) for place, _ in self._unbound if place in self._derivations
        ]
        self._arrays: list[Any] = [None] * first
        self._places: list[int] = []
        self._indices: list[int] = []
        self._streams: list[tuple[int, Any]] = []
        self._cells: list[tuple[int, Cell]] = []
        for place, k in enumerate(program.leaves[:first]):
            source = sources[k]
            if type(source) is Argument:
                self._places.append(place)
                self._indices.append(source.index)
            elif type(source) is Drawn:
                self._streams.append((place, source.stream))
            elif type(source) is Tensor:
                self._arrays[place] = source._array
            else:
                self._cells.append((place, source))
        self._written = [*self._donated, *self._assigned]
        self._read = [*(cell for _, cell in self._cells), *self._donated, *self._assigned]
        # On several devices, the components of a variable share an array.
        self._unshared = program.donated if program.owner.is_marked else NO_LEAVES
        self._components = BufferUse()
        self._placement = program.extent.placement
        self._shardings = self._assigned_shardings()
        self._target_order = self._order_of_targets()

    def __call__(self, flat: Sequence[Any], drawn: dict[int, Any]) -> list[Any] | None:
        """Runs the program on the leaves of a call's arguments. Returns None, doing nothing, if a flush is needed.

        Random positions that it has drawn until then are added to `drawn`, by the numbers of their leaves.
        """
        answers = self._run_if_ready(flat, drawn)
        if answers is None and not drawn and self._compute_variables():
            answers = self._run_if_ready(flat, drawn)
        return answers

    def _run_if_ready(self, flat: Sequence[Any], drawn: dict[int, Any]) -> list[Any] | None:
        """As a call, but returns None if a variable's value is pending, too."""
        arrays = self._gathered(flat)
        program = self._program
        is_plain = program.is_kept and not (settings.is_explaining or unexamined.outcomes or unverified.entries)
        if not is_plain and self._needs_flush(flat):
            return None
        new = [pending(None, place, aval) for place, aval in self._assigned_places]
        may_be_seen = threading.active_count() - idle_threads() > 1 and not program.calls_python
        claim = Claim() if may_be_seen else None
        old: list[Tensor] = []
        outcome: CheckOutcome | None = None
        last: Tensor | None = None
        before: Any = None
        try:
            with binding:
                for place, cell in self._cells:
                    arrays[place] = array = cell._held._array
                    if array is None:
                        return None
                donated = list(map(_held_of, self._donated))
                old = list(map(_held_of, self._assigned))
                if list(map(_trace_of, donated)).count(None) < len(donated) or any(map(_is_none, map(_array_of, old))):
                    return None
                buffers = list(map(_array_of, donated))
                if claim is not None:
                    claim.hide(donated, buffers, self._assigned, old, new)
                # Checked after `hide`: threads that got a tensor before show in the counts, later ones find the claim.
                is_shared = are_shared(donated, 1) or self._share(buffers, 0 if claim is not None else 1)
                if is_shared or (placed.is_used and not self._fits([*arrays, *buffers])):
                    self._end(claim, old, new, None, has_results=False)
                    return None
                cache.touch(program)
            targets = self._targets(donated, new)
            for place, stream in self._streams:
                arrays[place] = drawn[self._program.leaves[place]] = np.array(stream(), np.int64)
            given = targets
            if program.messages:
                outcome = self._outcome(targets, old, new)
                given = [*targets, outcome.flags]
            last, before = targets[-1], targets[-1]._array
            held = [*donated, *(old if claim is None else new)]
            self._run([*arrays, *buffers], given, Rebinding(self._written, held, self._assigned, new))
            if last._array is before:
                # A signal handler has assigned a variable since its value was taken.
                self._end(claim, old, new, None, has_results=False)
                return None
            answers = [self._answer(targets, value, aval) for value, aval in self._outputs]
            if outcome is not None:
                outcome.computed += tuple(self._shared_derivations(answers))
            if claim is not None or outcome is not None or new:
                self._end(claim, old, new, outcome, has_results=True)
        except BaseException:
            # The interrupt may have come between `_run` and `_end`.
            has_results = last is not None and last._array is not before
            self._end(claim, old, new, outcome, has_results=has_results)
            raise
        finally:
            if claim is not None:
                claim.open()
        return answers

    def _share(self, buffers: list[Any], owners: int) -> bool:
        """Whether one of `buffers` has other references than those of this list and of the `owners` of each entry."""
        return self._components.are_shared(buffers, owners) if self._unshared else are_shared(buffers, owners)

    def _fits(self, arrays: Sequence[Any]) -> bool:
        """Whether `arrays`, the values of the program's leaves, and the variables are placed as those it is for."""
        known = self._placement
        if self._shardings != self._assigned_shardings():
            return False
        actual = {
            k: where for k, array in zip(self._program.leaves, arrays, strict=True) if (where := sharding_of(array))
        }
        expected = {} if known is None else {k: where for k, where in known.leaves if k in self._program.leaves}
        others = None if actual else everywhere.sharding
        return actual == expected and others == (known.others if known is not None else None)

    def _assigned_shardings(self) -> list[Any]:
        return [cell._sharding for cell in (*self._donated, *self._assigned)]

    def _order_of_targets(self) -> Callable[[Sequence[Tensor]], Sequence[Tensor]]:
        """Brings tensors for the donated, the assigned and the unbound places in the order of the outputs."""
        assigned = [place for place, _ in self._assigned_places]
        unbound = [place for place, _ in self._unbound]
        places = {place: k for k, place in enumerate((*self._donated_places, *assigned, *unbound))}
        order = [places[place] for place in range(len(self._program.outputs))]
        return itemgetter(*order) if len(order) > 1 else list

    def _targets(self, donated: list[Tensor], new: list[Tensor]) -> list[Tensor]:
        """The tensors that receive the outputs."""
        unbound = [pending(None, place, aval) for place, aval in self._unbound]
        return list(self._target_order([*donated, *new, *unbound]))

    def _end(
        self,
        claim: Claim | None,
        old: list[Tensor],
        new: list[Tensor],
        outcome: CheckOutcome | None,
        *,
        has_results: bool,
    ) -> None:
        """Binds the outputs if the program `has_results`, and ends the claim. May be called repeatedly."""
        if has_results:
            if claim is None:
                for cell, held, tensor in zip(self._assigned, old, new, strict=True):
                    if cell._held is held:  # otherwise a signal handler has assigned it
                        cell._held = tensor
            if outcome is not None:
                register(outcome)
        if claim is not None:
            claim.end(has_results=has_results)

    def _needs_flush(self, flat: Sequence[Any]) -> bool:
        """Whether a flush is needed: its arguments may be bad values of earlier programs, or its steps are logged."""
        if settings.is_explaining or not self._program.is_kept:
            return True
        if len(unexamined.outcomes) > MOST_UNEXAMINED:
            # The latest programs may still run.
            raise_failed_checks(MOST_UNEXAMINED // 2)
        return unverified.has_overwritten() or bool(
            unverified.outcomes_of([id(flat[index]) for index in self._indices])
        )

    def _gathered(self, flat: Sequence[Any]) -> list[Any]:
        """The computed arrays of the leaves, without those that are drawn or held by variables."""
        arrays = self._arrays.copy()
        given = list(map(flat.__getitem__, self._indices))
        found = list(map(_array_of, given))
        if not _UNREADY.isdisjoint(map(type, found)):
            for tensor in given:
                array = tensor._value("function")
                if type(array) is np.ndarray:
                    upload(tensor, array)
            found = list(map(_array_of, given))
        deque(map(arrays.__setitem__, self._places, found), maxlen=0)
        return arrays

    def _compute_variables(self) -> bool:
        """Computes the pending values of variables; returns whether there were any."""
        is_pending = any(map(_is_none, map(_array_of, map(_held_of, self._read))))
        if is_pending:
            for cell in self._read:
                cell._held._value("function")
        return is_pending

    def _run(self, arrays: list[Any], targets: Sequence[Tensor], rebinding: Rebinding) -> None:
        counts.flushes += 1
        counts.cache_hits += 1
        counts.causes["function"] += 1
        try:
            self._program.run([*self._numbers, *arrays], targets, _ignore, self._unshared, rebinding)
        except jax.errors.JaxRuntimeError as failed:
            raise from_runtime(failed, "function", self._program.owner.path()) from failed

    def _outcome(self, targets: Sequence[Tensor], old: list[Tensor], new: list[Tensor]) -> CheckOutcome:
        computed = [(ref(targets[place]), numbers) for place, numbers in self._unbound_derivations]
        overwritten = [(new[k], old[k]) for k in self._overwritten]
        return CheckOutcome(pending(None, -1, targets[0]._aval), self._program.messages, computed, overwritten)

    def _shared_derivations(self, answers: list[Any]) -> Iterator[tuple[ref[Tensor], frozenset[int]]]:
        """The tensors of the result that are also variables' new values, with the numbers of their checks."""
        for answer, (value, aval) in zip(answers, self._outputs, strict=True):
            if aval is not None and value in self._shared and value in self._derivations:
                yield ref(answer), self._derivations[value]

    def _answer(self, targets: list[Tensor], value: Any, aval: Any) -> Any:
        """One output: a separate tensor, or a value that is the same in every call."""
        if aval is None:
            return value
        return finished(targets[value]._array, aval) if value in self._shared else targets[value]


def _ignore() -> None:
    """Called if the program calls Python functions. A launch has nothing to do then."""
