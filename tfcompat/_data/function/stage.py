"""The order in which the parts of an element are computed: programs and the host take turns.

A stage computes, by a program, the numbers that some steps of the host need, and then these steps. What no result
depends on is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tfcompat._core.programs.replay import Plan
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._data.function.graph import HostSource
from tfcompat._data.function.trace import ElementTrace, FromHost, Instances, Parts, Result
from tfcompat._function.graphs.source import Hosted, Part
from tfcompat._function.graphs.stored_trace import StoredTrace
from tfcompat._jaxpr.size import symbols_of


class Stage(NamedTuple):
    """A program for `slots`, which may be none, and the numbers of the steps of the host after it."""

    slots: tuple[int, ...]
    steps: tuple[int, ...]


def stages_of(trace: ElementTrace) -> list[Stage]:
    """The stages before the program that computes the results of `trace`."""
    if not trace.steps:
        return []
    order = _Order(trace)
    wanted = [slot for slot, aval in trace.stored.outputs if aval is not None]
    wanted += [slot for _, slot, _ in trace.stored.updates]
    wanted += [slot for slot, _ in trace.stored.effects]
    order.need(order.sources(wanted))
    order.need(source for result in trace.results for source in hosted_in(result))
    for number, step in enumerate(trace.steps):
        # A trace for other sizes needs all integers that decide shapes.
        if step.has_effects or step.symbols:
            order.depth_of(number)
    if trace.shares_sizes:
        # Whether the shared sizes agree is known only when all values that have them are.
        order.need(trace.opened)
    found: list[Stage] = []
    for depth in range(max(order.depths.values(), default=-1) + 1):
        steps = tuple(sorted(number for number, at in order.depths.items() if at == depth))
        slots = {part for number in steps for part in trace.steps[number].inputs if type(part) is int}
        slots -= order.leaves.keys()
        # A program is prepared again for other sizes; what has none is left out of it.
        fixed = {slot for slot in slots if not order.has_open_sizes(slot)}
        if fixed and fixed != slots:
            found.append(Stage(tuple(sorted(fixed)), ()))
            slots -= fixed
        found.append(Stage(tuple(sorted(slots)), steps))
    return found


def leaves_of(stored: StoredTrace) -> dict[int, object]:
    """The sources of the leaves of a trace, by slot."""
    return dict(zip(stored.leaf_slots, stored.sources, strict=True))


def hosted_in(result: Result) -> list[HostSource]:
    """The values of the host in a result."""
    if isinstance(result, FromHost):
        return [result.source]
    if isinstance(result, Parts):
        return [source for part in result.parts for source in hosted_in(part)]
    if isinstance(result, Instances):
        return [source for part in result.places.values() for source in hosted_in(part)]
    return []


class _Order:
    """The depths of the steps that are needed.

    Attributes:
      depths: for each step, how many stages come before it.
      leaves: the sources of the leaves of the trace, by slot.
    """

    def __init__(self, trace: ElementTrace) -> None:
        self._trace = trace
        self._path = trace.stored.node.path()
        self.leaves = leaves_of(trace.stored)
        self.depths: dict[int, int] = {}
        # For each symbol the first value of the host that has it as a size, or a step that reads it. The sizes of the
        # arguments on which programs compute are known before any step.
        given = symbols_of([size for aval in trace.sizes.avals if aval for size in aval.shape]) if trace.sizes else ()
        self._givers: dict[str, HostSource] = {}
        # A branch knows the values that it captures before any step of its own, which may have the same symbols.
        for source, shape in sorted(trace.shapes.items(), key=lambda item: isinstance(item[0], Hosted)):
            for name in symbols_of(shape or ()):
                if name not in given:
                    self._givers.setdefault(name, source)
        for number, step in enumerate(trace.steps):
            self._givers.update(dict.fromkeys(step.symbols, Hosted(number, 0)))

    def sources(self, slots: Sequence[int]) -> list[HostSource]:
        """The values of the host that `slots` of the trace depend on, be it for a size."""
        plan = Plan(self._path, (), slots)
        sources = [self.leaves[leaf.first] for leaf in plan.leaves]
        sizes = [size for step in plan.steps for aval in step.avals for size in aval.shape]
        sizes += [size for source in sources if type(source) is Sizes for size in source.array.ravel()]
        if slots:
            sizes += self._trace.stored.numbers[1]
        found = [source for source in sources if isinstance(source, Hosted | Part)]
        return found + [self._givers[name] for name in symbols_of(sizes) if name in self._givers]

    def has_open_sizes(self, slot: int) -> bool:
        """Whether a step that `slot` depends on has a size with symbols."""
        steps = Plan(self._path, (), (slot,)).steps
        return bool(symbols_of([size for step in steps for aval in step.avals for size in aval.shape]))

    def need(self, sources: Iterable[HostSource]) -> int:
        """Includes the steps of `sources`; the number of stages before all of them are known."""
        return max((self.depth_of(source.step) + 1 for source in sources if isinstance(source, Hosted)), default=0)

    def depth_of(self, number: int) -> int:
        """The depth of a step, which is included with all that it needs."""
        found = self.depths.get(number)
        if found is None:
            inputs = self._trace.steps[number].inputs
            slots = [part for part in inputs if type(part) is int]
            sources = [part for part in inputs if isinstance(part, Hosted | Part)] + self.sources(slots)
            sources += [self._givers[name] for name in self._trace.steps[number].reads if name in self._givers]
            found = self.depths[number] = self.need(sources)
        return found
