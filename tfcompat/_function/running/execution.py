"""Runs the program of a function's body, for calls outside of tapes and of other functions."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from tfcompat._core.programs.program import WHOLE
from tfcompat._core.structure.check_outcome import raise_failed_checks
from tfcompat._core.structure.interruption import set_values
from tfcompat._core.structure.sharding import Placement, placed, placement_of
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.lock import binding
from tfcompat._core.tracing.trace import Trace
from tfcompat._function.graphs.called import Site, starting
from tfcompat._function.graphs.source import Drawn
from tfcompat._function.graphs.stored_trace import StoredTrace, computed
from tfcompat._function.running.first_run import for_found_sizes
from tfcompat._function.running.launch import Launch, Updates, donatable_leaves
from tfcompat._function.sizes.found_result import FoundResults
from tfcompat._function.sizes.padding_waste import Waste
from tfcompat._state.cell import Cell


class Execution:
    """The program of a stored trace.

    The first call flushes a trace like the stored one, which compiles the program. Later calls launch the program,
    unless a call has to go through a flush.
    """

    def __init__(self, stored: StoredTrace, waste: Waste | None = None) -> None:
        """The program of `stored`. If it finds sizes, `waste` gets those of the first calls."""
        self._stored = stored
        # Sizes that the program finds are known when it has run.
        self._found = None if waste is None else FoundResults(stored, waste)
        self._outputs = stored.outputs if self._found is None else self._found.outputs
        self._sources = stored.sources if self._found is None else self._found.sources
        self._donatable = donatable_leaves(stored.sources, stored.leaf_avals, stored.updates)
        self._launch: Launch | None = None
        self._has_run = False
        self._calls_python = any(type(each) is Drawn and isinstance(each.stream, Site) for each in stored.sources)
        self._placement: Placement | None = None

    def __call__(self, flat: Sequence[Any]) -> list[Any]:
        """The outputs for the leaves `flat` of a call's arguments.

        A call that prints or asserts waits for its program: errors are raised here, as in TensorFlow.
        """
        if not self._calls_python:
            return self._run(flat)
        with starting():
            return self._run(flat)

    def _run(self, flat: Sequence[Any]) -> list[Any]:
        """As `__call__`."""
        drawn: dict[int, Any] = {}
        results = None
        outputs = self._launch(flat, drawn) if self._launch is not None else None
        if outputs is None and self._found is not None and not self._has_run:
            self._has_run = True
            results = self._first_run(self._found, flat, drawn)
        if outputs is None and results is None:
            outputs = self._flush(flat, drawn)
            self._launch = self._prepared_launch()
        if self._stored.effects:
            jax.effects_barrier()
            raise_failed_checks()
        if outputs is None:
            return results or []
        return outputs if self._found is None else self._found(outputs)

    def _first_run(self, found: FoundResults, flat: Sequence[Any], drawn: dict[int, Any]) -> list[Any] | None:
        """The results of a call, by the host, for the sizes at hand.

        None, having only drawn, if a program takes less time, or if another thread assigns a variable meanwhile.
        """
        stored = self._stored
        if self._calls_python:
            return None
        for k, source in enumerate(self._sources):
            if type(source) is Drawn:
                drawn[k] = np.array(source.stream(), np.int64)
        leaves = self._leaves(flat, drawn)
        slots = [slot for slot, aval in stored.outputs if aval is not None]
        copied = for_found_sizes(stored, [*slots, *[slot for _, slot, _ in stored.updates]], leaves)
        results = None if copied is None else Execution(copied[0])._flush(flat, {}, leaves)
        if copied is not None and results is not None:
            found.note(copied[1])
        return results

    def _flush(
        self, flat: Sequence[Any], drawn: Mapping[int, Any], known: Sequence[Tensor] | None = None
    ) -> list[Any] | None:
        """Runs the program as a flush of its trace, which compiles the program if necessary.

        Random positions are those of `drawn`, by the numbers of their leaves, if it has any. If the leaves are `known`,
        it returns None, doing nothing, if these are not the values of variables any more.
        """
        stored = self._stored
        trace = Trace()
        trace.node = stored.node
        trace.leaves = leaves = list(known) if known is not None else self._leaves(flat, drawn)
        trace.floats, trace.ints = stored.numbers
        # Small buffers are donated too: a launch does that in less time than a flush.
        trace.smallest = 0
        trace.is_recurring = True
        trace.has_open_sizes = stored.has_open_sizes
        effects = [trace.tensor(slot, aval) for slot, aval in stored.effects]
        outputs = [value if aval is None else trace.tensor(value, aval) for value, aval in self._outputs]
        cells = [(k, stored.cell(cell, flat)) for k, cell in enumerate(stored.sources) if isinstance(cell, Cell)]
        updates = [(stored.cell(cell, flat), slot, aval) for cell, slot, aval in stored.updates]
        while not self._bind(trace, cells, updates):
            if known is not None:
                return None
            for k, cell in cells:
                leaves[k] = computed(cell._held)
        if placed.is_used:
            self._placement = placement_of(trace)
        trace.flush("function")
        del effects
        return outputs

    def _leaves(self, flat: Sequence[Any], drawn: Mapping[int, Any]) -> list[Tensor]:
        """The values of the leaves; random positions are those of `drawn`, if it has any."""
        stored = self._stored
        return [Tensor(drawn[k]) if k in drawn else stored.leaf(each, flat) for k, each in enumerate(self._sources)]

    def _bind(self, trace: Trace, cells: Sequence[tuple[int, Cell]], updates: Updates) -> bool:
        """Binds variables to the results of `trace`. False if another thread has assigned one that it reads."""
        leaves = trace.leaves
        with binding:
            if any(cell._held is not leaves[k] for k, cell in cells):
                return False
            trace.leaf_slots = {id(leaf): slot for leaf, slot in zip(leaves, self._stored.leaf_slots, strict=True)}
            assigned = [cell for cell, _, _ in updates]
            trace.replaced.update({cell._number: (cell, cell._held) for cell in assigned})
            # Binds all of them or none, should a signal handler raise.
            set_values(assigned, [trace.tensor(slot, aval) for _, slot, aval in updates])
            return True

    def _prepared_launch(self) -> Launch | None:
        """A launch of the program for later calls; None if they have to go through a flush."""
        stored = self._stored
        program = stored.node.programs.get(WHOLE._replace(guards=self._guards, placement=self._placement))
        if program is None or stored.parameters:
            return None
        if stored.updates if program.calls_python else program.donated != self._donatable:
            # Other threads may assign the same variables while Python is called. A flush orders the assignments.
            return None
        return Launch(program, self._sources, stored.numbers, self._outputs, stored.updates)

    @functools.cached_property
    def _guards(self) -> tuple[tuple[int, int], ...]:
        """The slots of the new and old values of variables that keep the old value if a check fails."""
        stored = self._stored
        if not stored.node.checks:
            return ()
        places = {
            source._number: (slot, aval)
            for source, slot, aval in zip(stored.sources, stored.leaf_slots, stored.leaf_avals, strict=True)
            if isinstance(source, Cell)
        }
        found = [(slot, aval, places.get(cell._number)) for cell, slot, aval in stored.updates]
        return tuple([(slot, old[0]) for slot, aval, old in found if old is not None and old[1] is aval])
