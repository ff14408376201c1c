"""Jacobians: a backward walk in a trial trace is recorded for the cotangents of all elements of the target at once.

A step that derives from the cotangent is recorded on rows, one for each element; any other step is recorded unchanged.
These are ordinary steps, so outer tapes differentiate them. If not all rows fit into memory, one op does the whole walk
in chunks of rows.
"""

from __future__ import annotations

import functools
import math
import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._autodiff.backward import Walk
from tfcompat._autodiff.gradient import CustomCall, Dense, Span, applied, densified, fitted
from tfcompat._autodiff.trial import Trial
from tfcompat._core.operation.batch import batched, with_rows
from tfcompat._core.operation.op import Op
from tfcompat._core.programs.replay import Plan
from tfcompat._core.structure.node import Node, Number, Origin, Reference
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.config import settings
from tfcompat._core.tracing.trace import Trace
from tfcompat._core.types.aval import Aval
from tfcompat._jaxpr.postponement import postponed

# The slots of a source, and its aval.
Place = tuple[tuple[int, ...], Aval]


@dataclass(frozen=True)
class _Rows:
    """The rows of a jacobian: one for each element of the target, whose aval is `aval`."""

    aval: Aval

    name = "jacobian"

    @property
    def count(self) -> int:
        return self.aval.size

    def cotangents(self) -> Any:
        """The target's cotangent in each row."""
        return _units(self.count, self.aval).reshape((self.count, *self.aval.shape))

    def arranged(self, gradients: Any, source: Aval) -> Any:
        """The jacobian for a source, from its gradient in each row."""
        return jnp.reshape(gradients, (*self.aval.shape, *source.shape))


class _BatchRows(_Rows):
    """The rows of a batch jacobian: one for each element of the target in an example."""

    name = "batch_jacobian"

    @property
    def count(self) -> int:
        return math.prod(self.aval.shape[1:])

    def cotangents(self) -> Any:
        units = _units(self.count, self.aval).reshape((self.count, 1, *self.aval.shape[1:]))
        return jnp.broadcast_to(units, (self.count, *self.aval.shape))

    def arranged(self, gradients: Any, source: Aval) -> Any:
        return jnp.reshape(jnp.moveaxis(gradients, 0, 1), (*self.aval.shape, *source.shape[1:]))


def _units(count: int, aval: Aval) -> Any:
    """The rows of an identity matrix that the compiler must multiply by: its zeros times infinity are nan."""
    return lax.optimization_barrier(jnp.eye(count, dtype=aval.dtype.as_numpy_dtype))


@functools.cache
def _cotangents(rows: _Rows) -> Op:
    return Op("cotangents", rows.cotangents, label=f"{rows.name}, {rows.aval}")


@functools.cache
def _arranged(rows: _Rows, source: Aval) -> Op:
    return Op(rows.name, lambda gradients: rows.arranged(gradients, source), label=repr(rows.aval))


def jacobian(
    trace: Trace, span: Span, customs: Mapping[int, CustomCall], target: Dense, sources: Sequence[Place]
) -> list[Tensor | None]:
    """The jacobians of `target` for each source, None where they are not connected."""
    return _recorded(trace, span, customs, target, tuple(sources), _Rows(target.aval))


def batch_jacobian(
    trace: Trace, span: Span, customs: Mapping[int, CustomCall], target: Dense, source: Place
) -> Tensor | None:
    """The jacobian of each row of `target` for the same row of `source`, None if they are not connected."""
    return _recorded(trace, span, customs, target, (source,), _BatchRows(target.aval))[0]


def _recorded(
    trace: Trace,
    span: Span,
    customs: Mapping[int, CustomCall],
    target: Dense,
    sources: tuple[Place, ...],
    rows: _Rows,
) -> list[Tensor | None]:
    """The jacobians, recorded, or taken from the cache if the trace ended at the same node before."""
    key = (rows, span, target, sources)
    answers: list[Dense | None]
    while True:
        start = trace.node
        memo = None if customs else start.memos.get(key)
        if memo is None:
            # The steps of a signal handler must not be among those of the trial trace, nor be stored with them.
            with postponed(immediate=signal.default_int_handler if customs else None):
                start = trace.node
                answers = _Pull(trace, span, customs, target, sources).over(rows)
                if not customs:
                    start.memos[key] = (trace.node, answers)
            break
        if trace.node is start:  # else a signal handler has recorded steps meanwhile
            trace.node, answers = memo
            break
    return [None if answer is None else trace.tensor(*answer) for answer in answers]


