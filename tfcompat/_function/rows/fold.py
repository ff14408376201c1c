"""`tf.scan`, `tf.foldl` and `tf.foldr`: loops over rows (`row_loop`) that pass each result to the next call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import OutOfRangeError, found_early
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._function.rows.loop import over_rows, require_dtype, require_rows
from tfcompat._ops.array.creation import zeros
from tfcompat._ops.array.indexing import getitem
from tfcompat._ops.array.joining import concat
from tfcompat._ops.identity import stop_gradient

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
    _, results = fold.run(keeps=True)
    if initializer is None:
        first = [getitem(start, None) for start in fold.start]
        results = [concat([a, f] if reverse else [f, a], 0) for f, a in zip(first, results, strict=True)]
    return fold.packed(results, back_prop)


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
        if count == 0 and here.graph is not None:
            raise found_early(f"Trying to access element {-1 if reverse else 0} in a list with 0 elements.")
        if count == 0 and reverse:
            raise OutOfRangeError.of("Reading from negative indices (index -1) is not allowed.")
        if count == 0:
            raise OutOfRangeError.of("Tried to read from index 0 but array size is: 0 ")
        self.start = [getitem(rows, -1 if reverse else 0) for rows in self._rows]
        self._rows = [getitem(rows, slice(None, -1) if reverse else slice(1, None)) for rows in self._rows]

    def run(self, *, keeps: bool) -> tuple[list[Tensor], list[Tensor]]:
        """The last result, and if `keeps` all of them, stacked."""
        if self._rows[0]._aval.shape[0] == 0 and not here.trace.is_symbolic:
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
        if self._name == "scan" or here.trace.is_symbolic:
            require_dtype(tensor, start.dtype)
        if tensor._aval != start._aval and (self._name == "scan" or here.trace.is_symbolic):
            if here.trace.is_symbolic:
                raise ValueError(f"Inconsistent shapes: saw {tensor._aval.shape} but expected {start._aval.shape} ")
            raise ValueError(f"Incompatible shape for value ({tensor._aval.shape}), expected ({start._aval.shape})")
        return tensor

    def packed(self, tensors: list[Tensor], back_prop: bool) -> Any:
        """`tensors` in the structure of the results."""
        return nest.pack_sequence_as(self._like, tensors if back_prop else [stop_gradient(x) for x in tensors])
