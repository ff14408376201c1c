"""The gradients that the user wrote for steps of a block: JAX is told of them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tfcompat._autodiff.gradient import CustomCall, Dense, densified
from tfcompat._core.node import Node, Number
from tfcompat._core.op import Op
from tfcompat._core.replay import Plan
from tfcompat._function.graph import Graph

_COTANGENT = -1


def traced_customs(graph: Graph, number: Callable[[Number], Any]) -> dict[int, Node]:
    """For each step of `graph` with a gradient of the user's one in its place that has it in JAX, by the first slot.

    The user's functions are traced at the end of the graph, for cotangents that become arguments.
    """
    found: dict[int, Node] = {}
    customs = graph.watcher.customs
    while len(found) < len(customs):
        first = next(first for first in customs if first not in found)
        node = next(node for node in graph.node.path() if node.first == first)
        found[first] = _custom_node(graph, node, customs[first], number)
    return found


def _custom_node(graph: Graph, node: Node, custom: CustomCall, number: Callable[[Number], Any]) -> Node:
    start = graph.node.slot
    cotangents = [graph.slot_of(graph.argument(aval, _COTANGENT)) for aval in node.avals]
    gradients = custom.pull(graph, [Dense(slot, aval) for slot, aval in zip(cotangents, node.avals, strict=True)])
    targets = [None if gradient is None else densified(graph, gradient).slot for gradient in gradients]
    path = graph.node.path()
    before = [slot for step in path if step.first < start for slot in range(step.first, step.slot)]
    numbers = {step.first for step in path if step.op is None and step.inputs}
    given = [slot for slot in before if slot not in numbers]
    plan = Plan(path, (*given, *cotangents), [slot for slot in targets if slot is not None], start)
    reads = {slot for step in plan.steps for slot in step.inputs if type(slot) is int}
    reads.update(step.first for step in plan.leaves)
    reads.update(slot for slot in targets if slot is not None and slot < start)
    extras = sorted(slot for slot in reads.difference(cotangents) if slot in given or slot in _leaves(plan))
    twin = copy.copy(node)
    twin.op = Op("custom_gradient", _Through(node, plan, (extras, cotangents, targets), number), many=True)
    twin.inputs = (*node.inputs, *custom.inputs, *extras)
    return twin


def _leaves(plan: Plan) -> set[int]:
    return {step.first for step in plan.leaves}


class _Through:
    """The identity with a gradient of the user's, in JAX.

    Takes the outputs, the values that the gradients belong to, and what else the gradient reads.
    """

    def __init__(
        self,
        node: Node,
        plan: Plan,
        places: tuple[Sequence[int], Sequence[int], Sequence[int | None]],
        number: Callable[[Number], Any],
    ) -> None:
        self._node = node
        self._plan = plan
        self._extras, self._cotangents, self._targets = places
        self._number = number

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        count, cut = len(self._node.inputs), len(self._node.inputs) + len(self._targets)

        @jax.custom_vjp
        def through(outputs: Any, inputs: Any, extras: Any) -> Any:
            del inputs, extras
            return outputs

        def forward(outputs: Any, inputs: Any, extras: Any) -> Any:
            # The function itself, so that derivatives of its gradient go through its own again.
            return through(outputs, inputs, extras), (outputs, inputs, extras)

        def backward(kept: Any, cotangents: Any) -> Any:
            outputs, inputs, extras = kept
            return None, self._gradients(outputs, inputs, extras, cotangents), None

        through.defvjp(forward, backward)
        return through(tuple(values[:count]), tuple(values[count:cut]), tuple(values[cut:]))

    def _gradients(self, outputs: Any, inputs: Any, extras: Any, cotangents: Any) -> tuple[Any, ...]:
        """The inputs' cotangents. TensorFlow's gradient of a complex tensor is the conjugate of JAX's."""
        known = dict(zip(self._extras, extras, strict=True))
        known.update(zip(range(self._node.first, self._node.slot), outputs, strict=True))
        for slot, cotangent, aval in zip(self._cotangents, cotangents, self._node.avals, strict=True):
            if cotangent is None or cotangent.dtype == jax.dtypes.float0:
                known[slot] = jnp.zeros(aval.shape, aval.dtype.as_numpy_dtype)
            else:
                known[slot] = jnp.conj(cotangent)
        values = self._plan.evaluate(known, self._number)
        return tuple(
            jnp.conj(jnp.asarray(values[slot])) if slot is not None and jnp.issubdtype(x.dtype, jnp.inexact) else None
            for slot, x in zip(self._targets, inputs, strict=True)
        )
