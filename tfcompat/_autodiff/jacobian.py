"""Jacobians: the pullback of a tape, recorded aside, vectorised over the elements of the target."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tfcompat._autodiff.backward import CustomCall, Dense, Gradient, Rows, Span, backward, densify
from tfcompat._core.aval import Aval
from tfcompat._core.config import settings
from tfcompat._core.node import Node, Number, Reference
from tfcompat._core.op import Op
from tfcompat._core.replay import Plan
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import Trace

_COTANGENT = "cotangent"


def jacobian(
    trace: Trace,
    span: Span,
    customs: Mapping[int, CustomCall],
    target: tuple[int, Aval],
    sources: Sequence[tuple[tuple[int, ...], Aval]],
) -> list[Tensor | None]:
    """The jacobians of `target` (its slot and aval) for each source (its slots and aval), None where they are not
    connected.
    """
    aval = target[1]

    def shaped(rows: Any, source: Aval) -> Any:
        return jnp.reshape(rows, (*aval.shape, *source.shape))

    def basis() -> Any:
        return jnp.eye(aval.size, dtype=aval.struct.dtype).reshape((aval.size, *aval.shape))

    def record() -> list[Dense | None]:
        pull = _Pull(trace, span, customs, target, [slots for slots, _ in sources])
        return pull.over(trace, "jacobian", basis, shaped, [source for _, source in sources], aval.size)

    return _remembered(trace, ("jacobian", span, target, tuple(sources)), record)


def batch_jacobian(
    trace: Trace,
    span: Span,
    customs: Mapping[int, CustomCall],
    target: tuple[int, Aval],
    source: tuple[tuple[int, ...], Aval],
) -> Tensor | None:
    """The jacobian of each row of `target` for the same row of `source`, None if they are not connected."""
    aval = target[1]
    count = math.prod(aval.shape[1:])

    def shaped(rows: Any, of: Aval) -> Any:
        return jnp.reshape(jnp.moveaxis(rows, 0, 1), (*aval.shape, *of.shape[1:]))

    def basis() -> Any:
        unit = jnp.eye(count, dtype=aval.struct.dtype).reshape((count, 1, *aval.shape[1:]))
        return jnp.broadcast_to(unit, (count, *aval.shape))

    def record() -> list[Dense | None]:
        pull = _Pull(trace, span, customs, target, [source[0]])
        return pull.over(trace, "batch_jacobian", basis, shaped, [source[1]], count)

    return _remembered(trace, ("batch_jacobian", span, target, source), record)[0]


def _remembered(trace: Trace, key: Any, record: Callable[[], list[Dense | None]]) -> list[Tensor | None]:
    """What `record` records, or, if the trace stood here before, a leap over it."""
    memos = trace.node.memos
    if key in memos:
        trace.node, answers = memos[key]
    else:
        answers = record()
        memos[key] = (trace.node, answers)
    return [None if answer is None else trace.tensor(*answer) for answer in answers]


class _Pull:
    """The steps of one walk backward, as a function of the target's cotangent."""

    def __init__(
        self,
        trace: Trace,
        span: Span,
        customs: Mapping[int, CustomCall],
        target: tuple[int, Aval],
        sources: Sequence[tuple[int, ...]],
    ) -> None:
        if customs:
            raise NotImplementedError(
                "tf.GradientTape.jacobian: not supported through tf.custom_gradient; take tape.gradient of each element of the target."
            )
        slot, aval = target
        aside = Trace()
        aside.node = trace.node
        self.cotangent = _placeholder(aside, aval)
        gradients = backward(aside, span, [(slot, self.cotangent.first)], sources, customs)
        self.targets = [None if gradient is None else _densified(aside, gradient) for gradient in gradients]
        self.steps = [node for node in aside.node.path() if node.first > self.cotangent.first]

    def over(
        self, trace: Trace, name: str, basis: Any, shaped: Any, sources: Sequence[Aval], count: int
    ) -> list[Dense | None]:
        """Records the op that pulls back every cotangent of `basis`; `shaped` lays the rows out for a source."""
        wanted = [slot for slot in self.targets if slot is not None]
        if not wanted:
            return [None] * len(sources)
        connected = [aval for aval, slot in zip(sources, self.targets, strict=True) if slot is not None]
        step = self._record(trace, name, basis, shaped, connected, wanted, count)
        found = (Dense(step.first + k, aval) for k, aval in enumerate(step.avals))
        return [None if slot is None else next(found) for slot in self.targets]

    def _record(
        self,
        trace: Trace,
        name: str,
        basis: Any,
        shaped: Any,
        sources: Sequence[Aval],
        wanted: Sequence[int],
        count: int,
    ) -> Node:
        plan = Plan(self.steps, (), wanted, self.steps[-1].slot)
        inner = {node.first + k for node in plan.steps for k in range(len(node.avals))}
        outside: dict[Reference, Aval] = {}
        for node in plan.steps:
            for reference, aval in zip(node.inputs, node.signature, strict=True):
                if reference not in inner and reference != self.cotangent.first:
                    outside[reference] = aval
        slots = list(outside)

        def pulled(*values: Any) -> tuple[Any, ...]:
            known = dict(zip(slots, values, strict=True))
            numbers = {slot: value for slot, value in known.items() if type(slot) is Number}

            def one(cotangent: Any) -> tuple[Any, ...]:
                found = plan.evaluate(known | {self.cotangent.first: cotangent}, numbers.__getitem__)
                return tuple(found[slot] for slot in wanted)

            each = sum(math.prod(aval.shape) * aval.dtype.size for node in plan.steps for aval in node.avals)
            chunk = max(1, min(count, settings.max_bytes // max(1, each)))
            rows = jax.vmap(one)(basis()) if chunk >= count else jax.lax.map(one, basis(), batch_size=chunk)
            return tuple(shaped(row, aval) for row, aval in zip(rows, sources, strict=True))

        return trace.step(Op(name, pulled, many=True), tuple(slots), tuple(outside.values()))


def _placeholder(aside: Trace, aval: Aval) -> Node:
    """A step that stands for the cotangent."""
    key = (_COTANGENT, aval)
    node = aside.node.next.get(key)
    if node is None:
        node = aside.node.extended(key, None, (), (aval,), (aval,), "")
    aside.node = node
    return node


def _densified(aside: Trace, gradient: Gradient) -> int:
    if isinstance(gradient, Dense):
        return gradient.slot
    assert isinstance(gradient, Rows)
    step = aside.step(
        densify(gradient.aval.shape), (gradient.values, gradient.indices), (gradient.values_aval, gradient.indices_aval)
    )
    return step.first
