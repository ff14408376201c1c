"""`tf.distribute.StrategyExtended` of strategies with several replicas."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor, is_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.device_spec import DeviceSpec
from tfcompat._core.types import nest
from tfcompat._distribute.collective import copies, gathered, reduced, reduced_along, total
from tfcompat._distribute.extended import StrategyExtended
from tfcompat._distribute.grouping import container_of, local_results, mirrored, regroup, selected
from tfcompat._distribute.input import InputContext, InputOptions, InputReplicationMode, ValueContext, require_whole
from tfcompat._distribute.mark import for_all, marked
from tfcompat._distribute.reduction import ReduceOp, reduce_op_of
from tfcompat._distribute.replica_run import call_in_replicas
from tfcompat._distribute.replicated_input import cut, in_turns, side_by_side
from tfcompat._distribute.replicated_variable import MirroredVariable, ReplicatedVariable
from tfcompat._distribute.stack import entered, require_cross_replica, top
from tfcompat._distribute.sync_on_read import SyncOnReadVariable
from tfcompat._distribute.values import DistributedValues, Mirrored, PerReplica
from tfcompat._dropin.device import find
from tfcompat._function.functions.function import Function
from tfcompat._state.creator import creators_within
from tfcompat._state.variable import AssignedVariable, Variable, VariableAggregation, VariableSynchronization


class ReplicatedExtended(StrategyExtended):
    """Methods of a strategy with several replicas that libraries call."""

    def __init__(self, container_strategy: Any, devices: tuple[str, ...]) -> None:
        super().__init__(container_strategy)
        self._devices = devices

    @property
    def _num_replicas_in_sync(self) -> int:
        return len(self._devices)

    @property
    def _places(self) -> range:
        """The numbers of the replicas of this process among all replicas."""
        return range(len(self._devices))

    @functools.cached_property
    def _spread(self) -> tuple[Any, ...] | None:
        """JAX's device for each replica; None if some do not exist, so that all replicas are computed on one device."""
        specs = map(DeviceSpec.from_string, self._devices)
        found = tuple([find(spec.device_type or "", spec.device_index or 0) for spec in specs])
        is_possible = None not in found and len(set(found)) == len(found)
        return found if is_possible and len({device.platform for device in found if device}) == 1 else None

    def _use_merge_call(self) -> bool:
        """Whether optimizers have to update variables in `merge_call`: True."""
        return True

    def _run(self, fn: Any, args: Any, kwargs: Any) -> Any:
        if isinstance(fn, Function):
            return self._lifted(fn)(*args, **(kwargs or {}))
        return self._called(fn, args, kwargs)

    def _called(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """The results of `fn` in the replicas of this process."""
        return call_in_replicas(self._strategy, fn, args, kwargs)

    def _lifted(self, function: Function) -> Function:
        """A decorated function that runs the Python function of `function` in the replicas."""
        known = function._traces.lifted.get(self._strategy)
        if known is None:

            def in_replicas(*args: Any, **kwargs: Any) -> Any:
                return self._called(function._converted(), args, kwargs)

            known = function._traces.lifted[self._strategy] = function._lifted(in_replicas)
        return known

    def _reduce(self, op: ReduceOp, value: Any, axis: Any) -> Any:
        count = self._num_replicas_in_sync
        if axis is not None:
            return nest.map_structure(lambda leaf: reduced_along(op, leaf, axis, count), value)
        if isinstance(value, ReplicatedVariable):
            found = value._reduced(op)
            return value.values[0] if found is value else found

        def reduced_leaf(leaf: Any) -> Any:
            # In a structure TensorFlow reduces variables as other values.
            is_variable = isinstance(leaf, ReplicatedVariable)
            return total(op, list(map(convert_to_tensor, leaf.values))) if is_variable else reduced(op, leaf, count)

        return nest.map_structure(reduced_leaf, value)

    def _total(self, op: ReduceOp, values: Sequence[Any]) -> Any:
        """The sum or the mean of `values`, those of the components of a variable in this process."""
        return total(op, values)

    def _gather(self, value: Any, axis: int) -> Any:
        return nest.map_structure(lambda leaf: gathered(leaf, axis), value)

    def _sizes(self, value: Any, axis: int) -> list[int]:
        """The sizes along `axis` of the components of `value` in all replicas."""
        return [part.shape[axis] for part in value.values]

    def _local_results(self, value: Any) -> tuple[Any, ...]:
        return local_results(value, len(self._devices))

    def _distributed_dataset(self, dataset: Any, options: InputOptions | None) -> Any:
        require_whole(options)
        return cut(dataset, self._num_replicas_in_sync)

    def _distributed_from_function(self, dataset_fn: Callable[[InputContext], Any], options: Any) -> Any:
        count = self._num_replicas_in_sync
        mode = None if options is None else options.experimental_replication_mode
        if mode is InputReplicationMode.PER_REPLICA:
            contexts = [InputContext(count, number, count) for number in range(count)]
            return side_by_side([dataset_fn(context) for context in contexts])
        return in_turns(dataset_fn(InputContext(1, 0, count)), count)

    def _values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        count = self._num_replicas_in_sync
        return regroup([value_fn(ValueContext(number, count)) for number in range(count)], PerReplica, wraps_all=True)

    def _made(self, make: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """The variable for the `arguments` of `tf.Variable`: one component for each replica, equal at first."""
        frame = top()
        replica = None if frame is None else frame.replica
        name = arguments.get("name")
        if replica is not None and replica._number:
            return replica.variables.next(replica._number, name)
        _require_known(arguments)
        with contextlib.nullcontext() if replica is None else for_all(self._spread, replica._number):
            first = make(**arguments)
            if isinstance(first, Variable):
                _require_exact_mean(first)
            if not isinstance(first, Variable) or first._distribute_strategy is not None:
                return first
            made = self._of_components([first, *self._copies(first, make, arguments)])
        if replica is not None:
            replica.variables.add(name, made)
        return made

    def _copies(self, first: Variable, make: Callable[..., Any], arguments: dict[str, Any]) -> list[Variable]:
        """The components of the other replicas of this process, equal to `first`."""
        return [
            make(**{**arguments, "initial_value": first.value(), "dtype": first.dtype, "shape": first.shape})
            for _ in self._devices[1:]
        ]

    def _of_components(self, components: list[Variable]) -> ReplicatedVariable:
        first = components[0]
        is_late = first.synchronization is VariableSynchronization.ON_READ
        for component in components:
            component._distribute_strategy = self._strategy
            if component.synchronization is VariableSynchronization.AUTO:
                component._synchronization = VariableSynchronization.ON_WRITE
        return (SyncOnReadVariable if is_late else MirroredVariable).of(self._strategy, components)

    def value_container(self, value: Any) -> Any:
        """The variable of which `value` is a component, or else `value`."""
        return container_of(value)

    def call_for_each_replica(self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """The results of `fn(*args, **kwargs)` in each replica."""
        return self._run(fn, args, kwargs)

    def update(self, var: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, group: bool = True) -> Any:
        """The results of `fn(component, *args, **kwargs)` for each component of the variable `var`.

        It is called in cross-replica context, with the component of each distributed argument. In a replica this is a
        `merge_call`: replicas that update a variable meet, and it is updated once. Unless `group`, each leaf of the
        results is a tuple of the leaves of all components.

        Raises: RuntimeError in the scope of another strategy; in a replica as `merge_call`.
        """
        frame = top()
        if frame is not None and frame.replica is not None:

            def merge(_: Any, *given: Any, **named: Any) -> Any:
                return self.update(var, fn, given, named, group)

            return frame.replica.merge_call(merge, args, kwargs)
        if frame is not None and not frame.strategy.is_default:
            require_cross_replica(self._strategy)
        with creators_within(self._strategy._created):
            return self._updated(var, fn, tuple(args), dict(kwargs or {}), group=group)

    def _updated(self, var: Any, fn: Callable[..., Any], args: Any, kwargs: Any, *, group: bool) -> Any:
        assert isinstance(var, ReplicatedVariable), f"tf.distribute: {var!r} was not made in the scope of the strategy"
        return self._of_each(fn, [(component,) for component in var.values], args, kwargs, group=group)

    def update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, group: bool = True
    ) -> Any:
        """The results of `fn(*args, **kwargs)` for each of the devices `colocate_with`, grouped as those of `update`.

        Raises: RuntimeError in a replica context, or in the scope of another strategy.
        """
        require_cross_replica(self._strategy)
        assert isinstance(colocate_with, tuple)
        with creators_within(self._strategy._created):
            return self._of_each(fn, [()] * len(colocate_with), tuple(args), dict(kwargs or {}), group=group)

    def _of_each(self, fn: Callable[..., Any], firsts: Sequence[Any], args: Any, kwargs: Any, *, group: bool) -> Any:
        """The results of `fn(*first, *args, **kwargs)` for each component, in cross-replica context."""
        results: list[Any] = []
        for number, first in enumerate(firsts):
            with entered(self._strategy, None, number), marked(self._spread, number):
                results.append(fn(*first, *selected(number, args), **selected(number, kwargs)))
        if group:
            return regroup(results, _grouped)
        return nest.map_structure(self._local_results, mirrored(results))

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """`value`, reduced over the replicas: for each replica, or once if `destinations` is the name of a device.

        Raises: ValueError for an unknown `reduce_op`.
        """
        del options
        op, count = reduce_op_of(reduce_op), self._num_replicas_in_sync
        result = nest.map_structure(lambda leaf: reduced(op, leaf, count), value)
        return result if isinstance(destinations, str) else nest.map_structure(self._everywhere, result)

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """The values of pairs of value and destination, each reduced over the replicas.

        A value that is the same object in all replicas stays as it is: it has one component.
        """
        del options
        op, count = reduce_op_of(reduce_op), self._num_replicas_in_sync
        return [
            self._everywhere(reduced(op, value, count) if isinstance(value, DistributedValues) else value)
            for value, _ in value_destination_pairs
        ]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """The structure `tensor`, for each replica."""
        del destinations
        return nest.map_structure(self._everywhere, tensor)

    def _everywhere(self, value: Any) -> Any:
        if type(value) is Tensor:  # the same as below, in less time
            return copies(value, len(self._devices))
        if isinstance(value, DistributedValues) or not hasattr(value, "dtype"):
            return value
        return copies(value, len(self._devices))


def _grouped(values: tuple[Any, ...]) -> Any:
    """The value whose components are the results of updates; None if they are not tensors."""
    if not all(map(is_tensor, values)):
        return None
    return Mirrored(tuple([each.value() if isinstance(each, AssignedVariable) else each for each in values]))


def _require_exact_mean(variable: Variable) -> None:
    """Raises ValueError for integers that are to be averaged."""
    if variable.aggregation is VariableAggregation.MEAN and not variable.dtype.is_floating:
        raise ValueError(
            "creating distributed tf.Variable with aggregation=MEAN and a non-floating dtype is not supported, please "
            "use a different aggregation or dtype"
        )


def _require_known(arguments: dict[str, Any]) -> None:
    """Raises ValueError for a synchronization or aggregation that strategies do not have."""
    name, aggregation, synchronization = map(arguments.get, ("name", "aggregation", "synchronization"))
    if isinstance(synchronization, str):
        raise ValueError(f"Invalid variable synchronization mode: {synchronization} for variable: {name}")
    if synchronization is VariableSynchronization.NONE:
        raise ValueError(
            "`NONE` variable synchronization mode is not supported with tf.distribute strategy. Please change the "
            f"`synchronization` for variable: {name}"
        )
    if isinstance(aggregation, str):
        raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {name}")
