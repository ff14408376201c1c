"""Jacobians: the pullback of a tape, recorded aside, vectorised over the elements of the target."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tfcompat._autodiff.aside import Aside
from tfcompat._autodiff.backward import Walk
from tfcompat._autodiff.gradient import CustomCall, Dense, Span, densified
from tfcompat._core.aval import Aval
from tfcompat._core.config import settings
from tfcompat._core.node import Number, Reference
from tfcompat._core.op import Op
from tfcompat._core.replay import Plan
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import Trace

# The slots of a source, and its aval.
Place = tuple[tuple[int, ...], Aval]


def _units(count: int, aval: Aval) -> Any:
    """The rows of an identity matrix; the compiler shall multiply by its zeros, since with infinity they make nan."""
    return lax.optimization_barrier(jnp.eye(count, dtype=aval.dtype.as_numpy_dtype))


def jacobian(
    trace: Trace, span: Span, customs: Mapping[int, CustomCall], target: Dense, sources: Sequence[Place]
) -> list[Tensor | None]:
    """The jacobians of `target` for each source, None where they are not connected."""
    aval = target.aval

    def shaped(rows: Any, source: Aval) -> Any:
        return jnp.reshape(rows, (*aval.shape, *source.shape))

    def basis() -> Any:
        return _units(aval.size, aval).reshape((aval.size, *aval.shape))

    def record() -> list[Dense | None]:
        return _Pull(trace, span, customs, target, sources).over("jacobian", basis, shaped, aval.size)

    return _recorded(trace, ("jacobian", span, target, tuple(sources)), customs, record)


def batch_jacobian(
    trace: Trace, span: Span, customs: Mapping[int, CustomCall], target: Dense, source: Place
) -> Tensor | None:
    """The jacobian of each row of `target` for the same row of `source`, None if they are not connected."""
    aval = target.aval
    count = math.prod(aval.shape[1:])

    def shaped(rows: Any, of: Aval) -> Any:
        return jnp.reshape(jnp.moveaxis(rows, 0, 1), (*aval.shape, *of.shape[1:]))

    def basis() -> Any:
        units = _units(count, aval).reshape((count, 1, *aval.shape[1:]))
        return jnp.broadcast_to(units, (count, *aval.shape))

    def record() -> list[Dense | None]:
        return _Pull(trace, span, customs, target, [source]).over("batch_jacobian", basis, shaped, count)

    return _recorded(trace, ("batch_jacobian", span, target, source), customs, record)[0]


def _recorded(
    trace: Trace, key: Any, customs: Mapping[int, CustomCall], record: Callable[[], list[Dense | None]]
) -> list[Tensor | None]:
    """What `record` records; or, if the trace stood here before, a leap over it."""
    memos = trace.node.memos
    answers: list[Dense | None]
    if customs:
        answers = record()
    elif key in memos:
        trace.node, answers = memos[key]
    else:
        answers = record()
        memos[key] = (trace.node, answers)
    return [None if answer is None else trace.tensor(answer.slot, answer.aval) for answer in answers]


class _Pull:
    """The steps of one walk backward, as a function of the target's cotangent."""

    def __init__(
        self, trace: Trace, span: Span, customs: Mapping[int, CustomCall], target: Dense, sources: Sequence[Place]
    ) -> None:
        self.trace = trace
        self.sources = [aval for _, aval in sources]
        self.aside = Aside(trace, target.aval)
        self.found: list[Dense | None] = [None] * len(sources)
        walk = Walk(self.aside, span, customs)
        # What no tape follows has no jacobian, not even for itself: TensorFlow slices it first, unrecorded.
        if target.slot in walk.reached:
            with self.aside.recording():
                gradients = walk.run([(target.slot, self.aside.cotangent)], [slots for slots, _ in sources])
                self.found = [None if part is None else densified(self.aside, part) for part in gradients]

    def over(
        self, name: str, basis: Callable[[], Any], shaped: Callable[[Any, Aval], Any], count: int
    ) -> list[Dense | None]:
        """Records the op that pulls back every cotangent of `basis`; `shaped` lays the rows out for a source."""
        connected = [aval for aval, part in zip(self.sources, self.found, strict=True) if part is not None]
        wanted = [part for part in self.found if part is not None]
        if not wanted:
            return self.found
        memos = self.aside.node.memos
        key = (name, self.aside.cotangent, tuple(wanted), tuple(connected))
        if key not in memos:
            memos[key] = (self.aside.node, self._op(name, basis, shaped, count, wanted, connected))
        op, outside = memos[key][1]
        inputs = tuple([self.aside.brought_back(reference, self.trace) for reference in outside])
        step = self.trace.step(op, inputs, tuple(outside.values()))
        outputs = iter([Dense(step.first + k, aval) for k, aval in enumerate(step.avals)])
        return [None if part is None else next(outputs) for part in self.found]

    def _op(
        self,
        name: str,
        basis: Callable[[], Any],
        shaped: Callable[[Any, Aval], Any],
        count: int,
        wanted: Sequence[Dense],
        connected: Sequence[Aval],
    ) -> tuple[Op, dict[Reference, Aval]]:
        """The op, and what it reads."""
        slots = [part.slot for part in wanted]
        cotangent = self.aside.cotangent
        plan = Plan(self.aside.steps(), (), slots, self.aside.node.slot)
        outside = _outside(plan, wanted, cotangent)
        each = sum(math.prod(aval.shape) * aval.dtype.size for node in plan.steps for aval in node.avals)
        chunk = max(1, min(count, settings.max_bytes // max(1, each)))

        def pulled(*values: Any) -> tuple[Any, ...]:
            known = dict(zip(outside, values, strict=True))
            arrays = {slot: value for slot, value in known.items() if not isinstance(slot, Number)}

            def one(row: Any) -> tuple[Any, ...]:
                found = plan.evaluate(arrays | {cotangent: row}, known.__getitem__)
                return tuple(found[slot] for slot in slots)

            rows = jax.vmap(one)(basis()) if chunk >= count else jax.lax.map(one, basis(), batch_size=chunk)
            return tuple(shaped(row, aval) for row, aval in zip(rows, connected, strict=True))

        return Op(name, pulled, many=True), outside


def _outside(plan: Plan, wanted: Sequence[Dense], cotangent: int) -> dict[Reference, Aval]:
    """What the plan's steps read, or are asked for, that they don't compute, but for the cotangent."""
    reads: dict[Reference, Aval] = dict(wanted)
    computed: set[Reference] = {cotangent}
    for node in plan.steps:
        if node.op is None and not node.inputs:
            reads[node.first] = node.avals[0]
        else:
            computed.update(range(node.first, node.slot))
            reads.update(zip(node.inputs, node.signature, strict=True))
    return {reference: aval for reference, aval in reads.items() if reference not in computed}
