"""A function called on each row of some tensors, one after another, with a state that goes from call to call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core.aval import aval_of
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here
from tfcompat._function.control.block import Block, Operands
from tfcompat._function.control.course import course_of
from tfcompat._function.control.iterated import IteratedGraph
from tfcompat._function.control.sweep import Sweep
from tfcompat._function.control.turn import Turn
from tfcompat._ops.array.joining import stack, unstack

# From the state and the rows: the next state and what is answered for the rows.
Function = Callable[[list[Tensor], list[Tensor]], tuple[list[Tensor], list[Tensor]]]


def over_rows(
    op: str, turn: Function, state: Sequence[Tensor], elems: Sequence[Tensor], *, reverse: bool = False
) -> tuple[list[Tensor], list[Tensor]]:
    """The state after `turn` of all rows of `elems`, and what it answered for each, stacked."""
    if here.trace.is_symbolic:
        return _swept(op, turn, state, elems, reverse)
    rows = list(zip(*[unstack(elem) for elem in elems], strict=True))
    answers: list[list[Tensor]] = []
    current = list(state)
    for row in reversed(rows) if reverse else rows:
        current, answered = turn(current, list(row))
        answers.append([_fitted(tensor, k, answers) for k, tensor in enumerate(answered)])
    if reverse:
        answers.reverse()
    return current, [stack(column) for column in zip(*answers, strict=True)]


def _fitted(tensor: Tensor, k: int, answers: Sequence[Sequence[Tensor]]) -> Tensor:
    """`tensor`, the `k`-th answer for a row. Raises ValueError if the first row's has another shape."""
    if answers and answers[0][k]._aval.shape != tensor._aval.shape:
        raise ValueError(f"Incompatible shape for value ({tensor.shape}), expected ({answers[0][k].shape})")
    return tensor


def _swept(
    op: str, turn: Function, state: Sequence[Tensor], elems: Sequence[Tensor], reverse: bool
) -> tuple[list[Tensor], list[Tensor]]:
    """The calls as one op: their number is known."""
    graph = IteratedGraph(op)

    def call() -> Any:
        given = [graph.argument(tensor._aval, k) for k, tensor in enumerate(state, 1)]
        rows = [aval_of(elem._aval.shape[1:], elem.dtype) for elem in elems]
        return turn(given, [graph.argument(aval, k) for k, aval in enumerate(rows, 1 + len(state))])

    block = Block(graph, call)
    block.require_numbers()
    cells = [cell for cell, _ in block.updates.values()]
    held, after = [cell._read() for cell in cells], [tensor for _, tensor in block.updates.values()]
    operands = Operands([*state, *held, *elems], first=1)
    size, carried = len(state), len(state) + len(held)
    for place, cell in enumerate(cells, 1 + size):
        operands.hold(cell, place)
    places = operands.places(block, [*range(1 + size), *range(1 + carried, 1 + carried + len(elems))])
    new = block.slots([*block.outputs[:size], *after])
    turns = Turn(block, places, operands.tensors, new, rows=len(elems), is_backward=reverse)
    course = course_of(turns, None, elems[0]._aval.shape[0])
    assert course is not None
    answers = block.slots(block.outputs[size:])
    found, stacked = Sweep(op, turns, course, answers, range(1 + size, 1 + carried)).record()
    for cell, tensor in zip(cells, found[size:], strict=True):
        cell._rebind(tensor)
    return found[:size], stacked


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
