"""A replay: the pure function that a part of a trace computes, on arrays or on JAX's tracers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any, Self

import jax.numpy as jnp

from tfcompat._core.operation.batch import over_rows
from tfcompat._core.operation.op import GradientRule, Op, linearize
from tfcompat._core.operation.recipe import made_once
from tfcompat._core.structure.node import Node, Number, Origin
from tfcompat._core.system.config import settings
from tfcompat._core.types.aval import Aval, aval_like

ReadNumber = Callable[[Number], Any]
_first_of, _origin_of = attrgetter("first"), attrgetter("origin")
# After as many steps in a row that nothing needs, a plan continues at the next one that is needed.
_GAP = 16
# By the first slot of a linearised step, the function from cotangents to gradients.
Pullbacks = dict[int, Callable[..., tuple[Any, ...]]]


class Plan:
    """The steps to evaluate in order to compute some slots of a trace from others.

    A step is left out if nothing needs its outputs, and replaced if they are always 0. A gradient step can use the
    pullback that JAX makes while it evaluates the forward step. No forward value is then computed twice.

    Attributes:
      steps: the steps to evaluate, in order, leaves included.
      leaves: the leaf steps among them that are arrays.
      linearised: by first slot, the forward steps whose pullback is made: the inputs to differentiate for, and the
        outputs that have a cotangent.
    """

    def __init__(self, path: Sequence[Node], given: Iterable[int], targets: Iterable[int], start: int = 0) -> None:
        """Plans the computation of `targets` of `path` from the slots `given`.

        Only forward steps from slot `start` on are linearised. The steps are chosen from the last to the first, so a
        step is reached after all steps that read its outputs.
        """
        known = set(given)
        # The slots still to be found, and the first slots of forward steps still to be linearised.
        missing = set(targets).difference(known)
        pending: set[int] = set()
        zeros = _zero_slots(path)
        self.linearised: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        chosen: list[Node] = []
        place, skipped = len(path), 0
        while place and (missing or pending):
            place -= 1
            node = path[place]
            # A mark has no outputs, so its first slot is that of the next step.
            is_linearised = node.first < node.slot and node.first in pending
            found = missing.intersection(range(node.first, node.slot))
            if not found and not is_linearised:
                skipped += 1
                if skipped == _GAP:
                    place, skipped = bisect_right(path, max(chain(missing, pending)), 0, place, key=_first_of), 0
                continue
            skipped = 0
            missing -= found
            if zeros.issuperset(found) and not is_linearised:
                chosen.append(_zero_step(node))
                continue
            chosen.append(node)
            pending.discard(node.first)
            origin = node.origin
            reads: Iterable[int]
            if origin is not None and origin.forward.first >= start and not is_linearised:
                # The pullback holds the values that the step would read, except for the cotangents.
                cotangents = {k: s for k, s in _cotangents(node) if s not in zeros}
                reads = cotangents.values()
                self._linearise(origin, cotangents)
                pending.add(origin.forward.first)
            else:
                reads = [s for s in node.inputs if type(s) is int]
            missing.update(slot for slot in reads if slot not in known)
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
        """Adds the inputs that `origin` wants, and the outputs `given`, to the pullback of its forward step."""
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
        pullbacks: Pullbacks = {}
        for node in self.steps:
            self.evaluate_step(node, values, number, pullbacks, values)
        return values

    def evaluate_step(
        self,
        node: Node,
        known: Mapping[int, Any],
        number: ReadNumber,
        pullbacks: Pullbacks,
        values: dict[int, Any],
    ) -> None:
        """Adds the outputs of `node` to `values`. It reads the slots `known` and the `pullbacks` of earlier steps."""
        if node.op is None:
            if node.inputs:
                values[node.first] = inputs_of(node, known, number)[0]
            return
        inputs = inputs_of(node, known, number)
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

    def needed_for(self, slots: Iterable[int]) -> set[int]:
        """The first slots of the steps that the evaluation of `slots` needs."""
        needed = set(slots)
        found: set[int] = set()
        for node in reversed(self.steps):
            if needed.isdisjoint(range(node.first, node.slot)):
                continue
            found.add(node.first)
            origin = node.origin
            if origin is None or origin.forward.first not in self.linearised or node.first in self.linearised:
                needed.update(s for s in node.inputs if type(s) is int)
            else:
                needed.update((origin.forward.first, *(slot for _, slot in _cotangents(node))))
        return found


def _leaves(steps: Iterable[Node]) -> list[Node]:
    return [node for node in steps if node.op is None and not node.inputs]


def inputs_of(node: Node, values: Mapping[int, Any], number: ReadNumber) -> tuple[Any, ...]:
    """The values that `node` reads; None for slots that its plan does not need."""
    return tuple(number(r) if type(r) is Number else values.get(r) for r in node.inputs)


def flags_of(checked: Iterable[Node], values: Mapping[int, Any], number: ReadNumber) -> list[Any]:
    """The findings of the value checks of the steps `checked`."""
    return [step.op.check.flag(*inputs_of(step, values, number)) for step in checked if step.op and step.op.check]


def _pulled(
    node: Node, inputs: tuple[Any, ...], wanted: Sequence[int], given: Sequence[int], pull: Callable[..., Any]
) -> tuple[Any, ...]:
    """The outputs of the gradient step `node` for `inputs`, from `pull`, the pullback for `wanted` and `given`."""
    origin = node.origin
    assert origin is not None
    assert node.op is not None
    cotangents = dict(zip(origin.given, inputs[origin.reads :], strict=True))
    if node.op.batched:
        has_rows = dict(zip(origin.given, node.op.batched[origin.reads :], strict=True))
        pull = over_rows(pull, [has_rows.get(output, False) for output in given])
    gradients = dict(zip(wanted, pull(*[cotangents.get(output) for output in given]), strict=True))
    return tuple(gradients[position] for position in origin.wanted)


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
    for node in filter(_origin_of, path):
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
