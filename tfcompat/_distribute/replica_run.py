"""A call of a function in several replicas, which take turns in one recording.

Each replica is a strand (`tfcompat._core.tracing.strand`). The replicas run one after another, each up to its next
`merge_call`; then the caller calls the merged function, and they continue. So they all record into one trace.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple, NoReturn

from tfcompat._autodiff.context import RecordingContext
from tfcompat._autodiff.suspension import unrecorded
from tfcompat._core.calls.convert import constant, convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.thread_state import recorder
from tfcompat._core.tracing.strand import Strand, Turns, running_strand
from tfcompat._core.tracing.trace import here, start_step
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import int32
from tfcompat._distribute.collective import in_functions, require_all_collective
from tfcompat._distribute.gradient import through_replicas
from tfcompat._distribute.grouping import parted, regroup, selected
from tfcompat._distribute.mark import mark
from tfcompat._distribute.reduction import reduce_op_of
from tfcompat._distribute.replica_context import OfDevices
from tfcompat._distribute.stack import Entry, called
from tfcompat._ops.array.joining import split
from tfcompat._ops.indexed_slices.rows import IndexedSlices
from tfcompat._state.cell import alias_of
from tfcompat._summary.state import state as summaries

_TENSOR = frozenset((Tensor,))
# The callers between the user's code and `recording`.
_CALLERS = 4
_UNEQUAL = "Some replicas made a different number of replica_context().merge_call() calls."
_NESTED = (
    "`merge_call` called while defining a new graph or a tf.function. This can often happen if the function passed to "
    "`strategy.run()` contains a nested `@tf.function` with a synchronization point, such as aggregating gradients "
    "(e.g. optimizer.apply_gradients), or a control flow statement with one in its body. Wrap the function passed to "
    "`strategy.run`, or the whole `strategy.run`, in a `tf.function` instead, or move the control flow out of it."
)


def refuse_nested() -> NoReturn:
    """Raises RuntimeError: replicas cannot meet in a branch, a loop or a function that is being traced."""
    raise RuntimeError(_NESTED)


class _Merge(NamedTuple):
    """A call of `merge_call` in one replica."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class SharedVariables:
    """The variables that the first replica of a call makes; the others receive the same ones, by name and order."""

    def __init__(self) -> None:
        self._made: dict[str, list[Any]] = {}
        self._taken: dict[tuple[int, str], int] = {}

    def add(self, name: str | None, variable: Any) -> None:
        """Registers `variable`, which the first replica has made."""
        self._made.setdefault(_canonical(name), []).append(variable)

    def next(self, replica: int, name: str | None) -> Any:
        """The next variable called `name` for another replica. Raises RuntimeError if the first one made none."""
        key = (replica, _canonical(name))
        place = self._taken.get(key, 0)
        made = self._made.get(key[1], ())
        if place >= len(made):
            raise RuntimeError(f"Tried to create variable {name} with mismatching name on device {replica}")
        self._taken[key] = place + 1
        return made[place]


def _canonical(name: str | None) -> str:
    """`name` without the numbers that make names unique."""
    return "Variable" if name is None else re.sub(r"_\d+(?=/|$)", "", name)


