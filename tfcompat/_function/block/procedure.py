"""The function that steps of a block compute, made from data, so that it can be made again for other sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from tfcompat._core.operation.bound import sizes_in_op
from tfcompat._core.operation.op import Op
from tfcompat._core.operation.recipe import Hashed
from tfcompat._core.programs.replay import Plan, inputs_of
from tfcompat._core.structure.node import Node, Number, Origin, Reference
from tfcompat._function.block.found_run import on_padded
from tfcompat._jaxpr.size import is_open, symbols_of

# The ops of the steps, those of the checks, and the integers.
Sized = tuple[tuple[Op | None, ...], tuple[Op, ...], tuple[Any, ...]]


class Step(NamedTuple):
    """A step without its op.

    Attributes:
      first, slot: the first slot of its outputs, and the slot after the last one.
      inputs: the slots and numbers that it reads.
      origin: for a step that uses the pullback of a linearised step, the attributes of `Origin`, the first slot of that
        step in place of the step.
    """

    first: int
    slot: int
    inputs: tuple[Reference, ...]
    origin: tuple[int, tuple[int, ...], tuple[int, ...], int] | None


class Own(NamedTuple):
    """The sizes that a procedure finds (see `found_run.py`).

    Attributes:
      sizes: for each symbol the slot of its value.
      rooms: the largest sizes, in the same order, of arrays that hold the steps.
      sized: the ops and integers, if they have no other symbols: these are hidden then.
    """

    sizes: tuple[tuple[str, int], ...]
    rooms: tuple[tuple[int, ...], ...]
    sized: Sized | None


class Structure(NamedTuple):
    """A procedure without its ops and integers.

    Attributes:
      given: the slots of the values that it takes.
      steps: the steps of a `Plan`; `linearised`: its attribute.
      outputs: the slots that it computes.
      checks: for each check, the inputs of its step.
      floats: the Python floats that the steps read, by index, as text: equal numbers need not be the same.
      ints: the indices of the Python integers that the steps read.
      own: the sizes that it finds; None if it finds none.
    """

    given: tuple[int, ...]
    steps: tuple[Step, ...]
    linearised: tuple[tuple[int, tuple[tuple[int, ...], tuple[int, ...]]], ...]
    outputs: tuple[int, ...]
    checks: tuple[tuple[Reference, ...], ...]
    floats: tuple[tuple[int, str], ...]
    ints: tuple[int, ...]
    own: Own | None


class Procedure:
    """A function of arrays, made of steps.

    Attributes:
      structure: all that doesn't depend on sizes, a `Structure`.
      sized: the rest.
      checks: the number of checks.
    """

    def __init__(self, structure: Hashed, sized: Sized) -> None:
        self.structure, self.sized = structure, sized
        found: Structure = structure.value
        self._own = found.own
        ops, checks, ints = self._sized = (found.own and found.own.sized) or sized
        self.checks = len(checks)
        self._given = found.given
        self._outputs = found.outputs
        steps = [_node(step, op) for step, op in zip(found.steps, ops, strict=True)]
        self._plan = Plan.made(steps, dict(found.linearised))
        self._checks = [
            (Node(None, op, inputs, (), (), ""), op) for inputs, op in zip(found.checks, checks, strict=True)
        ]
        self._floats = {index: float.fromhex(text) for index, text in found.floats}
        self._ints = dict(zip(found.ints, ints, strict=True))

    @property
    def calls_python(self) -> bool:
        """Whether a step calls a Python function of the user."""
        return any(op is not None and op.calls_python for op in self._sized[0])

    def __call__(
        self, values: Sequence[Any], known: Sequence[Any] = (), numbers: tuple[Any, Any] | None = None
    ) -> tuple[list[Any], list[Any]]:
        """The outputs, and for each check whether it fails.

        `values` and `known` are the values of the slots that it takes. The Python numbers are read from the vectors
        `numbers`, if these are given.
        """

        def traced(number: Number) -> Any:
            assert numbers is not None
            return number.traced(*numbers)

        if self._own is not None:
            return self._with_sizes(self._own, (*values, *known))
        read = self._number if numbers is None else traced
        found = self._plan.evaluate(dict(zip(self._given, (*values, *known), strict=True)), read)
        return [found[slot] for slot in self._outputs], list(self._flags(found, read))

    def _with_sizes(self, own: Own, given: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """As a call, if it finds sizes."""
        slots = [slot for slot, value in zip(self._given, given, strict=True) if value is not None]

        def run(*arrays: Any) -> tuple[Any, ...]:
            found = self._plan.evaluate(dict(zip(slots, arrays, strict=True)), self._number)
            outputs = [found[slot] for slot in self._outputs]
            return (*outputs, *self._flags(found, self._number), *[found[slot] for _, slot in own.sizes])

        names = [name for name, _ in own.sizes]
        rooms = [dict(zip(names, room, strict=True)) for room in own.rooms]
        found = list(on_padded(run, rooms, *[jnp.asarray(value) for value in given if value is not None]))
        return found[: len(self._outputs)], found[len(self._outputs) :]

    def _flags(self, found: Mapping[int, Any], read: Callable[[Number], Any]) -> Sequence[Any]:
        return [
            jnp.any(op.check.flag(*inputs_of(node, found, read))) for node, op in self._checks if op.check is not None
        ]

    def _number(self, number: Number) -> Any:
        return constant(number.of(self._floats, self._ints), number.dtype.as_numpy_dtype)  # pyright: ignore[reportArgumentType]  # mappings by index


def constant(value: Any, dtype: Any) -> Any:
    """A Python number, or a size with symbols, as an array; an integer that is too large wraps around."""
    return jnp.asarray(value).astype(dtype) if is_open(value) else jnp.asarray(np.asarray(value).astype(dtype))


def procedure(
    plan: Plan,
    given: Sequence[int],
    outputs: Sequence[int],
    checks: Sequence[Node] = (),
    numbers: tuple[Sequence[float], Sequence[int]] = ((), ()),
    sizes: Sequence[tuple[str, int]] = (),
    rooms: Sequence[Mapping[str, int]] = (),
) -> Procedure:
    """The procedure that evaluates `plan` from the slots `given`, and the `checks` of the steps that have them.

    `numbers` are the floats and the integers of the trace; none if the calls provide them. `sizes` are the symbols that
    the steps find, with the slots of their values, and `rooms` the largest sizes in arrays that hold the steps.
    """
    nodes = [node for node in plan.steps if node.op is not None or node.inputs]
    floats, ints = numbers
    used = {reference for node in (*nodes, *checks) for reference in node.inputs if isinstance(reference, Number)}
    indices = {kind: sorted({number.index for number in used if number.kind == kind}) for kind in "fi"}
    ops = tuple([node.op for node in checks if node.op is not None])
    sized: Sized = (
        tuple([node.op for node in nodes]),
        ops,
        tuple([int(ints[k]) for k in indices["i"]] if ints else ()),
    )
    own = None
    if sizes:
        held = dict.fromkeys([tuple([room[name] for name, _ in sizes]) for room in rooms])
        names = frozenset([name for name, _ in sizes])
        is_alone = symbols_of([size for op in (*sized[0], *ops) for size in sizes_in_op(op)]) <= names
        own = Own(tuple(sizes), tuple(held), sized if is_alone else None)
        sized = ((), (), ()) if is_alone else sized
    structure = Structure(
        given=tuple(given),
        steps=tuple([_step(node, plan) for node in nodes]),
        linearised=tuple(plan.linearised.items()),
        outputs=tuple(outputs),
        checks=tuple([node.inputs for node in checks]),
        floats=tuple([(k, float(floats[k]).hex()) for k in indices["f"]]) if floats else (),
        ints=tuple(indices["i"]) if ints else (),
        own=own,
    )
    return Procedure(Hashed(structure), sized)


def _step(node: Node, plan: Plan) -> Step:
    origin = node.origin
    if origin is None or origin.forward.first not in plan.linearised:
        return Step(node.first, node.slot, node.inputs, None)
    return Step(node.first, node.slot, node.inputs, (origin.forward.first, origin.wanted, origin.given, origin.reads))


def _node(step: Step, op: Op | None) -> Node:
    node = Node(None, op, step.inputs, (), (), "")
    node.first, node.slot = step.first, step.slot
    if step.origin is not None:
        first, wanted, given, reads = step.origin
        forward = Node(None, None, (), (), (), "")
        forward.first = first
        node.origin = Origin(forward, wanted, given, reads)
    return node
