"""A replay: the pure function that a part of a trace computes, on arrays or on JAX's tracers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

import jax.numpy as jnp

from tfcompat._core.aval import Aval, aval_like
from tfcompat._core.batch import over_rows
from tfcompat._core.config import settings
from tfcompat._core.node import Node, Number, Origin
from tfcompat._core.op import GradientRule, Op, linearize
from tfcompat._core.recipe import made_once

ReadNumber = Callable[[Number], Any]


class Plan:
    """The steps to evaluate in order to compute some slots of a trace from others.

    Attributes:
      steps: the steps to evaluate, in order, leaves included.
      leaves: the leaf steps among them that are arrays.
      linearised: the forward steps to linearise while they are evaluated, by first slot: the inputs to differentiate
        for, and the outputs that have a cotangent. Their gradient steps use that pullback, so that no forward value is
        computed twice.
    """

    def __init__(self, path: Sequence[Node], given: Iterable[int], targets: Iterable[int], start: int = 0) -> None:
        """Plans the computation of `targets` of `path` from the slots `given`.

        Only forward steps from slot `start` on are shared with their gradients.
        """
        needed = set(targets)
        known = set(given)
        zeros = _zero_slots(path)
        self.linearised: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        chosen: list[Node] = []
        for node in reversed(path):
            missing = [s for s in range(node.first, node.slot) if s in needed and s not in known]
            if node.first not in self.linearised:
                if not missing:
                    continue
                if zeros.issuperset(missing):
                    chosen.append(_zero_step(node))
                    continue
            chosen.append(node)
            origin = node.origin
            if origin is not None and origin.forward.first >= start and node.first not in self.linearised:
                cotangents = {k: s for k, s in _cotangents(node) if s not in zeros}
                needed.update(cotangents.values())
                self._linearise(origin, cotangents)
            else:
                needed.update(s for s in node.inputs if type(s) is int)
        self.steps = chosen[::-1]
        self.leaves = _leaves(self.steps)

    @classmethod
    def made(cls, steps: Sequence[Node], linearised: Mapping[int, tuple[tuple[int, ...], tuple[int, ...]]]) -> Self:
        """A plan with these attributes."""
        plan = cls((), (), ())
        plan.steps, plan.leaves, plan.linearised = list(steps), _leaves(steps), dict(linearised)
        return plan

    @property
    def calls_python(self) -> bool:
        """Whether a step calls Python functions of the user."""
        return any(step.op is not None and step.op.calls_python for step in self.steps)

    def _linearise(self, origin: Origin, given: Iterable[int]) -> None:
        first = origin.forward.first
        wanted, outputs = self.linearised.get(first, ((), ()))
        self.linearised[first] = (
            tuple(sorted({*wanted, *origin.wanted})),
            tuple(sorted({*outputs, *given})),
        )

    def evaluate(self, known: Mapping[int, Any], number: ReadNumber) -> dict[int, Any]:
        """The value of every evaluated slot.

        `known` has the values of the leaf arrays and the given slots; `number` casts the trace's numbers.
        """
        values = dict(known)
        pullbacks: dict[int, Callable[..., tuple[Any, ...]]] = {}
        for node in self.steps:
            if node.op is None:
                if node.inputs:
                    values[node.first] = inputs_of(node, values, number)[0]
                continue
            inputs = inputs_of(node, values, number)
            if node.first in self.linearised:
                outputs, pullbacks[node.first] = linearize(node.op, inputs, *self.linearised[node.first])
            elif node.origin is not None and node.origin.forward.first in pullbacks:
                first = node.origin.forward.first
                outputs = _pulled(node, inputs, *self.linearised[first], pullbacks[first])
            else:
                outputs = node.op.outputs(*inputs)
            if settings.is_checking and node.avals:
                check(node, outputs)
            values.update(zip(range(node.first, node.slot), outputs, strict=True))
        return values


def _leaves(steps: Iterable[Node]) -> list[Node]:
    return [node for node in steps if node.op is None and not node.inputs]


def inputs_of(node: Node, values: Mapping[int, Any], number: ReadNumber) -> tuple[Any, ...]:
    """The values that `node` reads; None for slots that its plan does not need."""
    return tuple(number(r) if type(r) is Number else values.get(r) for r in node.inputs)


def _pulled(
    node: Node, inputs: tuple[Any, ...], wanted: Sequence[int], given: Sequence[int], pull: Callable[..., Any]
) -> tuple[Any, ...]:
    origin = node.origin
    assert origin is not None
    assert node.op is not None
    cotangents = dict(zip(origin.given, inputs[origin.reads :], strict=True))
    if node.op.batched:
        has_rows = dict(zip(origin.given, node.op.batched[origin.reads :], strict=True))
        pull = over_rows(pull, [has_rows.get(output, False) for output in given])
    answered = dict(zip(wanted, pull(*[cotangents.get(output) for output in given]), strict=True))
    return tuple(answered[position] for position in origin.wanted)


def _cotangents(node: Node) -> list[tuple[int, int]]:
    """The outputs of the forward step that have a cotangent in the gradient step `node`, and its slot."""
    assert node.origin is not None
    slots = node.inputs[node.origin.reads :]
    return [(output, slot) for output, slot in zip(node.origin.given, slots, strict=True) if type(slot) is int]


def _zero_slots(path: Iterable[Node]) -> set[int]:
    """The slots of `path` that are always 0: zeros from the gradients of flat ops, and their pullbacks.

    JAX doesn't propagate such zeros either: they would be multiplied in matrix products.
    """
    zeros: set[int] = set()
    for node in path:
        if node.origin is None:
            continue
        if zeros.issuperset([slot for _, slot in _cotangents(node)]):
            zeros.update(range(node.first, node.slot))
        elif node.op is not None:
            zeros.update(node.first + k for k in node.op.zeros)
    return zeros


def _zero_step(node: Node) -> Node:
    """A step that replaces `node` and makes zeros."""
    return Node(node.parent, _zeros(*node.avals), (), (), node.avals, node.line)


@made_once
def _zeros(*avals: Aval) -> Op:
    return Op(
        "zeros",
        lambda: tuple(jnp.zeros(aval.shape, aval.dtype.as_numpy_dtype) for aval in avals),
        many=True,
        gradient=GradientRule(reads=False),
    )


def check(node: Node, outputs: Sequence[Any]) -> None:
    """Raises AssertionError if `outputs` have other shapes or dtypes than were inferred for `node`."""
    got = tuple(map(aval_like, outputs))
    if got != node.avals:
        raise AssertionError(f"{node.op!r}, recorded at {node.line}: inferred {node.avals}, computed {got}")
