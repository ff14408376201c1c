"""The computation of one replica, folded from a recording, and the layouts of its values on the devices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from tfcompat._core.programs.computation import computation
from tfcompat._core.programs.replay import Plan
from tfcompat._core.programs.replicas.exchange import FIRST, SUM, is_component
from tfcompat._core.programs.replicas.exchange import OWN as OWN_OF_ALL
from tfcompat._core.programs.replicas.folding import Folded, NotFolded, Part
from tfcompat._core.programs.replicas.placement import COMMON, OWN, Placement
from tfcompat._core.structure.node import Node, Number, Reference
from tfcompat._core.structure.value_check import checked_steps
from tfcompat._core.system.device import REPLICAS
from tfcompat._jaxpr.jit import jitted

Guards = Sequence[tuple[int, int]]


class Source(NamedTuple):
    """Values of which each replica reads its own: numbers, or positions of arguments.

    Attributes:
      numbers, positions: one for each replica, or nothing.
    """

    numbers: tuple[Number, ...] = ()
    positions: tuple[int, ...] = ()


class Layout(NamedTuple):
    """Which values differ between the replicas.

    Attributes:
      differing: the slots of leaves and choices that do; `own`: all slots that do.
    """

    differing: frozenset[int]
    own: frozenset[int]


class Body:
    """The computation of one replica, and what its leaves and its results stand for.

    Attributes:
      arguments: by slot of a leaf, the positions of its argument, or of the arguments of all replicas.
      sources: by slot, the values of which each replica reads its own.
      outputs: the slots to compute; `ranks`: their ranks.
      results: for each output of the program, a slot, or a `Part`; `flags`: for each check, its number and the replica.
    """

    def __init__(
        self,
        path: Sequence[Node],
        slots: Sequence[int],
        outputs: Sequence[int],
        checked: Sequence[Node],
        guards: Guards,
        renewed: Guards,
    ) -> None:
        """The body of the recording `path` for the arguments `slots`, the results `outputs`, and the steps `checked`.

        `guards` and `renewed` are pairs of slots, the new and the old value of a variable. Raises NotFolded.
        """
        position = {slot: place for place, slot in enumerate(slots)}
        folded = Folded(path, position.keys())
        self.devices = folded.devices
        self.results = [folded.result(slot) for slot in outputs]
        self.guards = {slot_of(folded.result(new)): slot_of(folded.result(old)) for new, old in guards}
        self.outputs = list(dict.fromkeys(map(slot_of, self.results)))
        self.plan = Plan(folded.path, (), (*self.outputs, *self.guards.values()))
        avals = {slot: aval for node in folded.path for slot, aval in enumerate(node.avals, node.first)}
        self.ranks = [len(avals[slot].shape) for slot in self.outputs]
        self.leaves = [leaf.first for leaf in self.plan.leaves]
        if any(slot not in position for leaf in self.leaves for slot in folded.leaves[leaf]):
            raise NotFolded("a replica reads a value that the others do not need")
        self.arguments = {leaf: tuple([position[slot] for slot in folded.leaves[leaf]]) for leaf in self.leaves}
        self.sources = self._sources(folded)
        numbers = {step.first: number for number, step in enumerate(checked_steps(self.plan.steps))}
        if any(folded.checks[step.first].slot not in numbers for step in checked) or bool(numbers) != bool(checked):
            raise NotFolded("the replicas check different values")
        self.flags = [(folded.checks[step.first].replica, numbers[folded.checks[step.first].slot]) for step in checked]
        self._renewed = [(slot_of(folded.result(new)), position[old]) for new, old in renewed if old in position]

    def _sources(self, folded: Folded) -> dict[int, Source]:
        found = {leaf: Source((), given) for leaf, given in self.arguments.items() if len(given) > 1}
        for step in self.plan.steps:
            chosen = folded.choices.get(step.first)
            if chosen is None:
                continue
            numbers = tuple([each for each in chosen if isinstance(each, Number)])
            positions = tuple([self.arguments[each][0] for each in _slots(chosen) if each in self.arguments])
            is_known = len(chosen) in (len(numbers), len(positions))
            found[step.first] = Source(numbers, positions) if is_known else Source()
        return found

    def layout(self, differing: frozenset[int]) -> Layout:
        """The layout if at least the values in the slots `differing` differ: those of a variable that will, too."""
        while True:
            own = self._own(differing)
            places = {position for new, position in self._renewed if new in own}
            more = {slot for slot, source in self.sources.items() if not places.isdisjoint(source.positions)}
            if more <= differing:
                return Layout(differing, own)
            differing |= more

    def _own(self, differing: frozenset[int]) -> frozenset[int]:
        """The slots whose values differ between the replicas."""
        own: set[int] = set()
        for step in self.plan.steps:
            if step.first in self.sources:
                if step.first in differing:
                    own.add(step.first)
            elif step.op is not SUM and not is_component(step.op) and not own.isdisjoint(_slots(step.inputs)):
                own.update(range(step.first, step.slot))
        return frozenset(own)

    def compiled(
        self, layout: Layout, place: Placement, donated: Sequence[int], *, has_floats: bool, has_ints: bool
    ) -> Callable[..., Any]:
        """The function that JAX compiles for `layout`: of the numbers, and of an array for each leaf.

        It takes the buffers of the leaves with the numbers `donated`. It returns an array, or one for each replica (see
        `listed`), for each of `outputs`; the flags if there are checks; and a scalar.
        """
        replay = computation(
            self._planned(layout),
            self.leaves,
            self.outputs,
            tuple(self.guards.items()),
            has_floats=has_floats,
            has_ints=has_ints,
            everywhere=_anywhere,
        )
        count = len(self.devices)
        listed = self.listed(layout)

        def body(*args: Any) -> Any:
            values = replay(*args)
            results: list[Any] = []
            for value, is_listed in zip(values, listed, strict=False):
                results += list(jax.lax.all_gather(value, REPLICAS)) if is_listed else [value]
            if self.flags:
                flags = jax.lax.all_gather(values[-1], REPLICAS)
                results.append(jnp.stack([flags[at] for at in self.flags]))
            return [*results, jnp.zeros(())]

        results: list[Any] = []
        for slot, is_listed in zip(self.outputs, listed, strict=True):
            results += [COMMON] * count if is_listed else [OWN if slot in layout.own else COMMON]
        results += [COMMON] * (bool(self.flags) + 1)
        numbers = [COMMON] * (has_floats + has_ints)
        leaves = [OWN if leaf in layout.differing else COMMON for leaf in self.leaves]
        return jitted(
            jax.shard_map(
                body,
                mesh=place.mesh,
                in_specs=(*numbers, *leaves),
                out_specs=results,
                check_vma=False,
            ),
            donate_argnums=[len(numbers) + number for number in donated],
        )

    def _planned(self, layout: Layout) -> Plan:
        """The plan in which a choice between values that do not differ in `layout` is the first of them.

        The optimizer of a large model has hundreds of such numbers, of which XLA would stack those of all replicas.
        """
        shared = self.sources.keys() - layout.differing
        steps = [
            Node(step.parent, FIRST, step.inputs[:1], step.signature[:1], step.avals, step.line)
            if step.op is OWN_OF_ALL and step.first in shared
            else step
            for step in self.plan.steps
        ]
        return Plan.made(steps, self.plan.linearised)

    def listed(self, layout: Layout) -> list[bool]:
        """For each of `outputs`, whether the program returns an array for each replica: scalars have no axis to cut."""
        return [slot in layout.own and rank == 0 for slot, rank in zip(self.outputs, self.ranks, strict=True)]

    def described(self, slot: int) -> str:
        """The step that computes `slot`, for messages."""
        for step in self.plan.steps:
            if step.first <= slot < step.slot:
                return f"{step.op!r} {list(step.avals)} at {step.line}"
        return "a value from outside of the step"

    def old_values(self, layout: Layout) -> frozenset[int]:
        """The numbers of the leaves that are old values of variables, which all replicas share."""
        old = {position for _, position in self._renewed}
        leaves = [(number, leaf) for number, leaf in enumerate(self.leaves) if leaf not in layout.differing]
        several = [(number, self.arguments[leaf]) for number, leaf in leaves if len(self.arguments[leaf]) > 1]
        return frozenset([number for number, positions in several if old.issuperset(positions)])


def slot_of(result: int | Part) -> int:
    """The slot of the body for `result`."""
    return result.slot if isinstance(result, Part) else result


def _slots(references: Sequence[Reference]) -> list[int]:
    return [reference for reference in references if type(reference) is int]


def _anywhere(flags: Any) -> Any:
    """Whether one of the `flags` of a replica is true."""
    return jax.lax.psum(jnp.any(flags).astype(jnp.int32), REPLICAS) > 0
