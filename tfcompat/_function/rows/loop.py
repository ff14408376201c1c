"""The loop over the rows of tensors, for `tf.map_fn`, `tf.scan`, `tf.foldl` and `tf.foldr`.

While a function is traced the loop is one op, lowered to a scan; elsewhere it is a Python loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import found_early
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.aval import aval_of
from tfcompat._function.block.block import Block, Operands
from tfcompat._function.control.iteration import Iteration
from tfcompat._function.control.scan_lowering import ScanLowering
from tfcompat._function.control.traced_loop import IteratedGraph
from tfcompat._function.control.trip_count import open_trip_count, trip_count_of
from tfcompat._function.graphs.untraced import Parts
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.array.joining import stack, unstack
from tfcompat._state.scope import traced_scope

# From the state and one row of each tensor: the next state and the outputs for the rows.
Function = Callable[[list[Tensor], list[Tensor]], tuple[list[Tensor], list[Tensor]]]


# TensorFlow's scopes of functions that are not called so.
_SCOPES = {"map_fn": "map"}


def over_rows(
    op: str, step: Function, state: Sequence[Tensor], elems: Sequence[Tensor], *, reverse: bool = False
) -> tuple[list[Tensor], list[Tensor]]:
    """The state after `step` has been called on all rows of `elems`, and its outputs for each row, stacked."""
    if here.trace.is_symbolic:
        with traced_scope(_SCOPES.get(op, op)), traced_scope("while"):
            return _scanned(op, step, state, elems, reverse)
    rows = list(zip(*[unstack(elem) for elem in elems], strict=True))
    outputs: list[list[Tensor]] = []
    current = list(state)
    parts = Parts()
    for row in reversed(rows) if reverse else rows:
        with parts.part("body"):
            current, found = step(current, list(row))
        outputs.append([_fitted(tensor, k, outputs) for k, tensor in enumerate(found)])
    if reverse:
        outputs.reverse()
    return current, [stack(column) for column in zip(*outputs, strict=True)]


def _fitted(tensor: Tensor, k: int, outputs: Sequence[Sequence[Tensor]]) -> Tensor:
    """`tensor`, output `k` for a row. Raises ValueError if that of the first row has another shape.

    In a function it is an InvalidArgumentError: TensorFlow finds it when the function runs.
    """
    if outputs and outputs[0][k]._aval.shape != tensor._aval.shape:
        message = f"Incompatible shape for value ({tensor.shape}), expected ({outputs[0][k].shape})"
        raise ValueError(message) if here.untraced is None else found_early(message)
    return tensor


def _scanned(
    op: str, step: Function, state: Sequence[Tensor], elems: Sequence[Tensor], reverse: bool
) -> tuple[list[Tensor], list[Tensor]]:
    """The calls as one op, a scan: their number is known."""
    graph = IteratedGraph(op)

    def call() -> Any:
        given = [graph.argument(tensor._aval, k) for k, tensor in enumerate(state, 1)]
        rows = [aval_of(elem._aval.shape[1:], elem.dtype) for elem in elems]
        return step(given, [graph.argument(aval, k) for k, aval in enumerate(rows, 1 + len(state))])

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
    count = elems[0]._aval.shape[0]
    iteration = Iteration(block, places, operands.tensors, new, rows=len(elems), is_backward=reverse)
    trip_count = open_trip_count(iteration, count) if is_open(count) else trip_count_of(iteration, None, count)
    assert trip_count is not None
    outputs = block.slots(block.outputs[size:])
    found, stacked = ScanLowering(op, iteration, trip_count, outputs, range(1 + size, 1 + carried)).record()
    for cell, tensor in zip(cells, found[size:], strict=True):
        cell._rebind(tensor)
    return found[:size], stacked


def require_rows(tensors: Sequence[Tensor]) -> int:
    """The number of rows of all `tensors`. Raises ValueError if the numbers differ."""
    count = tensors[0]._aval.shape[0]
    for tensor in tensors[1:]:
        if tensor._aval.shape[0] != count:
            raise ValueError(f"Dimensions {count} and {tensor._aval.shape[0]} are not compatible")
    return count


def require_dtype(tensor: Tensor, dtype: Any) -> Tensor:
    """`tensor`. Raises InvalidArgumentError if it has another dtype."""
    if tensor.dtype is not dtype:
        raise found_early(f"TensorArray dtype is {dtype.name} but Op is trying to write dtype {tensor.dtype.name} ")
    return tensor
