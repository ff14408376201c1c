"""The gradient of a block in JAX, with the rules of TensorFlow's tapes.

Outside of control flow a tape walks the recorded steps. A branch or a loop is one op, which JAX differentiates. With
these rules its derivative is the one that a tape would compute inside:

1. No gradient flows through an input that an op blocks (`faithful`).
2. A step with a `tf.custom_gradient` uses the user's function (`traced_custom_gradients`).
3. Each read of a variable that the block assigns counts as a read of the variable, whatever the block has assigned
   (`Readings`).

`tfcompat._autodiff.connection` decides whether a gradient is None; `Block.links` and `Block.loop_rule` ask it.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import jax
import jax.numpy as jnp

from tfcompat._autodiff.gradient import CustomCall, Dense, densified, zeros
from tfcompat._core.operation.op import GradientRule, Op, differentiable
from tfcompat._core.operation.recipe import Hashed, Recipe
from tfcompat._core.programs.replay import Plan
from tfcompat._core.structure.node import Node
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.aval import Aval
from tfcompat._function.block.procedure import Procedure, Sized, procedure
from tfcompat._function.graphs.graph import Graph
from tfcompat._state.cell import Cell

_COTANGENT = -1


def traced_custom_gradients(graph: Graph) -> dict[int, Node]:
    """For each step of `graph` with a custom gradient, by first slot, a replacement that has this gradient in JAX.

    The user's functions are traced at the end of the graph. Their cotangents become arguments of the graph.
    """
    found: dict[int, Node] = {}
    customs = graph.watcher.customs
    while len(found) < len(customs):
        first = next(first for first in customs if first not in found)
        node = next(node for node in graph.node.path() if node.first == first)
        found[first] = _custom_node(graph, node, customs[first])
    return found


def _custom_node(graph: Graph, node: Node, custom: CustomCall) -> Node:
    start = graph.node.slot
    cotangents = [graph.slot_of(graph.argument(aval, _COTANGENT)) for aval in node.avals]
    try:
        gradients = custom.pull(graph, [Dense(slot, aval) for slot, aval in zip(cotangents, node.avals, strict=True)])
    except NotImplementedError as refused:  # as in TensorFlow, only a program that asks for the gradient fails
        twin = copy.copy(node)
        twin.op = refusing_like(len(node.inputs), str(refused))
        twin.inputs = (*node.inputs, *custom.inputs)
        return twin
    targets = [None if gradient is None else densified(graph, gradient).slot for gradient in gradients]
    path = graph.node.path()
    before = [slot for step in path if step.first < start for slot in range(step.first, step.slot)]
    numbers = {step.first for step in path if step.op is None and step.inputs}
    given = [slot for slot in before if slot not in numbers]
    wanted = [slot for slot in targets if slot is not None]
    plan = Plan(path, (*given, *cotangents), wanted, start)
    reads = {slot for step in plan.steps for slot in step.inputs if type(slot) is int}
    reads.update(step.first for step in plan.leaves)
    reads.update(slot for slot in targets if slot is not None and slot < start)
    extras = sorted(slot for slot in reads.difference(cotangents) if slot in given or slot in _leaves(plan))
    slots = (*extras, *range(node.first, node.slot), *cotangents)
    pull = procedure(plan, slots, wanted, (), (graph.floats, graph.ints))
    twin = copy.copy(node)
    has_gradient = tuple([slot is not None for slot in targets])
    twin.op = custom_like(len(node.inputs), has_gradient, pull.structure, pull.sized)
    twin.inputs = (*node.inputs, *custom.inputs, *extras)
    return twin


def _leaves(plan: Plan) -> set[int]:
    return {step.first for step in plan.leaves}


def custom_like(count: int, has_gradient: tuple[bool, ...], structure: Hashed, sized: Sized) -> Op:
    """The identity on the first `count` inputs, with a custom gradient in JAX.

    It takes the outputs of a step, the inputs that `has_gradient` is about, and the other values that the gradient
    reads. The gradient is a procedure on these values, the outputs and their cotangents.
    """
    pull, cut = Procedure(structure, sized), count + len(has_gradient)

    def run(*values: Any) -> tuple[Any, ...]:
        @jax.custom_vjp
        def through(outputs: Any, inputs: Any, extras: Any) -> Any:
            del inputs, extras
            return outputs

        def forward(outputs: Any, inputs: Any, extras: Any) -> Any:
            # Calls `through`, so that second derivatives use the custom gradient too.
            return through(outputs, inputs, extras), (outputs, inputs, extras)

        def backward(kept: Any, cotangents: Any) -> Any:
            outputs, inputs, extras = kept
            moved = [_conjugated(*pair) for pair in zip(cotangents, outputs, strict=True)]
            found = iter(pull((*extras, *outputs, *moved))[0])
            return None, tuple([_gradient(x, found, has) for x, has in zip(inputs, has_gradient, strict=True)]), None

        through.defvjp(forward, backward)
        return through(tuple(values[:count]), tuple(values[count:cut]), tuple(values[cut:]))

    op = Op("custom_gradient", run, many=True)
    op.recipe = Recipe(custom_like, (count, has_gradient, structure), (sized,))
    return op


def refusing_like(count: int, message: str) -> Op:
    """The identity on the first `count` inputs, for which JAX computes no gradient: it raises NotImplementedError."""

    def run(*values: Any) -> tuple[Any, ...]:
        @jax.custom_vjp
        def through(outputs: Any, inputs: Any) -> Any:
            del inputs
            return outputs

        def forward(outputs: Any, inputs: Any) -> Any:
            del inputs
            return outputs, None

        def backward(kept: Any, cotangents: Any) -> NoReturn:
            del kept, cotangents
            raise NotImplementedError(message)

        through.defvjp(forward, backward)
        return through(tuple(values[:count]), tuple(values[count:]))

    op = Op("custom_gradient", run, many=True)
    op.recipe = Recipe(refusing_like, (count, message), ())
    return op


def _conjugated(cotangent: Any, output: Any) -> Any:
    """The cotangent of TensorFlow, for a complex tensor the conjugate of JAX's."""
    if cotangent is None or cotangent.dtype == jax.dtypes.float0:
        return jnp.zeros(output.shape, output.dtype)
    return jnp.conj(cotangent)


