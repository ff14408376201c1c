"""The walk backward over a part of a trace: what `GradientTape.gradient` records.

The walk appends one step per op that it passes: the op's pullback, an ordinary step that outer tapes differentiate in
turn. What it appends depends on structure alone, so it is remembered at the node where the trace stood, and the next
time the trace leaps over all of these steps at once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp

from tfcompat._core.aval import Aval, aval_of
from tfcompat._core.node import Node, Origin
from tfcompat._core.op import Op, differentiable
from tfcompat._core.trace import Trace


class Dense(NamedTuple):
    """A gradient in a slot."""

    slot: int
    aval: Aval


class Rows(NamedTuple):
    """The gradient of a gather along axis 0: a row for each index."""

    values: int
    values_aval: Aval
    indices: int
    indices_aval: Aval
    aval: Aval


Gradient = Dense | Rows
Targets = Sequence[tuple[int, int | None]]


class Span(NamedTuple):
    """What a tape has recorded of a trace.

    Attributes:
      intervals: the slots from which to which it was recording.
      watched: (slot, position): the slot is watched by the steps from that position on.
    """

    intervals: tuple[tuple[int, int], ...]
    watched: tuple[tuple[int, int], ...]

    def covers(self, node: Node) -> bool:
        """Whether the tape was recording when `node` was."""
        return any(start <= node.first < end for start, end in self.intervals)


class CustomCall(NamedTuple):
    """A step whose gradient is a Python function.

    `inputs` are the slots that the gradients belong to; `pull` takes the outputs' cotangents (slots or None) and
    answers a gradient, or None, for each.
    """

    inputs: tuple[int, ...]
    pull: Callable[[Sequence[Dense | None]], Sequence[Gradient | None]]


_ADD = Op("add", jnp.add)
_CONCAT = Op("concat", lambda *parts: jnp.concatenate(parts))


@functools.cache
def ones(aval: Aval) -> Op:
    """The op that makes ones of `aval`."""
    return Op("ones", lambda: jnp.ones(aval.shape, aval.dtype.as_numpy_dtype), label=repr(aval))


@functools.cache
def zeros(aval: Aval) -> Op:
    """The op that makes zeros of `aval`."""
    return Op("zeros", lambda: jnp.zeros(aval.shape, aval.dtype.as_numpy_dtype), label=repr(aval))


@functools.cache
def reshape(shape: tuple[int, ...]) -> Op:
    """The op that reshapes to `shape`."""
    return Op("reshape", lambda x: jnp.reshape(x, shape), label=repr(shape))


@functools.cache
def densify(shape: tuple[int, ...]) -> Op:
    """The op that sums rows into a dense array of `shape`, given values and indices."""
    return Op(
        "scatter_rows",
        lambda values, indices: jnp.zeros(shape, values.dtype).at[indices].add(values),
        label=repr(shape),
    )


def backward(
    trace: Trace, span: Span, targets: Targets, sources: Sequence[tuple[int, ...]], customs: Mapping[int, CustomCall]
) -> list[Gradient | None]:
    """The gradients of `targets`, pairs of a slot and the slot of its cotangent (None for ones), for each source, the
    union of some slots.
    """
    if customs:
        return list(Walk(trace, span, customs).run(targets, sources))
    key = ("gradient", span, tuple(targets), tuple(sources))
    start = trace.node
    memo = start.memos.get(key)
    if memo is None:
        answer = list(Walk(trace, span, customs).run(targets, sources))
        start.memos[key] = (trace.node, answer)
        return answer
    trace.node = memo[0]
    return memo[1]


class Walk:
    """One walk backward over what a tape recorded in `trace`."""

    def __init__(self, trace: Trace, span: Span, customs: Mapping[int, CustomCall]) -> None:
        self.trace = trace
        self.customs = customs
        self.path = trace.node.path()
        self.avals = {node.first + k: aval for node in self.path for k, aval in enumerate(node.avals)}
        self.tainted: dict[int, tuple[int, ...]] = {}
        self._taint(span)

    def _taint(self, span: Span) -> None:
        """Finds the steps that derive from what is watched, and which of their inputs do (by position, or all slots of
        a custom call).
        """
        reached: set[int] = set()
        events = sorted(span.watched, key=lambda event: event[1])
        for node in self.path:
            while events and events[0][1] <= node.first:
                reached.add(events.pop(0)[0])
            if node.op is None or not span.covers(node):
                continue
            custom = self.customs.get(node.first)
            if custom is not None:
                if any(slot in reached for slot in custom.inputs):
                    self.tainted[node.first] = ()
                    reached.update(k for k in range(node.first, node.slot) if differentiable(self.avals[k]))
                continue
            positions = tuple(
                i
                for i, slot in enumerate(node.inputs)
                if type(slot) is int and slot in reached and differentiable(node.signature[i])
            )
            outputs = [
                node.first + k
                for k, aval in enumerate(node.avals)
                if differentiable(aval) and any(node.op.links(k, i) for i in positions)
            ]
            if outputs or (positions and node.op.no_gradient):
                self.tainted[node.first] = positions
                reached.update(outputs)

    def run(self, targets: Targets, sources: Sequence[tuple[int, ...]]) -> Iterator[Gradient | None]:
        """Walks from `targets` and yields each source's gradient."""
        self.terms: dict[int, list[Gradient]] = {}
        for target, cotangent in targets:
            if cotangent is None:
                cotangent = self.trace.step(ones(self.avals[target]), (), ()).first
            self.terms.setdefault(target, []).append(Dense(cotangent, self.avals[target]))
        for node in reversed(self.path):
            if node.first in self.tainted:
                self._pass(node)
        for slots in sources:
            parts = [part for slot in slots if (part := self._total(slot)) is not None]
            yield self._summed(parts) if parts else None

    def _pass(self, node: Node) -> None:
        given = tuple(k for k in range(len(node.avals)) if node.first + k in self.terms)
        if not given:
            return
        custom = self.customs.get(node.first)
        if custom is not None:
            cotangents = [self._dense(node.first + k) if k in given else None for k in range(len(node.avals))]
            for slot, gradient in zip(custom.inputs, custom.pull(cotangents), strict=True):
                if gradient is not None:
                    self.terms.setdefault(slot, []).append(gradient)
            return
        op = node.op
        assert op is not None
        if op.no_gradient:
            raise LookupError(op.no_gradient)
        wanted = tuple(i for i in self.tainted[node.first] if any(op.links(k, i) for k in given))
        if op.rows is not None and op.rows[0] in wanted:
            self._pass_gather(node, op.rows)
            wanted = tuple(i for i in wanted if i != op.rows[0])
        if wanted:
            self._pull(node, op, wanted, given)

    def _pull(self, node: Node, op: Op, wanted: tuple[int, ...], given: tuple[int, ...]) -> None:
        pullback, read = op.pullback(node.signature, wanted, given)
        cotangents = [self._dense(node.first + k) for k in given]
        inputs = (*(node.inputs[i] for i in read), *(ct.slot for ct in cotangents))
        signature = (*(node.signature[i] for i in read), *(ct.aval for ct in cotangents))
        step = self.trace.step(pullback, inputs, signature, Origin(node, wanted, given, len(read)))
        for k, position in enumerate(wanted):
            slot = node.inputs[position]
            assert type(slot) is int
            self.terms.setdefault(slot, []).append(Dense(step.first + k, step.avals[k]))

    def _pass_gather(self, node: Node, rows: tuple[int, int]) -> None:
        params, indices = (node.inputs[i] for i in rows)
        params_aval, indices_aval = (node.signature[i] for i in rows)
        assert type(params) is int and type(indices) is int
        cotangent = self._dense(node.first)
        flat = aval_of((indices_aval.size,), indices_aval.dtype)
        values = aval_of((indices_aval.size, *params_aval.shape[1:]), params_aval.dtype)
        rows_of = Rows(
            self._reshaped(cotangent.slot, cotangent.aval, values),
            values,
            self._reshaped(indices, indices_aval, flat),
            flat,
            params_aval,
        )
        self.terms.setdefault(params, []).append(rows_of)

    def _reshaped(self, slot: int, aval: Aval, wanted: Aval) -> int:
        return slot if aval is wanted else self.trace.step(reshape(wanted.shape), (slot,), (aval,)).first

    def _total(self, slot: int) -> Gradient | None:
        """The sum of what has come to `slot`."""
        terms = self.terms.get(slot)
        if terms is None:
            return None
        if len(terms) > 1:
            self.terms[slot] = terms = [self._summed(terms)]
        return terms[0]

    def _dense(self, slot: int) -> Dense:
        total = self._total(slot)
        assert total is not None
        dense = self._densified(total)
        self.terms[slot] = [dense]
        return dense

    def _densified(self, gradient: Gradient) -> Dense:
        if isinstance(gradient, Dense):
            return gradient
        step = self.trace.step(
            densify(gradient.aval.shape),
            (gradient.values, gradient.indices),
            (gradient.values_aval, gradient.indices_aval),
        )
        return Dense(step.first, step.avals[0])

    def _summed(self, terms: Sequence[Gradient]) -> Gradient:
        if len(terms) == 1:
            return terms[0]
        rows = [term for term in terms if isinstance(term, Rows)]
        if len(rows) == len(terms) and len({row.indices_aval.dtype for row in rows}) == 1:
            values = self.trace.step(_CONCAT, tuple(r.values for r in rows), tuple(r.values_aval for r in rows))
            indices = self.trace.step(_CONCAT, tuple(r.indices for r in rows), tuple(r.indices_aval for r in rows))
            return Rows(values.first, values.avals[0], indices.first, indices.avals[0], rows[0].aval)
        total = self._densified(terms[0])
        for term in terms[1:]:
            dense = self._densified(term)
            step = self.trace.step(_ADD, (total.slot, dense.slot), (total.aval, dense.aval))
            total = Dense(step.first, step.avals[0])
        return total
