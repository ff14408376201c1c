"""`tf.scan`, `tf.foldl`, `tf.foldr`, and the loop over rows behind them and `tf.map_fn`.

While a function is traced the loop is one op, lowered to a scan; elsewhere it is a Python loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core import nest
from tfcompat._core.aval import aval_of
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.error import InvalidArgumentError, OutOfRangeError
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here
from tfcompat._function.block.block import Block, Operands
from tfcompat._function.control.iteration import Iteration, open_trip_count, trip_count_of
from tfcompat._function.control.scan_lowering import ScanLowering
from tfcompat._function.control.traced_loop import IteratedGraph
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.array.creation import zeros
from tfcompat._ops.array.indexing import getitem
from tfcompat._ops.array.joining import concat, stack, unstack
from tfcompat._ops.identity import stop_gradient

# From the state and one row of each tensor: the next state and the outputs for the rows.
Function = Callable[[list[Tensor], list[Tensor]], tuple[list[Tensor], list[Tensor]]]


def over_rows(
    op: str, step: Function, state: Sequence[Tensor], elems: Sequence[Tensor], *, reverse: bool = False
) -> tuple[list[Tensor], list[Tensor]]:
    """The state after `step` has been called on all rows of `elems`, and its outputs for each row, stacked."""
    if here.trace.is_symbolic:
        return _scanned(op, step, state, elems, reverse)
    rows = list(zip(*[unstack(elem) for elem in elems], strict=True))
    answers: list[list[Tensor]] = []
    current = list(state)
    for row in reversed(rows) if reverse else rows:
        current, answered = step(current, list(row))
        answers.append([_fitted(tensor, k, answers) for k, tensor in enumerate(answered)])
    if reverse:
        answers.reverse()
    return current, [stack(column) for column in zip(*answers, strict=True)]


def _fitted(tensor: Tensor, k: int, answers: Sequence[Sequence[Tensor]]) -> Tensor:
    """`tensor`, output `k` for a row. Raises ValueError if that of the first row has another shape."""
    if answers and answers[0][k]._aval.shape != tensor._aval.shape:
        raise ValueError(f"Incompatible shape for value ({tensor.shape}), expected ({answers[0][k].shape})")
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
    answers = block.slots(block.outputs[size:])
    found, stacked = ScanLowering(op, iteration, trip_count, answers, range(1 + size, 1 + carried)).record()
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
        raise InvalidArgumentError.of(
            f"TensorArray dtype is {dtype.name} but Op is trying to write dtype {tensor.dtype.name} "
        )
    return tensor


Fold = Callable[[Any, Any], Any]


def scan(
    fn: Fold,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """The results of `fn(previous result, row)` for each row of `elems`, stacked.

    The initial result is `initializer`; without one it is the first row, which is then also the first of the stacked
    results. Rows are taken in order, in `reverse` from the last. Shapes are always known here, whatever `infer_shape`;
    `parallel_iterations` and `swap_memory` change no value.

    Shapes: [n, ...] -> [n, ...]
    Dtypes: those of `initializer`, else of `elems`.
    Raises: ValueError if `fn` returns another structure or shape; InvalidArgumentError or TypeError for another dtype.
    Source: TF 2.21 `tf.scan`.
    """
    del parallel_iterations, swap_memory, infer_shape, name
    fold = _Folding("scan", fn, elems, initializer, reverse)
    _, answers = fold.run(keeps=True)
    if initializer is None:
        first = [getitem(start, None) for start in fold.start]
        answers = [concat([a, f] if reverse else [f, a], 0) for f, a in zip(first, answers, strict=True)]
    return fold.packed(answers, back_prop)


def foldl(
    fn: Fold,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """The last result of `fn(previous result, row)`, called on the rows of `elems` from first to last.

    The initial result is `initializer`, or the first row without one. `parallel_iterations` and `swap_memory` change no
    value.

    Shapes: [n, ...] -> that of `initializer`, or [...]
    Dtypes: those of `initializer`, else of `elems`.
    Raises: as `tf.scan`.
    Source: TF 2.21 `tf.foldl`.
    """
    del parallel_iterations, swap_memory, name
    fold = _Folding("foldl", fn, elems, initializer, reverse=False)
    return fold.packed(fold.run(keeps=False)[0], back_prop)


def foldr(
    fn: Fold,
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """The last result of `fn(previous result, row)`, called on the rows of `elems` from last to first.

    The initial result is `initializer`, or the last row without one. `parallel_iterations` and `swap_memory` change no
    value.

    Shapes: [n, ...] -> that of `initializer`, or [...]
    Dtypes: those of `initializer`, else of `elems`.
    Raises: as `tf.scan`.
    Source: TF 2.21 `tf.foldr`.
    """
    del parallel_iterations, swap_memory, name
    fold = _Folding("foldr", fn, elems, initializer, reverse=True)
    return fold.packed(fold.run(keeps=False)[0], back_prop)


class _Folding:
    """The calls of `fn`.

    Attributes:
      start: the initial result.
    """

    def __init__(self, name: str, fn: Fold, elems: Any, initializer: Any, reverse: bool) -> None:
        if not callable(fn):
            raise TypeError(f"tf.{name}: fn must be callable, got {fn!r}.")
        self._name = name
        self._fn = fn
        self._elems = elems
        self._reverse = reverse
        self._rows = [convert_to_tensor(leaf) for leaf in nest.flatten(elems)]
        count = require_rows(self._rows)
        self._like = elems if initializer is None else initializer
        if initializer is not None:
            self.start = [convert_to_tensor(leaf) for leaf in nest.flatten(initializer)]
            return
        if count == 0:
            raise OutOfRangeError.of("Tried to read from index 0 but array size is: 0 ")
        self.start = [getitem(rows, -1 if reverse else 0) for rows in self._rows]
        self._rows = [getitem(rows, slice(None, -1) if reverse else slice(1, None)) for rows in self._rows]

    def run(self, *, keeps: bool) -> tuple[list[Tensor], list[Tensor]]:
        """The last result, and if `keeps` all of them, stacked."""
        if self._rows[0]._aval.shape[0] == 0:
            return self.start, [zeros([0, *x._aval.shape], x.dtype) for x in self.start]

        def step(state: list[Tensor], rows: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
            result = self._fn(nest.pack_sequence_as(self._like, state), nest.pack_sequence_as(self._elems, rows))
            nest.assert_same_structure(self._like, result)
            found = [self._fitting(x, start) for x, start in zip(nest.flatten(result), self.start, strict=True)]
            return found, found if keeps else []

        return over_rows(self._name, step, self.start, self._rows, reverse=self._reverse)

    def _fitting(self, value: Any, start: Tensor) -> Tensor:
        tensor = convert_to_tensor(value, dtype_hint=start.dtype)
        if here.trace.is_symbolic and tensor.dtype is not start.dtype:
            raise TypeError(
                f"Loop var {self._name}/Const:0 enters the loop with type {start.dtype!r} but has type "
                f"{tensor.dtype!r} after 1 iteration. {self._name}/Const:0 type should remain constant."
            )
        require_dtype(tensor, start.dtype)
        if tensor._aval != start._aval and (self._name == "scan" or here.trace.is_symbolic):
            if here.trace.is_symbolic:
                raise ValueError(f"Inconsistent shapes: saw {tensor._aval.shape} but expected {start._aval.shape} ")
            raise ValueError(f"Incompatible shape for value ({tensor._aval.shape}), expected ({start._aval.shape})")
        return tensor

    def packed(self, tensors: list[Tensor], back_prop: bool) -> Any:
        """`tensors` in the structure of the results."""
        return nest.pack_sequence_as(self._like, tensors if back_prop else [stop_gradient(x) for x in tensors])