class _Pull:
    """The steps of one backward walk, as a function of the target's cotangent."""

    def __init__(
        self, trace: Trace, span: Span, customs: Mapping[int, CustomCall], target: Dense, sources: Sequence[Place]
    ) -> None:
        self.trace = trace
        self.sources = [aval for _, aval in sources]
        self.trial = Trial(trace, target.aval)
        self.found: list[Dense | None] = [None] * len(sources)
        walk = Walk(self.trial, span, customs)
        # A target that no tape follows has no jacobian, not even for itself: TensorFlow slices it first, unrecorded.
        if target.slot in walk.following.reached:
            with self.trial.recording():
                gradients = walk.run([(target.slot, self.trial.cotangent)], [slots for slots, _ in sources])
                self.found = [None if part is None else densified(self.trial, part) for part in gradients]

    def over(self, rows: _Rows) -> list[Dense | None]:
        """Records the gradients for the cotangents of all rows; returns the slots of the jacobians."""
        wanted = [part for part in self.found if part is not None]
        if not wanted:
            return self.found
        connected = [aval for aval, part in zip(self.sources, self.found, strict=True) if part is not None]
        steps = _needed(self.trial.steps(), [part.slot for part in wanted])
        chunk = settings.max_bytes // max(1, sum(aval.nbytes for step in steps for aval in step.avals))
        if chunk >= rows.count:
            recorder = _Recorder(self.trace, self.trial, rows)
            for step in steps:
                recorder.add(step)
            answers = iter([recorder.arranged(*pair) for pair in zip(wanted, connected, strict=True)])
        else:
            answers = iter(self._in_chunks(rows, wanted, connected, max(1, chunk)))
        return [None if part is None else next(answers) for part in self.found]

    def _in_chunks(
        self, rows: _Rows, wanted: Sequence[Dense], connected: Sequence[Aval], chunk: int
    ) -> Iterable[Dense]:
        memos = self.trial.node.memos
        key = (rows, self.trial.cotangent, tuple(wanted), tuple(connected), chunk)
        if key not in memos:
            memos[key] = (self.trial.node, self._chunked(rows, wanted, connected, chunk))
        op, outside = memos[key][1]
        inputs = tuple([self.trial.reference_in(reference, self.trace) for reference in outside])
        step = self.trace.step(op, inputs, tuple(outside.values()))
        return [Dense(step.first + k, aval) for k, aval in enumerate(step.avals)]

    def _chunked(
        self, rows: _Rows, wanted: Sequence[Dense], connected: Sequence[Aval], chunk: int
    ) -> tuple[Op, dict[Reference, Aval]]:
        """The op that does the walk for `chunk` rows at a time, and the slots that it reads."""
        slots = [part.slot for part in wanted]
        cotangent = self.trial.cotangent
        plan = Plan(self.trial.steps(), (), slots, self.trial.node.slot)
        outside = _outside(plan, wanted, cotangent)

        def pulled(*values: Any) -> tuple[Any, ...]:
            known = dict(zip(outside, values, strict=True))
            arrays = {slot: value for slot, value in known.items() if not isinstance(slot, Number)}

            def one(row: Any) -> tuple[Any, ...]:
                found = plan.evaluate(arrays | {cotangent: row}, known.__getitem__)
                return tuple(found[slot] for slot in slots)

            gradients = lax.map(one, rows.cotangents(), batch_size=chunk)
            return tuple(rows.arranged(part, aval) for part, aval in zip(gradients, connected, strict=True))

        return Op(rows.name, pulled, many=True, calls_python=plan.calls_python), outside


def _needed(steps: Sequence[Node], slots: Iterable[Reference]) -> list[Node]:
    """Those of `steps` that `slots` derive from."""
    needed = set(slots)
    found: list[Node] = []
    for step in reversed(steps):
        if not needed.isdisjoint(range(step.first, step.slot)):
            needed.update(step.inputs)
            if step.op is not None:
                found.append(step)
    return found[::-1]


def _outside(plan: Plan, wanted: Sequence[Dense], cotangent: int) -> dict[Reference, Aval]:
    """The slots that the plan reads or returns without computing them, except for the cotangent."""
    reads: dict[Reference, Aval] = dict(wanted)
    computed: set[Reference] = {cotangent}
    for node in plan.steps:
        if node.op is None and not node.inputs:
            reads[node.first] = node.avals[0]
        else:
            computed.update(range(node.first, node.slot))
            reads.update(zip(node.inputs, node.signature, strict=True))
    return {reference: aval for reference, aval in reads.items() if reference not in computed}


class _Recorder:
    """Records in a trace, for every row, the steps of a trial trace."""

    def __init__(self, trace: Trace, trial: Trial, rows: _Rows) -> None:
        self._trace = trace
        self._trial = trial
        self._rows = rows
        # Maps slots and tensors of the trial trace to those of the trace.
        self._places: dict[Reference, Reference] = {trial.cotangent: trace.step(_cotangents(rows), (), ()).first}
        self._steps: dict[int, Node] = {}
        # Slots of the trial trace that have rows in the trace.
        self._batched: set[Reference] = {trial.cotangent}

    def add(self, step: Node) -> None:
        """Records `step`, on rows if it reads any."""
        op, signature = step.op, step.signature
        assert op is not None
        has_rows = tuple([reference in self._batched for reference in step.inputs])
        if any(has_rows):
            op, signature = batched(op, signature, has_rows, self._rows.count)
            self._batched.update(range(step.first, step.slot))
        inputs = tuple(map(self._place, step.inputs))
        found = self._trace.step(op, inputs, signature, self._origin(step))
        self._places.update(zip(range(step.first, step.slot), range(found.first, found.slot), strict=True))
        if not any(has_rows):
            self._steps[step.first] = found

    def _place(self, reference: Reference) -> Reference:
        found = self._places.get(reference)
        if found is None:
            found = self._places[reference] = self._trial.reference_in(reference, self._trace)
        return found

    def _origin(self, step: Node) -> Origin | None:
        """The origin of `step`; None if its forward step is on rows too, because its pullback would sum over them."""
        origin = step.origin
        if origin is None:
            return None
        forward = origin.forward
        if forward.first > self._trial.cotangent:
            forward = self._steps.get(forward.first)
        return None if forward is None else origin.with_forward(forward)

    def arranged(self, gradient: Dense, source: Aval) -> Dense:
        """The jacobian for `source`, whose gradient is in the trial trace."""
        place = self._place(gradient.slot)
        assert type(place) is int
        wanted = with_rows(gradient.aval, self._rows.count)
        found = Dense(place, wanted if gradient.slot in self._batched else gradient.aval)
        return applied(self._trace, _arranged(self._rows, source), fitted(self._trace, found, wanted))