class MirroredReplicaContext(OfDevices):
    """The context of one of several replicas."""

    def __init__(self, strategy: Any, number: int, place: int, variables: SharedVariables) -> None:
        """The context of the replica with `number` in this process, and the number `place` among all replicas."""
        super().__init__(strategy, None)
        self._number, self._place = number, place
        self.variables = variables
        self._graph = here.graph
        self._strand: Strand | None = None

    @property
    def devices(self) -> Any:
        """TensorFlow's name of the device of the replica, in a list of a list."""
        self._running()
        return super().devices

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of the replica, as a tensor of int32."""
        if self._replica_id is None:
            self._replica_id = constant(self._place, int32)
        return self._replica_id

    def _running(self) -> Strand:
        strand = running_strand()
        if strand is None or strand is not self._strand:
            raise RuntimeError("Need to be inside `call_for_each_replica()`")
        return strand

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        """The result of `merge_fn(strategy, *args, **kwargs)`, called once, in cross-replica context.

        Its arguments have a component for each replica; of a distributed result the replica receives its component.

        Gradient: None through the ops of `merge_fn`.
        Raises: RuntimeError in a branch, a loop or a function that is being traced, or after the run.
        """
        strand = self._running()
        if here.graph is not self._graph:
            refuse_nested()
        with unrecorded():
            answer = strand.pause(_Merge(merge_fn, tuple(args), kwargs or {}))
            mark(self._strategy.extended._spread, self._number)
        return answer

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """`value`, a structure of tensors, reduced over the replicas.

        Shapes, Dtypes: those of `value`; a mean of integers is float64.
        Gradient: the same reduction of the gradients of all replicas.
        Raises: ValueError for an unknown `reduce_op`; AttributeError for other values than tensors;
          InvalidArgumentError for other dtypes than TensorFlow's, or different shapes.
        """
        del options
        op = reduce_op_of(reduce_op)
        is_list = type(value) is list and _TENSOR.issuperset(map(type, value))
        flat = value if is_list else in_functions(nest.flatten(value))
        require_all_collective(flat)

        def merge(strategy: Any, *values: Any) -> Any:
            return strategy.extended.batch_reduce_to(op, [(each, each) for each in values])

        if is_list and not here.tapes:  # the same as below, in less time
            return self.merge_call(merge, flat)
        if any(isinstance(leaf, IndexedSlices) for leaf in flat):
            return nest.packed(value, self.merge_call(merge, flat))
        reduced = through_replicas(
            flat,
            lambda tensors: self._met(merge, tensors),
            lambda upstream: self.all_reduce(op, upstream),
        )
        return nest.packed(value, reduced)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """`value`, a structure of tensors, joined along `axis` over the replicas.

        Gradient: the part of this replica of the sum of the gradients of all replicas.
        Raises: NotImplementedError for `tf.IndexedSlices`; ValueError for scalars.
        """
        del options
        flat = nest.flatten(value)
        if any(isinstance(leaf, IndexedSlices) for leaf in flat):
            raise NotImplementedError("gather/all_gather does not support IndexedSlices")

        def merge(strategy: Any, *values: Any) -> Any:
            joined = [strategy.extended._gather(each, axis) for each in values]
            return strategy.extended.broadcast_to(joined, None)

        def sizes(strategy: Any, *values: Any) -> Any:
            return [strategy.extended._sizes(each, axis) for each in values]

        def parts(upstream: Any) -> list[Any]:
            summed = self.all_reduce("SUM", upstream)
            extents = self.merge_call(sizes, _own(flat))
            return [split(whole, extent, axis=axis)[self._place] for whole, extent in zip(summed, extents, strict=True)]

        return nest.pack_sequence_as(value, through_replicas(flat, lambda tensors: self._met(merge, tensors), parts))

    def _met(self, merge: Callable[..., Any], values: Any) -> Any:
        """The result of `merge_call` of `merge` with tensors for `values`."""
        return self.merge_call(merge, list(map(convert_to_tensor, values)))


def _own(values: Any) -> list[Any]:
    """Tensors for `values` that no other replica has: one object in all replicas would not be a distributed value."""
    return [alias_of(convert_to_tensor(value)) for value in values]


# TensorFlow's name, which programs print.
MirroredReplicaContext.__name__ = MirroredReplicaContext.__qualname__ = "_MirroredReplicaContext"


def call_in_replicas(strategy: Any, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The results of `fn` in the replicas of `strategy` in this process, as a structure of distributed values.

    Raises: the exception of the first replica that raises one, after all replicas have ended; RuntimeError if they call
      `merge_call` unequally often.
    """
    with recording() as tapes:
        variables, turns = SharedVariables(), Turns(tapes)
        try:
            for number, place in enumerate(strategy.extended._places):
                context = MirroredReplicaContext(strategy, number, place, variables)
                body = _body(strategy, context, fn, selected(number, tuple(args)), selected(number, dict(kwargs or {})))
                context._strand = turns.add(body)
            strands = turns.strands
            answers: Sequence[Any] = [None] * len(strands)
            while True:
                turns.resume(answers)
                mark(strategy.extended._spread, None)
                done = [strand.is_done for strand in strands]
                if all(done):
                    return regroup([strand.result for strand in strands])
                if any(done):
                    raise RuntimeError(_UNEQUAL)
                answers = _merged(strategy, [strand.request for strand in strands])
        finally:
            turns.end()


def _merged(strategy: Any, requests: list[_Merge]) -> Sequence[Any]:
    """The answers to the replicas' calls of `merge_call`."""
    args = regroup([request.args for request in requests])
    kwargs = regroup([request.kwargs for request in requests])
    result = called(requests[0].function, (strategy, *args), kwargs, Entry.of(strategy, None))
    return parted(result, len(requests))


def _body(
    strategy: Any, context: MirroredReplicaContext, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Any
) -> Callable[[], Any]:
    """`fn(*args, **kwargs)` in the replica of `context`."""

    devices = strategy.extended._spread

    def body() -> Any:
        summaries.is_silent = context._number > 0
        mark(devices, context._number)
        entry = Entry.of(strategy, context)
        if devices is not None:
            return called(fn, args, kwargs, entry)
        with strategy._placed():
            return called(fn, args, kwargs, entry)

    return body


@contextlib.contextmanager
def recording() -> Generator[list[Any]]:
    """A context in which replicas record, but not the tapes around them; yields the others, of functions.

    A run outside of tapes begins a training step.
    """
    tapes = list(here.tapes)
    around = [tape for tape in tapes if isinstance(tape, RecordingContext)]
    if not around:
        start_step(_CALLERS)
    for tape in around:
        tape._pause()
    before, recorder.is_shared = recorder.is_shared, True
    try:
        yield [tape for tape in tapes if tape not in around]
    finally:
        recorder.is_shared = before
        for tape in around:
            tape._resume()
