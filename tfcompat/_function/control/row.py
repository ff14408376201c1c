"""A function called on each row of some tensors, one after another, with a state that goes from call to call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.aval import aval_of
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.op import Op
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here, record
from tfcompat._function.control.block import Block, Links, Operands
from tfcompat._function.control.hearing import hear
from tfcompat._function.control.iterated import IteratedGraph
from tfcompat._ops.joining import stack, unstack

# From the state and the rows: the next state and what is answered for the rows.
Turn = Callable[[list[Tensor], list[Tensor]], tuple[list[Tensor], list[Tensor]]]
_NONE: Links = frozenset()


def over_rows(
    op: str, turn: Turn, state: Sequence[Tensor], elems: Sequence[Tensor], *, reverse: bool = False
) -> tuple[list[Tensor], list[Tensor]]:
    """The state after `turn` of all rows of `elems`, and what it answered for each, stacked."""
    if here.trace.is_symbolic:
        return _Scan(op, turn, state, elems, reverse).record()
    rows = list(zip(*[unstack(elem) for elem in elems], strict=True))
    answers: list[list[Tensor]] = []
    current = list(state)
    for row in reversed(rows) if reverse else rows:
        current, answered = turn(current, list(row))
        answers.append(answered)
    if reverse:
        answers.reverse()
    return current, [stack(column) for column in zip(*answers, strict=True)]


class _Scan:
    """The calls as one op: a scan.

    Its operands are the state, the variables that are assigned and flags that tell of bad values, the tensors whose
    rows are read, and what is read besides. The block's arguments are the number of the call, the state and the rows.
    """

    def __init__(self, op: str, turn: Turn, state: Sequence[Tensor], elems: Sequence[Tensor], reverse: bool) -> None:
        self._name = op
        self._reverse = reverse
        self._count = elems[0]._aval.shape[0]
        graph = IteratedGraph(op)

        def call() -> Any:
            given = [graph.argument(tensor._aval, k) for k, tensor in enumerate(state, 1)]
            rows = [aval_of(elem._aval.shape[1:], elem.dtype) for elem in elems]
            return turn(given, [graph.argument(aval, k) for k, aval in enumerate(rows, 1 + len(state))])

        block = self._block = Block(graph, call)
        self._cells = [cell for cell, _ in block.updates.values()]
        held, after = [cell._read() for cell in self._cells], [tensor for _, tensor in block.updates.values()]
        self._checks = block.checks if block.is_heard else None
        flags = [] if self._checks is None else [Tensor(np.zeros(len(self._checks) + 1, bool))]
        carried = [*state, *held, *flags]
        self._states, self._carried, self._rows = len(state), len(carried), len(elems)
        operands = Operands([*carried, *elems], first=1)
        for k, cell in enumerate(self._cells):
            operands.hold(cell, 1 + len(state) + k)
        rows = range(1 + len(carried), 1 + len(carried) + len(elems))
        self._places = operands.places(block, [0, *range(1, 1 + len(state)), *rows])
        self._operands = operands.tensors
        new, answered = block.outputs[: len(state)], block.outputs[len(state) :]
        self._after = block.slots([*new, *after, *answered])

    def record(self) -> tuple[list[Tensor], list[Tensor]]:
        """The state after the calls, and the answers."""
        op = Op(self._name, self._run, many=True, linked=self._linked())
        found = record(op, tuple(self._operands))
        held = found[self._states : self._carried]
        for cell, tensor in zip(self._cells, held, strict=False):
            cell._rebind(tensor)
        if self._checks is not None:
            hear(held[-1], self._checks)
        return list(found[: self._states]), list(found[self._carried :])

    def _run(self, *operands: Any) -> tuple[Any, ...]:
        run = self._block.procedure(self._after)
        cut = self._carried + self._rows
        told = self._checks is not None

        def step(state: Any, given: Any) -> Any:
            k, rows = given
            values = (k, *state, *rows, *operands[cut:])
            found, flags = run([values[place] for place in self._places])
            split = self._carried - told
            heard = [state[-1] | jnp.stack([*flags, jnp.zeros((), bool)])] if told else []
            return (*found[:split], *heard), tuple(found[split:])

        numbers = jnp.arange(self._count, dtype=np.int32)
        numbers = numbers[::-1] if self._reverse else numbers
        given = (numbers, operands[self._carried : cut])
        state, answers = jax.lax.scan(step, operands[: self._carried], given, reverse=self._reverse)
        return (*state, *answers)

    def _linked(self) -> tuple[Links, ...]:
        """For each output the operands that its derivative depends on. Nothing leads through an assignment."""
        states, held = self._states, len(self._cells)
        found = [{self._places[k] for k in leaves} for leaves in self._block.links(self._after)]
        links, answers = found[:states], found[states + held :]
        while True:
            wider = [one.union(*[links[p - 1] for p in one if 0 < p <= states]) for one in links]
            if wider == links:
                break
            links = wider
        links = [one | {k + 1} for k, one in enumerate(links)]
        answers = [one.union(*[links[p - 1] for p in one if 0 < p <= states]) for one in answers]
        outputs = [*links, *[set[int]()] * (self._carried - states), *answers]
        return tuple(frozenset(place - 1 for place in one if place) for one in outputs)


def require_rows(name: str, tensors: Sequence[Tensor]) -> int:
    """How many rows all `tensors` have. Raises ValueError if they differ."""
    count = tensors[0]._aval.shape[0]
    for tensor in tensors[1:]:
        if tensor._aval.shape[0] != count:
            raise ValueError(f"Dimensions {count} and {tensor._aval.shape[0]} are not compatible")
    del name
    return count


def require_dtype(tensor: Tensor, dtype: Any) -> Tensor:
    """`tensor`. Raises InvalidArgumentError if it has another dtype."""
    if tensor.dtype is not dtype:
        raise InvalidArgumentError.of(
            f"TensorArray dtype is {dtype.name} but Op is trying to write dtype {tensor.dtype.name} "
        )
    return tensor
