"""`tf.distribute.StrategyExtended` of a strategy with replicas in each of several processes.

A process with several replicas reduces the values of its own ones first, and exchanges the result with the others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core.calls.convert import constant, convert_to_tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.system.processes.group import Group
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import float32, float64, int32
from tfcompat._distribute.between_processes import equal_everywhere, gathered, of_first, summed
from tfcompat._distribute.collective import gathered as gathered_here
from tfcompat._distribute.collective import reduced_alike, total
from tfcompat._distribute.grouping import is_distributed, regroup, selected
from tfcompat._distribute.input import InputContext, ValueContext, require_whole
from tfcompat._distribute.process_context import ProcessReplicaContext, reduced
from tfcompat._distribute.process_input import in_step, sharded
from tfcompat._distribute.reduction import ReduceOp, reduce_op_of, size_along
from tfcompat._distribute.replica_run import recording
from tfcompat._distribute.replicated_extended import ReplicatedExtended
from tfcompat._distribute.replicated_variable import ReplicatedVariable
from tfcompat._distribute.stack import entered
from tfcompat._distribute.values import DistributedValues, PerReplica
from tfcompat._ops.elementwise.algebraic import truediv
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold.reduction import reduce_sum
from tfcompat._ops.indexed_slices.rows import IndexedSlices
from tfcompat._state.creator import creators_within


class ProcessesExtended(ReplicatedExtended):
    """Methods of a strategy with replicas in each process that libraries call."""

    experimental_between_graph = True

    def __init__(self, container_strategy: Any, group: Group, devices: tuple[str, ...], timeout: float | None) -> None:
        """The methods for a replica on each of `devices`; collectives take up to `timeout` seconds.

        Raises: InvalidArgumentError if another process has another number of devices.
        """
        super().__init__(container_strategy, devices)
        self._group = group
        self._timeout = timeout
        self.should_checkpoint = self.should_save_summary = group.index == 0
        if not equal_everywhere(group, len(devices)):
            raise InvalidArgumentError.of(
                f"tf.distribute.MultiWorkerMirroredStrategy: this process has {len(devices)} devices, and another one "
                "has not; let each process see as many (CUDA_VISIBLE_DEVICES)."
            )

    @functools.cached_property
    def _spread(self) -> tuple[Any, ...] | None:
        """As for replicas of one process; None for a single replica, which is computed on one device."""
        return super()._spread if len(self._devices) > 1 else None

    @property
    def _num_replicas_in_sync(self) -> int:
        return self._group.count * len(self._devices)

    @property
    def _places(self) -> range:
        """The numbers of the replicas of this process among all replicas."""
        count = len(self._devices)
        return range(self._group.index * count, (self._group.index + 1) * count)

    def _in_multi_worker_mode(self) -> bool:
        """Whether the replicas are in several processes: True."""
        return True

    def _called(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if len(self._devices) > 1:
            return super()._called(fn, args, kwargs)
        strategy = self._strategy
        context = ProcessReplicaContext(strategy, self._group)
        given, named = selected(0, tuple(args)), selected(0, dict(kwargs or {}))
        with recording(), entered(strategy, context), creators_within(strategy._created), strategy._placed():
            return fn(*given, **named)

    def _reduce(self, op: ReduceOp, value: Any, axis: Any) -> Any:
        if axis is None and isinstance(value, ReplicatedVariable):
            return value._reduced(op)
        return nest.map_structure(lambda leaf: self._reduced(op, leaf, axis), value)

    def _reduced(self, op: ReduceOp, value: Any, axis: Any) -> Any:
        """One leaf `value`, reduced over the replicas, and along `axis` if it has one."""
        count, has_components = len(self._devices), isinstance(value, DistributedValues)
        if count > 1 and axis is None and not has_components:
            return reduced_alike(op, value, count)
        parts = [convert_to_tensor(part) for part in (value.values if has_components else (value,) * count)]
        # Keras reduces scalars along axis 0, which TensorFlow refuses: `fit` fails there.
        if axis is None or parts[0].shape.rank == 0:
            return self._total(op, parts)
        sums = total(ReduceOp.SUM, [reduce_sum(part, axis) for part in parts])
        if op is ReduceOp.SUM:
            return summed(self._group, [sums], self._timeout)[0]
        kind = float64 if sums.dtype.is_integer else sums.dtype
        number = cast(total(ReduceOp.SUM, [size_along(part, axis) for part in parts]), kind)
        whole, number = summed(self._group, [cast(sums, kind), number], self._timeout)
        mean = truediv(whole, number)
        return cast(mean, float32) if sums.dtype.is_integer and sums.dtype.size < int32.size else mean

    def _total(self, op: ReduceOp, values: Any) -> Any:
        """The sum or the mean of the replicas' values, of which `values` has those of this process."""
        return self._totals(op, [values], self._timeout)[0]

    def _totals(self, op: ReduceOp, values: Sequence[Sequence[Any]], timeout: float | None) -> list[Any]:
        """The reductions over all replicas, in one exchange, of several values, of which each has its components."""
        own = [_tensor(parts[0]) if len(parts) == 1 else total(ReduceOp.SUM, parts) for parts in values]
        return reduced(self._group, op, own, timeout, count=self._num_replicas_in_sync)

    def _gather(self, value: Any, axis: int) -> Any:
        def joined(leaf: Any) -> Any:
            whole = gathered_here(leaf, axis) if len(self._devices) > 1 else selected(0, leaf)
            return gathered(self._group, whole, axis, self._timeout)

        return nest.map_structure(joined, value)

    def _sizes(self, value: Any, axis: int) -> list[int]:
        """The sizes along `axis` of the components of `value` in all replicas."""
        own = constant(super()._sizes(value, axis), int32)
        return gathered(self._group, own, 0, self._timeout).numpy().tolist()

    def _distributed_dataset(self, dataset: Any, options: Any) -> Any:
        require_whole(options)
        return sharded(dataset, self._group, len(self._devices))

    def _distributed_from_function(self, dataset_fn: Callable[[InputContext], Any], options: Any) -> Any:
        require_whole(options)
        context = InputContext(self._group.count, self._group.index, self._num_replicas_in_sync)
        return in_step(dataset_fn(context), self._group, len(self._devices))

    def _values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        count = self._num_replicas_in_sync
        return regroup([value_fn(ValueContext(place, count)) for place in self._places], PerReplica, wraps_all=True)

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
        """The values of pairs of value and destination, each reduced over the replicas.

        A value that is the same object in all replicas of a process has one component there.
        """
        timeout = self._timeout if options is None else options.timeout_seconds
        op, values = reduce_op_of(reduce_op), [value for value, _ in value_destination_pairs]
        if any(isinstance(value, ReplicatedVariable) for value in values):
            return [self._everywhere(self._reduce(op, value, None)) for value in values]
        parts = [value.values if is_distributed(value) else (value,) for value in values]
        return list(map(self._everywhere, self._totals(op, parts, timeout)))

    def _everywhere(self, value: Any) -> Any:
        return super()._everywhere(value) if len(self._devices) > 1 else value


def _tensor(value: Any) -> Any:
    return value if isinstance(value, IndexedSlices) else convert_to_tensor(value)


# TensorFlow's name, which programs print.
ProcessesExtended.__name__ = ProcessesExtended.__qualname__ = "CollectiveAllReduceExtended"
