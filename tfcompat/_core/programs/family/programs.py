"""The programs that compute the recordings of a family: that of the host, and padded ones.

The host serves them without a compilation. A padded program is compiled once it would have saved more time than its
compilation takes, both estimated from sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from tfcompat._core.programs.family.family import Family, Sizes
from tfcompat._core.programs.family.size_class import SizeClass, rounded_up
from tfcompat._core.programs.hosting import compilation
from tfcompat._core.programs.program import Outcome, Program
from tfcompat._core.structure.explanation import report_size_class
from tfcompat._core.structure.node import Node
from tfcompat._core.system.config import settings
from tfcompat._core.system.counter import counts
from tfcompat._core.system.device import all_to_device, computing_device
from tfcompat._jaxpr.collection import uncollected
from tfcompat._jaxpr.host.control import TooLong
from tfcompat._jaxpr.host.evaluation import HostProgram, NoKernel
from tfcompat._jaxpr.padded.cost import HOST, cost_of
from tfcompat._jaxpr.padded.refusal import NoRule

# The time for compiling a padded program, as a part of the estimate for an exact one: it has masks, and is optimised
# less. (Attention, convolutions, a policy and translation: 0.8, 1.5, 0.4 and 0.6.)
_MASKED = 0.8
_MOST_CLASSES = 12
# The largest size of a padded program, which takes the true sizes as 32-bit numbers.
_LARGEST = (1 << 31) - 1
# A recording that ran on the host this often in a row is that of a steady loop.
_STEADY = 3
_MULTIPLE = 4
# For this number of sizes the evaluation by NumPy is kept prepared: others are prepared in less time than the garbage
# collector needs for objects that have survived a collection. Sizes that come several times in a row get a program.
_MOST_PREPARED = 0


class Variants(Protocol):
    """The recordings that are served."""

    def refuse(self, reason: str) -> None:
        """Notes that each recording needs a program of its own from now on, and why."""
        ...

    def are_few(self, path: Sequence[Node]) -> bool:
        """Whether `path` returns and is one of a few shapes, which have programs of their own."""
        ...

    def earlier(self, family: Family) -> list[Sizes]:
        """The sizes of the recordings of `family` that ran before there was one."""
        ...


class _Hosted:
    """Runs on the host since the last padded program was compiled.

    Attributes:
      excess: the estimated nanoseconds that a program of their own sizes would have saved.
    """

    def __init__(self, symbols: Sequence[str], earlier: Sequence[Sizes] = ()) -> None:
        """Begins with the sizes of `earlier` runs."""
        self.excess = 0.0
        self._largest = dict.fromkeys(symbols, 0)
        self._count = 0
        for sizes in earlier:
            self.note(sizes, 0.0)

    def note(self, sizes: Sizes, excess: float) -> None:
        """Adds a run."""
        self.excess += max(excess, 0.0)
        self._count += 1
        for name, size in sizes.items():
            self._largest[name] = max(self._largest[name], size)

    def room(self) -> dict[str, int]:
        """The sizes of a program that would have served all runs, with a margin for larger ones.

        The largest of n random numbers between 0 and m is n / (n + 1) of m, on average.
        """
        count = self._count
        wanted = {name: -(-size * (count + 1) // count) for name, size in self._largest.items()}
        return {name: min(rounded_up(size), math.ceil(size / _MULTIPLE) * _MULTIPLE) for name, size in wanted.items()}


class FamilyPrograms:
    """The programs for a family and one form of arguments and outputs."""

    def __init__(self, variants: Variants, family: Family, program: Program) -> None:
        """Traces the `family` of `variants`. Raises Differs if an op needs to know a size."""
        self.variants = variants
        self._family = family
        extent, slots = program.extent, program.slots
        self._jaxpr = family.jaxpr(program.outputs, extent.start, extent.given, extent.guards)
        plan = family.plan(program.outputs, extent.start, extent.given, extent.guards)
        order = (*[leaf.first for leaf in plan.leaves], *extent.given)
        vectors = len(self._jaxpr.in_avals) - len(order)
        places = {slot: vectors + k for k, slot in enumerate(slots)}
        # The place among a program's arguments of each input of the jaxpr.
        self._places = (*range(vectors), *[places[slot] for slot in order])
        taken = {places[leaf] for leaf in program.donated_slots}
        self._donated = [k for k, place in enumerate(self._places) if place in taken and self._is_closed(k)]
        self._cost_of_compiling = _MASKED * compilation(len(family.path))
        self._cost = cost_of(self._jaxpr, family.symbols)
        self._cost_on_host = cost_of(self._jaxpr, family.symbols, HOST)
        earlier = variants.earlier(family)
        self._room = {name: rounded_up(max([sizes[name] for sizes in earlier], default=0)) for name in family.symbols}
        self._classes: list[SizeClass] = []
        self._host = self._on_host()
        # Of sizes that no padded program covers, and of those that the host computes in less time than one that does.
        self._uncovered, self._covered = _Hosted(family.symbols, earlier), _Hosted(family.symbols)
        self._latest: Sizes = {}
        self._in_a_row = 0

    def _is_closed(self, k: int) -> bool:
        return all(isinstance(size, int) for size in self._jaxpr.in_avals[k].shape)

    def _on_host(self) -> HostProgram | None:
        """The evaluation by NumPy, if it is possible."""
        if computing_device().platform != "cpu":
            return None
        try:
            with uncollected():
                return HostProgram(self._jaxpr, _MOST_PREPARED)
        except NoKernel:
            return None

    def __call__(self, path: Sequence[Node], args: Sequence[Any]) -> Outcome | None:
        """The outputs for the arguments of a program of `path`; None if a program for these sizes alone pays.

        Raises: NoRule, from then on, if it is impossible.
        """
        if self.variants.are_few(path):
            return None
        sizes = self._family.checked(path)
        if max(sizes.values(), default=0) > _LARGEST:
            raise NoRule("size", "a size exceeds 32 bits")
        arrays = [args[place] for place in self._places]
        try:
            chosen = self._chosen(sizes)
            if chosen is None:
                self._in_a_row = self._in_a_row + 1 if sizes == self._latest else 1
                self._latest = sizes
                if self._in_a_row > _STEADY:
                    return None
                found = self._computed_on_host(sizes, arrays)
                if found is not None:
                    return Outcome(found, is_padded=False)
                chosen = self._chosen(sizes)
            assert chosen is not None
            return Outcome(chosen(sizes, arrays), is_padded=True)
        except NoRule as refused:
            self.variants.refuse(f"JAX's {refused} on padded arrays")
            raise

    def _computed_on_host(self, sizes: Sizes, arrays: Sequence[Any]) -> list[Any] | None:
        """The outputs, computed by NumPy; None if a loop takes too long, and from then on."""
        assert self._host is not None
        try:
            # A collection now would count the kernels among the objects that have survived one.
            with uncollected():
                found = self._host(*map(np.asarray, arrays), sizes=sizes)
        except TooLong:
            self._host = None
            return None
        counts.host_ops += len(self._family.path)
        return all_to_device(found)

    def _chosen(self, sizes: Sizes) -> SizeClass | None:
        """The cheapest padded program that covers `sizes`; None if the host takes less time.

        A new padded program is compiled if it would have paid by now.
        """
        tight = {name: rounded_up(size) for name, size in sizes.items()}
        covering = [known for known in self._classes if known.covers(sizes)]
        is_deterministic = settings.is_deterministic
        if is_deterministic:
            covering = [known for known in covering if known.largest == tight]
        best = min(covering, key=lambda known: known.cost, default=None)
        is_hosting = self._host is not None and settings.is_hosting and not is_deterministic
        if not is_hosting and best is None:
            return self._added(tight if is_deterministic else self._with_room_for(tight))
        values = tuple(sizes.values())
        wanted = self._cost(*tight.values())
        spent = self._cost_on_host(*values) if is_hosting else math.inf
        if best is not None and best.cost <= spent:
            best.wasted += best.cost - wanted
            if best.wasted <= self._cost_of_compiling or not self._has_room() or is_deterministic:
                return best
            best.wasted = 0.0
            return self._added(tight)
        hosted = self._uncovered if best is None else self._covered
        hosted.note(sizes, spent - wanted)
        if hosted.excess <= self._cost_of_compiling or not self._has_room():
            return None
        room = tight if is_deterministic else hosted.room()
        self._uncovered, self._covered = _Hosted(self._family.symbols), _Hosted(self._family.symbols)
        return self._added(room)

    def _has_room(self) -> bool:
        return len(self._classes) < _MOST_CLASSES

    def _with_room_for(self, tight: Sizes) -> dict[str, int]:
        """The sizes of a class that covers `tight`, all existing classes, and the recordings before there was one."""
        rooms = [tight, self._room, *[known.largest for known in self._classes]]
        return {name: max(room[name] for room in rooms) for name in tight}

    def _added(self, largest: Sizes) -> SizeClass:
        if settings.is_explaining:
            report_size_class(largest)
        cost = self._cost(*largest.values())
        self._classes.append(SizeClass(self._jaxpr, self._family.symbols, largest, self._donated, cost))
        return self._classes[-1]
