"""Lowers a loop with a known trip count to `jax.lax.scan`, recorded as one op.

`Hoisting` determines the parts that stay out of the scan: known integers are not carried, reads at known places become
scanned inputs, writes at known places become stacked outputs, and checks that cannot fail are omitted.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from tfcompat._autodiff.connection import Links, after_iterations
from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.structure.node import Node, Number
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.sizes import sizes_tensor
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.dtype import bool_
from tfcompat._function.block.block import record_checks
from tfcompat._function.control.hoisting import Hoisting, Windows
from tfcompat._function.control.iteration import Iteration
from tfcompat._function.control.progression import Progression
from tfcompat._function.control.scan_op import CARRIED, FIXED, REST, ROWS, WINDOWS, WRITTEN, Frame, scan_like
from tfcompat._function.control.trip_count import TripCount
from tfcompat._jaxpr.size import is_open


class HoistedSteps:
    """Records the loop-invariant steps of an iteration before the loop."""

    def __init__(self, iteration: Iteration) -> None:
        self._iteration = iteration
        self._steps = {
            slot: node for node in iteration.block.graph.node.path() for slot in range(node.first, node.slot)
        }
        self._found: dict[int, Tensor] = {}

    def tensor(self, slot: int) -> Tensor:
        """The tensor outside of the loop with the loop-invariant value of `slot`."""
        if slot not in self._found:
            self._find(slot)
        return self._found[slot]

    def rows(self, windows: Windows, *, is_backward: bool) -> Tensor:
        """The slices that the iterations read, stacked; in reverse if `is_backward`."""
        node = windows.node
        found = self._input(node.inputs[0])
        if windows.whole is not None:
            others = [k for k in range(1, len(node.inputs)) if k != windows.position]
            found = self._at_line_of(
                node, record(windows.whole, (found, *[self._input(node.inputs[k]) for k in others]))
            )
        op = windows.op(is_backward=is_backward)
        return found if op is None else record(op, (found,))

    def _find(self, slot: int) -> None:
        iteration, node = self._iteration, self._steps[slot]
        if slot in iteration.leaves:
            self._found[slot] = iteration.operand(iteration.leaves[slot])
        elif node.op is None:
            self._found[slot] = Tensor(np.asarray(self._input(node.inputs[0]), node.aval.dtype.as_numpy_dtype))
        else:
            found = self._at_line_of(node, record(node.op, tuple(map(self._input, node.inputs))))
            self._found.update(enumerate(found if node.op.many else (found,), node.first))

    def _input(self, reference: int | Number) -> Any:
        """The operand outside of the loop for `reference`."""
        if isinstance(reference, Number):
            graph = self._iteration.block.graph
            return reference.of(graph.floats, graph.ints)
        return self.tensor(reference)

    def _at_line_of(self, node: Node, found: Any) -> Any:
        """`found`, recorded for `node`; an error names the line of `node`."""
        here.trace.node.line = node.line
        return found


_NONE: Links = frozenset()


class ScanLowering:
    """The whole loop as one op, a scan."""

    def __init__(
        self,
        name: str,
        iteration: Iteration,
        trip_count: TripCount,
        stacked: Sequence[int] = (),
        assigned: Collection[int] = (),
    ) -> None:
        """`stacked` are the slots to stack; `assigned` are the places of the variables in the state."""
        self._name = name
        self._iteration = iteration
        self._count = trip_count.count
        self._final = trip_count.final
        self._assigned = assigned
        self._stacked = list(stacked)
        hoisting = self._hoisting = Hoisting(iteration, trip_count, stacked)
        self._has_effects = bool(hoisting.checks or iteration.block.effects)
        read = {iteration.leaves[slot] for slot in hoisting.leaves}
        rest = sorted(read.difference(hoisting.carried, iteration.rows))
        places = {CARRIED: hoisting.carried, ROWS: list(iteration.rows), REST: rest}
        sources = {place: (group, k) for group, held in places.items() for k, place in enumerate(held)}
        self._sources = [
            sources.get(place) if slot in hoisting.leaves else None for slot, place in iteration.leaves.items()
        ]
        self._rest = rest
        self._sizes: list[int] = []

    def record(self) -> tuple[list[Tensor], list[Tensor]]:
        """Records the op; returns the final state and the stacked tensors."""
        iteration, hoisting = self._iteration, self._hoisting
        groups = self._groups()
        self._sizes = [len(group) for group in groups]
        operands = tuple(itertools.chain(*groups))
        avals = [tensor._aval for group in groups[:WINDOWS] for tensor in group]
        rows = [iteration.avals[slot] for slot in self._stacked]
        avals += [aval_of((self._count, *aval.shape), aval.dtype) for aval in rows]
        avals += [aval_of((len(hoisting.checks) + 1,), bool_)] * self._has_effects
        found: list[Tensor] = []
        if avals:
            linked = self._linked()
            given = (*hoisting.windows, *hoisting.fixed)
            rule = iteration.block.loop_rule(linked, operands, given)
            op = self._op(rule)
            op.inferred[tuple(tensor._aval for tensor in operands)] = tuple(avals)
            found = list(record(op, operands))
        if self._has_effects:
            record_checks(found[-1], hoisting.checks)
        changed = dict(zip((*hoisting.carried, *hoisting.writes), found, strict=False))
        state = [self._after(place, changed) for place in iteration.parts]
        iteration.forget()
        cut = len(changed)
        return state, list(found[cut : cut + len(rows)])

    def _groups(self) -> list[list[Tensor]]:
        """The operands by group."""
        iteration, hoisting, hoisted = self._iteration, self._hoisting, HoistedSteps(self._iteration)
        groups: dict[int, list[Tensor]] = {
            CARRIED: [iteration.operand(place) for place in hoisting.carried],
            WRITTEN: [iteration.operand(place) for place in hoisting.writes],
            WINDOWS: [hoisted.rows(w, is_backward=hoisting.is_backward) for w in hoisting.windows.values()],
            FIXED: [hoisted.tensor(slot) for slot in hoisting.fixed],
            ROWS: [iteration.operand(place) for place in iteration.rows],
            REST: [iteration.operand(place) for place in self._rest],
        }
        return [groups[k] for k in range(len(groups))]

    def _after(self, place: int, changed: dict[int, Tensor]) -> Tensor:
        """The final value of `place`."""
        if place in changed:
            return changed[place]
        if place not in self._final:
            return self._iteration.operand(place)
        final = self._final[place]
        if is_open(final):
            return sizes_tensor(final, self._iteration.operand(place).dtype)
        return Tensor(np.array(final, self._iteration.operand(place).dtype.as_numpy_dtype))

    def _op(self, rule: GradientRule) -> Op:
        hoisting = self._hoisting
        given = (*hoisting.windows, *hoisting.fixed, *hoisting.known)
        body = self._iteration.block.procedure(hoisting.outputs, given=given, checks=hoisting.checks)
        known = [Progression.of(values) for values in hoisting.known.values()]
        writes = [
            (k, Progression.of(write.rows.astype(np.int32)))
            for k, each in enumerate(hoisting.writes.values())
            for write in each
        ]
        frame = Frame(
            groups=tuple(self._sizes),
            sources=tuple(self._sources),
            known=tuple([each.pattern for each in known]),
            writes=tuple([(k, each.pattern) for k, each in writes]),
            is_backward=hoisting.is_backward,
            has_effects=self._has_effects,
        )
        first, places = tuple([each.sized for each in known]), tuple([each.sized for _, each in writes])
        return scan_like(self._name, rule, frame, body.structure, self._count, body.sized, first, places)

    def _linked(self) -> tuple[Links, ...]:
        """For each output, the operands that its gradient reaches; none through an assigned variable."""
        hoisting, block = self._hoisting, self._iteration.block
        first = list(itertools.accumulate(self._sizes, initial=0))
        places = [None if source is None else first[source[0]] + source[1] for source in self._sources]
        places += range(first[WINDOWS], first[ROWS])
        found = block.links(hoisting.outputs, (*hoisting.windows, *hoisting.fixed))
        direct = [{place for k in leaves if (place := places[k]) is not None} for leaves in found]
        count = len(hoisting.carried)
        held = [k for k, place in enumerate(hoisting.carried) if place in self._assigned]
        carried = after_iterations([set() if k in held else {k} | links for k, links in enumerate(direct[:count])])
        rest = iter([links.union(*[carried[k] for k in links if k < count]) for links in direct[count:]])
        written = [
            {first[WRITTEN] + k}.union(*itertools.islice(rest, len(writes)))
            for k, writes in enumerate(hoisting.writes.values())
        ]
        return tuple(map(frozenset, (*carried, *written, *rest, *[_NONE] * self._has_effects)))
