"""Loops in functions of elements that the host runs: `tf.while_loop` and `tf.map_fn` over strings, files, images."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from tfcompat._core.calls.by_row import Dims
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, UntraceableError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import DType, int64
from tfcompat._data.function.block_gradient import Rows, with_gradients_of_rows
from tfcompat._data.function.branch import HostBlock, kind_of, known_outside
from tfcompat._data.function.graph import ElementGraph, HostStep
from tfcompat._data.function.host_gradient import follows
from tfcompat._data.function.stream import Streams
from tfcompat._function.tensor_array.array import TensorArray
from tfcompat._function.tensor_array.hosted import blank
from tfcompat._function.tensor_array.unshaped import Unshaped

T = TypeVar("T")


class Iterated:
    """A function of values that change in each iteration, and of captured ones.

    Attributes:
      block: its trace.
    """

    def __init__(
        self, label: str, graph: ElementGraph, function: Callable[..., Any], kinds: Sequence[tuple[Dims, DType]]
    ) -> None:
        """Traces `function` of a list of tensors of the shapes and dtypes `kinds`."""
        self._given = [graph.placeholder(dims, dtype) for dims, dtype in kinds]
        self.block = HostBlock(label, graph, function, list(self._given))
        ids = [id(tensor) for tensor in self._given]
        self._places = [ids.index(id(tensor)) if id(tensor) in ids else None for tensor in self.block.captured]

    @property
    def captured(self) -> list[Tensor]:
        """The captured values."""
        return [tensor for tensor, k in zip(self.block.captured, self._places, strict=True) if k is None]

    def __call__(
        self,
        values: Mapping[str, int],
        streams: Streams,
        given: Sequence[np.ndarray],
        captured: Sequence[np.ndarray],
    ) -> list[np.ndarray]:
        """The results for the values `given` of an iteration."""
        return self.block(values, streams, self.arranged(given, captured))

    def arranged(self, given: Sequence[T], captured: Iterable[T]) -> list[T]:
        """The inputs of the trace for the values `given` of an iteration and `captured` ones; the rest come last."""
        rest = iter(captured)
        return [*[next(rest) if k is None else given[k] for k in self._places], *rest]


def looped(
    graph: ElementGraph, cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, maximum: Tensor | None
) -> Any:
    """The state after the loop `tf.while_loop(cond, body, loop_vars)`, which the host runs.

    Raises: UntraceableError for state that consists of other things than tensors.
    """
    loop_vars = nest.map_structure(
        lambda value: value.by_host() if isinstance(value, TensorArray) else value, loop_vars
    )
    leaves = _with_rows(graph, body, list(loop_vars), _entering(loop_vars))
    places = [k for k, leaf in enumerate(leaves) if type(leaf) is Tensor]
    first = [leaves[k] for k in places]

    def packed(state: Sequence[Tensor]) -> list[Any]:
        whole = list(leaves)
        for k, value in zip(places, state, strict=True):
            whole[k] = value
        return nest.pack_sequence_as(list(loop_vars), whole, expand_composites=True)

    def advanced(state: Sequence[Tensor]) -> list[Tensor]:
        found = body(*packed(state))
        after = list(found) if nest.is_nested(found) else [found]
        nest.assert_same_structure(list(loop_vars), after)
        flat = nest.flatten(after, expand_composites=True)
        return [convert_to_tensor(flat[k]) for k in places]

    kinds = [
        (dims and [None, *dims[1:]] if may_grow else dims, dtype)
        for (dims, dtype), may_grow in zip(map(kind_of, first), _growing(loop_vars, places), strict=True)
    ]
    while True:
        step = Iterated("tf.while_loop", graph, advanced, kinds)
        found = [_common(kind, later) for kind, later in zip(kinds, step.block.kinds, strict=True)]
        if list(map(repr, found)) == list(map(repr, kinds)):
            break
        kinds = found  # with more open sizes than before
    test = Iterated("tf.while_loop", graph, lambda state: convert_to_tensor(cond(*packed(state))), kinds)
    number, count, split = len(graph.steps), len(first), len(step.captured)
    limits = [] if maximum is None else [maximum]

    def compute(values: Mapping[str, int], streams: Streams, *arrays: np.ndarray) -> list[np.ndarray]:
        state, rest = list(arrays[:count]), arrays[count:]
        own, tested = rest[:split], rest[split : len(rest) - len(limits)]
        most = int(rest[-1]) if limits else None
        done = 0
        while (most is None or done < most) and bool(
            test(values, streams.inner((number, 0), test.block.calls.plan), state, tested)[0]
        ):
            state = step(values, streams.inner((number, 1), step.block.calls.plan), state, own)
            done += 1
        return state

    _require_no_gradient([*first, *step.captured], kinds)
    inputs = graph.inputs([*first, *step.captured, *test.captured, *limits])
    acts = not (step.block.calls.is_pure and test.block.calls.is_pure)
    made = graph.stepped(HostStep("while_loop", compute, inputs, has_effects=acts, draws=True), kinds)
    return nest.pack_sequence_as(loop_vars, nest.flatten(packed(made)))


def _require_no_gradient(tensors: Sequence[Tensor], kinds: Sequence[tuple[Dims, DType]]) -> None:
    """Raises UntraceableError if a tape follows a state of the shapes and dtypes `kinds` from `tensors`."""
    if any(dtype.is_floating or dtype.is_complex for _, dtype in kinds) and follows(tensors):
        raise UntraceableError(
            "tf.while_loop over strings, files or open sizes has no gradient in a function of elements; use tf.map_fn, "
            "or compute the gradient outside of it"
        )


def _entering(loop_vars: Any) -> list[Any]:
    """The leaves of the state: tensors, and the rows of arrays of unknown shape."""
    try:
        return [
            leaf if type(leaf) is Unshaped else convert_to_tensor(leaf)
            for leaf in nest.flatten(list(loop_vars), expand_composites=True)
        ]
    except (TypeError, ValueError) as refused:
        raise UntraceableError(
            "the state of a loop over strings, files or open shapes must consist of tensors"
        ) from refused


def _growing(loop_vars: Any, places: Sequence[int]) -> list[bool]:
    """Whether the leaves at `places` are the rows of arrays of dynamic size."""
    found = [
        isinstance(value, TensorArray) and value.dynamic_size
        for value in nest.flatten(list(loop_vars))
        for _ in nest.flatten(value, expand_composites=True)
    ]
    return [found[k] for k in places]


def _with_rows(graph: ElementGraph, body: Callable[..., Any], loop_vars: list[Any], leaves: list[Any]) -> list[Any]:
    """`leaves` with rows of the shape of the first element that `body` writes, for arrays that it writes into."""
    unknown = [k for k, leaf in enumerate(leaves) if type(leaf) is Unshaped]
    if not unknown:
        return leaves
    outside = frozenset() if graph.open_sizes is None else frozenset(graph.open_sizes.made)
    trial = graph.scratch()

    def given(leaf: Any) -> Any:
        if type(leaf) is not Unshaped:
            return trial.placeholder(*kind_of(leaf))
        return Unshaped(leaf.size, leaf.dtype, lambda dims: trial.placeholder([None, *dims], leaf.dtype))

    tried = list(map(given, leaves))
    with trial.recording():
        body(*nest.pack_sequence_as(loop_vars, tried, expand_composites=True))
    found = list(leaves)
    for k in unknown:
        rows = tried[k].tensor
        if rows is None:
            continue
        dims = known_outside((list(rows._aval.shape[1:]), rows.dtype), outside)[0] or []
        if None in dims:
            raise UntraceableError(
                "tf.TensorArray: the elements that a loop writes must have one shape, which does not change in the "
                "loop; pad them, or return ragged rows by tf.map_fn with a tf.RaggedTensorSpec"
            )
        leaf = leaves[k]
        found[k] = leaf.resolve(tuple(dims), here.trace) if leaf.is_argument else blank(leaf.size, dims, leaf.dtype)
    return found


def mapped(
    graph: ElementGraph, function: Callable[..., Any], rows: Sequence[Tensor], joined: Sequence[bool] | None = None
) -> list[Tensor]:
    """`function` of each row of the tensors `rows`, stacked, which the host computes; it returns a list of tensors.

    Those that are `joined` are joined along their first axis, in which they may differ, rather than stacked; their
    sizes along it follow the results.
    """
    kinds = [(list(tensor._aval.shape[1:]), tensor.dtype) for tensor in rows]
    step = Iterated("tf.map_fn", graph, function, kinds)
    number, count = len(graph.steps), len(rows)
    size = rows[0]._aval.shape[0]
    joins = joined or [False] * len(step.block.kinds)
    outputs: list[tuple[Dims, DType]] = [
        (dims if dims is None else [None, *dims[1:]] if is_joined else [size, *dims], dtype)
        for (dims, dtype), is_joined in zip(step.block.kinds, joins, strict=True)
    ]
    outputs += [([size], int64)] * sum(joins)

    def compute(values: Mapping[str, int], streams: Streams, *arrays: np.ndarray) -> list[np.ndarray]:
        own = streams.inner((number, 0), step.block.calls.plan)
        if not len(arrays[0]):
            return [np.zeros((0, *_least(dims and dims[1:])), dtype.as_numpy_dtype) for dims, dtype in outputs]
        length = len(arrays[0])
        captured = [np.broadcast_to(array, (length, *array.shape)) for array in arrays[count:]]
        columns = step.block.of_rows(values, own, step.arranged(arrays[:count], captured), length)
        found = [(_joined if is_joined else _stacked)(rows) for rows, is_joined in zip(columns, joins, strict=True)]
        return found + [np.array(list(map(len, rows))) for rows in itertools.compress(columns, joins)]

    inputs = graph.inputs([*rows, *step.captured])
    acts, arguments = not step.block.calls.is_pure, {} if any(joins) else {"iterated": step}
    found = graph.stepped(
        HostStep("map_fn", compute, inputs, has_effects=acts, draws=True, arguments=arguments), outputs
    )
    return with_gradients_of_rows(function, Rows(rows, step.captured, joins), found)


def _least(dims: Dims) -> list[int]:
    """The known sizes, and 0 for others."""
    return [size if isinstance(size, int) else 0 for size in dims or ()]


def _stacked(rows: Sequence[np.ndarray]) -> np.ndarray:
    if any(row.shape != rows[0].shape for row in rows):
        shapes = sorted({row.shape for row in rows})
        raise InvalidArgumentError.of(f"tf.map_fn: the results of all rows must have one shape, got {shapes}.")
    return np.stack(rows)


def _joined(rows: Sequence[np.ndarray]) -> np.ndarray:
    if any(row.shape[1:] != rows[0].shape[1:] for row in rows):
        shapes = sorted({row.shape for row in rows})
        raise InvalidArgumentError.of(f"tf.map_fn: ragged rows may differ in their first axis only, got {shapes}.")
    return np.concatenate(rows)


def _common(one: tuple[Dims, DType], other: tuple[Dims, DType]) -> tuple[Dims, DType]:
    """The sizes that are equal in both, with the dtype. Raises TypeError if dtypes differ."""
    if one[1] is not other[1]:
        raise TypeError(f"tf.while_loop: a value of the state had dtype {one[1].name} and has {other[1].name} later.")
    if one[0] is None or other[0] is None or len(one[0]) != len(other[0]):
        return None, one[1]
    pairs = zip(one[0], other[0], strict=True)
    return [size if str(size) == str(later) else None for size, later in pairs], one[1]
