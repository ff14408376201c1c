"""`tf.distribute.StrategyExtended`: the interface of a strategy for libraries."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from tfcompat._core.types import nest
from tfcompat._distribute.input import DistributedDataset, InputContext, ValueContext, require_whole
from tfcompat._distribute.reduction import ReduceOp, reduce_op_of, reduced
from tfcompat._distribute.replica_context import ReplicaContext, first_replica
from tfcompat._distribute.stack import Entry, called, entered
from tfcompat._state.variable import Variable


class StrategyExtended:
    """Methods of a strategy with one replica that libraries call.

    Source: TF 2.21 `tf.distribute.StrategyExtended`.
    """

    experimental_require_static_shapes = False
    experimental_between_graph = False
    experimental_should_init = True
    should_checkpoint = True
    should_save_summary = True
    # Keras' question whether batch sizes are those of all replicas together.
    _global_batch_size = True
    # The job and the number of this process in a cluster. Keras 2 names folders of processes by the number.
    _task_type: str | None = None
    _task_id: int | None = None

    # TensorFlow's name of the device of the replica.
    _devices: tuple[str, ...] = ()

    # The state of the only replica, once it has run, and the class of its context.
    _entry: Entry | None = None
    _replica_kind: type[ReplicaContext] = ReplicaContext

    def __init__(self, container_strategy: Any) -> None:
        self._strategy = container_strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """TensorFlow's name of the device of the replica."""
        return self._devices

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """TensorFlow's name of the device of the variables."""
        return self.worker_devices

    @property
    def _num_replicas_in_sync(self) -> int:
        return 1

    def _run(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """The result of `fn` in the only replica."""
        strategy, entry = self._strategy, self._entry
        if entry is None:
            entry = self._entry = Entry.of(strategy, first_replica(strategy, self._replica_kind))
        with strategy._placed():
            return called(fn, args, kwargs or {}, entry)

    def _reduce(self, op: ReduceOp, value: Any, axis: Any) -> Any:
        return reduced(op, value, axis)

    def _gather(self, value: Any, axis: int) -> Any:
        del axis
        return value

    def _distributed_dataset(self, dataset: Any, options: Any) -> Any:
        require_whole(options)
        return DistributedDataset._of(dataset)

    def _distributed_from_function(self, dataset_fn: Callable[[InputContext], Any], options: Any) -> Any:
        del options
        return DistributedDataset._of(dataset_fn(InputContext()))

    def _values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        return value_fn(ValueContext())

    def _made(self, make: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """The variable for the `arguments` of `tf.Variable`."""
        made = make(**arguments)
        if isinstance(made, Variable):
            made._distribute_strategy = self._strategy
        return made

    def _in_multi_worker_mode(self) -> bool:
        """Whether the replicas are in several processes: False."""
        return False

    def _use_merge_call(self) -> bool:
        """Whether optimizers have to update variables in `merge_call`: False, one replica needs no reduction."""
        return False

    def colocate_vars_with(self, colocate_with_variable: Any) -> contextlib.AbstractContextManager[Any]:
        """A context for making variables on the device of another variable: there is one device."""
        del colocate_with_variable
        return contextlib.nullcontext()

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether the variable `v` was made in the scope of the strategy."""
        return getattr(v, "_distribute_strategy", None) is self._strategy

    def value_container(self, value: Any) -> Any:
        """The variable of which `value` is a component: `value`."""
        return value

    def non_slot_devices(self, var_list: Any) -> Any:
        """The devices for variables that belong to no other."""
        del var_list
        return self.worker_devices

    def call_for_each_replica(self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """The result of `fn(*args, **kwargs)` in the only replica."""
        return self._strategy.run(fn, args, kwargs)

    def update(self, var: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, group: bool = True) -> Any:
        """The result of `fn(component, *args, **kwargs)` for the only component of the variable `var`.

        It is called in cross-replica context; unless `group` each leaf of the result is in a tuple.
        """
        with entered(self._strategy, None):
            result = fn(component_of(var), *args, **(kwargs or {}))
        return result if group else nest.map_structure(self._local_results, result)

    def update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, group: bool = True
    ) -> Any:
        """The result of `fn(*args, **kwargs)`, called in cross-replica context."""
        del colocate_with
        with entered(self._strategy, None):
            result = fn(*args, **(kwargs or {}))
        return result if group else nest.map_structure(self._local_results, result)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """`value`, reduced over the only replica. Raises ValueError for an unknown `reduce_op`."""
        del destinations, options
        reduce_op_of(reduce_op)
        return value

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """The values of pairs of value and destination, each reduced over the only replica."""
        return [self.reduce_to(reduce_op, value, target, options) for value, target in value_destination_pairs]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """`tensor`, which is where it is needed."""
        del destinations
        return tensor

    def read_var(self, v: Any) -> Any:
        """The value of the variable `v`."""
        return v.read_value()

    def _local_results(self, value: Any) -> tuple[Any, ...]:
        return (value,)


def component_of(value: Any) -> Any:
    """The only component of a value that is distributed."""
    return value.values[0] if hasattr(type(value), "distribute_strategy") else value


# TensorFlow's name, which programs print.
StrategyExtended.__name__ = StrategyExtended.__qualname__ = "StrategyExtendedV2"
