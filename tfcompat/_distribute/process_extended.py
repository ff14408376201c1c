"""`tf.distribute.StrategyExtended` of a strategy with a replica in each of several processes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tfcompat._core import nest
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dtype import float64
from tfcompat._core.processes.group import Group
from tfcompat._distribute.between_processes import gathered, of_first, summed
from tfcompat._distribute.grouping import local_results, selected
from tfcompat._distribute.input import InputContext, InputReplicationMode, ValueContext
from tfcompat._distribute.process_context import ProcessReplicaContext, reduced
from tfcompat._distribute.process_input import in_step, sharded
from tfcompat._distribute.reduction import ReduceOp, reduce_op_of
from tfcompat._distribute.replica_run import recording
from tfcompat._distribute.replicated_extended import ReplicatedExtended
from tfcompat._distribute.replicated_variable import ReplicatedVariable
from tfcompat._distribute.stack import entered
from tfcompat._distribute.values import PerReplica
from tfcompat._ops.array.extent import shape
from tfcompat._ops.elementwise.algebraic import truediv
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold.reduction import reduce_sum
from tfcompat._ops.indexed_slices.rows import IndexedSlices
from tfcompat._state.creator import creators_within


class ProcessesExtended(ReplicatedExtended):
    """Methods of a strategy with a replica in each process that libraries call."""

    experimental_between_graph = True

    def __init__(self, container_strategy: Any, group: Group, device: str, timeout: float | None) -> None:
        """The methods for the replica on `device`; collectives take up to `timeout` seconds."""
        super().__init__(container_strategy, (device,))
        self._group = group
        self._timeout = timeout
        self.should_checkpoint = self.should_save_summary = group.index == 0

    @functools.cached_property
    def _spread(self) -> None:
        """None: the replica of this process is computed on one device."""
        return None

    @property
    def _num_replicas_in_sync(self) -> int:
        return self._group.count

    def _in_multi_worker_mode(self) -> bool:
        """Whether the replicas are in several processes: True."""
        return True

    def _called(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        strategy = self._strategy
        context = ProcessReplicaContext(strategy, self._group)
        given, named = selected(0, tuple(args)), selected(0, dict(kwargs or {}))
        with recording(), entered(strategy, context), creators_within(strategy._created), strategy._placed():
            return fn(*given, **named)

    def _reduce(self, op: ReduceOp, value: Any, axis: Any) -> Any:
        return nest.map_structure(lambda leaf: self._reduced(op, leaf, axis), value)

    def _reduced(self, op: ReduceOp, value: Any, axis: Any) -> Any:
        """One leaf `value`, reduced over the replicas, and along `axis` if it has one."""
        if isinstance(value, ReplicatedVariable):
            return value._reduced(op)
        tensor = convert_to_tensor(selected(0, value))
        # Keras reduces scalars along axis 0, which TensorFlow refuses: `fit` fails there.
        if axis is None or tensor.shape.rank == 0:
            return reduced(self._group, op, [tensor], self._timeout)[0]
        total = reduce_sum(tensor, axis)
        if op is ReduceOp.SUM:
            return summed(self._group, [total], self._timeout)[0]
        kind = float64 if total.dtype.is_integer else total.dtype
        number = cast(shape(tensor)[axis], kind)
        whole, count = summed(self._group, [cast(total, kind), number], self._timeout)
        return truediv(whole, count)

    def _total(self, op: ReduceOp, values: Any) -> Any:
        """The sum or the mean of the replicas' values, of which `values` has that of this process."""
        return reduced(self._group, op, [convert_to_tensor(value) for value in values], self._timeout)[0]

    def _gather(self, value: Any, axis: int) -> Any:
        return nest.map_structure(lambda leaf: gathered(self._group, leaf, axis, self._timeout), selected(0, value))

    def _local_results(self, value: Any) -> tuple[Any, ...]:
        return local_results(value, 1)

    def _distributed_dataset(self, dataset: Any, options: Any) -> Any:
        del options
        return sharded(dataset, self._group)

    def _distributed_from_function(self, dataset_fn: Callable[[InputContext], Any], options: Any) -> Any:
        if options is not None and options.experimental_replication_mode is InputReplicationMode.PER_REPLICA:
            raise NotImplementedError(
                "InputReplicationMode.PER_REPLICA is only supported in `distribute_datasets_from_function` of "
                "tf.distribute.MirroredStrategy"
            )
        count = self._group.count
        return in_step(dataset_fn(InputContext(count, self._group.index, count)), self._group)

    def _values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        return PerReplica((value_fn(ValueContext(self._group.index, self._group.count)),))

    def _made(self, make: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """The variable for the `arguments` of `tf.Variable`: its first value is that of the first process."""

        def make_equal(**given: Any) -> Any:
            if given.get("initial_value") is None:
                return make(**given)
            return make(**{**given, "initial_value": lambda: self._first_value(given)})

        return super()._made(make_equal, arguments)

    def _first_value(self, arguments: dict[str, Any]) -> Any:
        value = arguments["initial_value"]
        value = value() if callable(value) else value
        return of_first(self._group, convert_to_tensor(value, arguments.get("dtype"), name="initial_value"))

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """`value`, reduced over the replicas. Raises ValueError for an unknown `reduce_op`."""
        return self.batch_reduce_to(reduce_op, [(value, destinations)], options)[0]

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """The values of pairs of value and destination, each reduced over the replicas."""
        timeout = self._timeout if options is None else options.timeout_seconds
        op, values = reduce_op_of(reduce_op), [value for value, _ in value_destination_pairs]
        if any(isinstance(value, ReplicatedVariable) for value in values):
            return [self._reduce(op, value, None) for value in values]
        return reduced(self._group, op, [_tensor(selected(0, value)) for value in values], timeout)

    def _everywhere(self, value: Any) -> Any:
        return value


def _tensor(value: Any) -> Any:
    return value if isinstance(value, IndexedSlices) else convert_to_tensor(value)