def _gradient(value: Any, found: Iterator[Any], has_gradient: bool) -> Any:
    """The cotangent in JAX of the input `value`, of the next among `found` if it `has_gradient`."""
    gradient = next(found) if has_gradient else None
    return jnp.conj(jnp.asarray(gradient)) if has_gradient and jnp.issubdtype(value.dtype, jnp.inexact) else None


@jax.custom_jvp
def _read(value: Any, zeros: Any) -> Any:
    """`value`, with the derivative of `zeros`."""
    del zeros
    return value


_read.defjvp(lambda primals, tangents: (_read(*primals), tangents[1]))

_READ = Op("read", _read, gradient=GradientRule(blocked=frozenset((0,)), reads=False))


class Readings:
    """The reads of variables that a block assigns, as separate steps. The block returns the slots `outputs`."""

    def __init__(self, graph: Graph, outputs: Sequence[int]) -> None:
        found = list(_found(graph, outputs)) if graph.is_part else []
        stand_ins = {number: graph.slot_of(graph.reading(cell)) for number, (cell, _) in found}
        end = graph.node.slot
        reads = [(number, cell, slot) for number, (cell, slots) in found for slot in slots]
        self._renamed = {slot: end + k for k, (_, _, slot) in enumerate(reads)}
        self._steps = {
            slot: _step(read, slot, stand_ins[number], cell._tensor._aval)
            for (number, cell, slot), read in zip(reads, self._renamed.values(), strict=True)
        }
        self._zeros = frozenset(stand_ins.values())

    def slot(self, slot: int) -> int:
        """The slot of the read step if `slot` has one; otherwise `slot`."""
        return self._renamed.get(slot, slot)

    def path(self, path: Sequence[Node]) -> list[Node]:
        """`path` with the read steps inserted. Values computed from a read depend on its zeros."""
        if not self._renamed:
            return list(path)
        found = [node for node in path if node.first in self._zeros]
        for node in path:
            if node.first in self._zeros:
                continue
            found.append(self._redirected(node))
            found += [self._steps[slot] for slot in range(node.first, node.slot) if slot in self._steps]
        return found

    def _redirected(self, node: Node) -> Node:
        if self._renamed.keys().isdisjoint(node.inputs):
            return node
        inputs = tuple([self.slot(slot) if type(slot) is int else slot for slot in node.inputs])
        twin = copy.copy(node)
        twin.inputs = inputs
        return twin


def _found(graph: Graph, outputs: Sequence[int]) -> Iterator[tuple[int, tuple[Cell, list[int]]]]:
    """By number, the differentiable variables that `graph` assigns, with the slots that they are read from.

    The first read in a branch gives a value from outside; in a loop it gives the value of the previous iteration.
    """
    watcher = graph.watcher
    used = _used(graph, outputs)
    first = {graph.leaf_slots[key] for key in graph.cells}
    for number, (reference, slots) in watcher.reads.items():
        cell = reference()
        late = [slot for slot in slots if slot in used and (graph.is_iterated or slot not in first)]
        if cell is not None and late and number in graph.assigned and differentiable(cell._tensor._aval):
            yield number, (cell, late)


def _used(graph: Graph, outputs: Sequence[int]) -> set[int]:
    """The slots that a derivative may reach."""
    found = {*outputs, *[slot for custom in graph.watcher.customs.values() for slot in custom.inputs]}
    for node in graph.node.path():
        if node.op is not None and not node.op.gradient.is_blocked:
            found.update(slot for slot in node.inputs if type(slot) is int)
    return found


def _step(slot: int, value: int, zeros: int, aval: Aval) -> Node:
    node = Node(None, _READ, (value, zeros), (aval, aval), (aval,), "")
    node.first, node.slot = slot, slot + 1
    return node


def stand_in(cell: Cell) -> Tensor:
    """Zeros that represent the reads of `cell` in the graph around a block."""
    return record(zeros(cell._tensor._aval), ())


def touch(cell: Cell, zeros: Tensor) -> None:
    """Registers `zeros` with the tapes as a read of `cell`."""
    for tape in here.tapes:
        tape.touch_at(cell, here.trace.slot_of(zeros))


def faithful(node: Node) -> Node:
    """`node` with an op whose JAX derivatives are those of tapes: no gradient flows through blocked inputs."""
    op = node.op
    if op is None or not op.gradient.blocked:
        return node
    found = op.derived.get("faithful")
    if found is None:
        found = op.derived["faithful"] = faithful_like(op)
    twin = copy.copy(node)
    twin.op = found
    return twin


def faithful_like(op: Op) -> Op:
    """`op`, with JAX derivatives that don't flow through blocked inputs."""
    found = Op(
        op.name,
        functools.partial(_stopped, op),
        label=op.label,
        many=True,
        gradient=GradientRule(blocked=op.gradient.blocked, reads=op.gradient.reads),
        check=op.check,
    )
    found.recipe = Recipe(faithful_like, (), (op,))
    return found


def _stopped(op: Op, *inputs: Any) -> tuple[Any, ...]:
    blocked = range(len(inputs)) if op.gradient.blocked is True else op.gradient.blocked
    return op.outputs(*[jax.lax.stop_gradient(x) if i in blocked else x for i, x in enumerate(inputs)])
