"""`tf.distribute.Strategy`: how a program is spread over replicas, of which there is one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from typing import Any

from tfcompat._distribute.extended import StrategyExtended
from tfcompat._distribute.input import DistributedDataset, InputContext, ValueContext
from tfcompat._distribute.reduction import reduce_op_of, reduced
from tfcompat._distribute.replica_context import first_replica
from tfcompat._distribute.stack import entered, require_cross_replica, top
from tfcompat._state.creator import variable_creator_scope
from tfcompat._state.variable import Variable


class Strategy:
    """A strategy with one replica.

    Source: TF 2.21 `tf.distribute.Strategy`.
    """

    # Coordinators belong to parameter servers.
    _should_use_with_coordinator = False

    def __init__(self, extended: StrategyExtended) -> None:
        self._extended = extended

    @property
    def extended(self) -> StrategyExtended:
        """The interface for libraries."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """1, the number of replicas."""
        return self._extended._num_replicas_in_sync

    @property
    def cluster_resolver(self) -> None:
        """None: the strategy has one process."""
        return None

    @contextlib.contextmanager
    def scope(self) -> Generator[Any]:
        """A context in which the strategy is that of `tf.distribute.get_strategy`, and makes the variables.

        Raises: RuntimeError in a replica context, or in the scope of another strategy.
        """
        require_cross_replica(self)
        with entered(self, None), variable_creator_scope(self._created), self._placed():
            yield self

    def run(self, fn: Any, args: Any = (), kwargs: Any = None, options: Any = None) -> Any:
        """The result of `fn(*args, **kwargs)`, called in replica context.

        Raises: RuntimeError in a replica context, or in the scope of another strategy; TypeError if `fn` cannot be
          called; ValueError if `args` is not a list or tuple.
        """
        del options
        _require_arguments(fn, args)
        require_cross_replica(self)
        with entered(self, first_replica(self)), variable_creator_scope(self._created), self._placed():
            return fn(*args, **(kwargs or {}))

    def reduce(self, reduce_op: Any, value: Any, axis: Any) -> Any:
        """`value`, reduced over the only replica, and along `axis` unless that is None.

        Raises: ValueError for an unknown `reduce_op`; RuntimeError in a replica context.
        """
        require_cross_replica(self)
        return reduced(reduce_op_of(reduce_op), value, axis)

    def gather(self, value: Any, axis: int) -> Any:
        """`value`, gathered along `axis` from the only replica. Raises RuntimeError in a replica context."""
        del axis
        frame = top()
        if frame is not None and frame.replica is not None:
            raise RuntimeError(
                "tf.distribute.Strategy.gather method requires cross-replica context, use "
                "get_replica_context().all_gather() instead"
            )
        return value

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The components of `value`, of which there is one."""
        return self._extended._local_results(value)

    def unwrap(self, value: Any) -> tuple[Any, ...]:
        """The components of `value`, of which there is one; an old name of `experimental_local_results`."""
        return self.experimental_local_results(value)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """The dataset whose elements are those of `dataset` on the device of the strategy."""
        del options
        return DistributedDataset._of(dataset)

    def distribute_datasets_from_function(self, dataset_fn: Callable[[InputContext], Any], options: Any = None) -> Any:
        """The dataset `dataset_fn(context)`, whose elements are those of the only replica."""
        del options
        return DistributedDataset._of(dataset_fn(InputContext()))

    def experimental_distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: Any = None
    ) -> Any:
        """The same as `distribute_datasets_from_function`: its older name."""
        return self.distribute_datasets_from_function(dataset_fn, options)

    def experimental_distribute_values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        """The value `value_fn(context)` for the only replica."""
        return value_fn(ValueContext())

    def _created(self, make: Callable[..., Any], **arguments: Any) -> Any:
        """The variable that is made in the scope for the `arguments` of `tf.Variable`."""
        made = make(**arguments)
        if isinstance(made, Variable):
            made._distribute_strategy = self
        return made

    def _placed(self) -> contextlib.AbstractContextManager[None]:
        """A context that computes on the device of the strategy."""
        return contextlib.nullcontext()

    def __deepcopy__(self, memo: dict[int, Any]) -> Strategy:
        del memo
        return self


def _require_arguments(fn: Any, args: Any) -> None:
    if not callable(fn):
        raise TypeError(f"{type(fn).__name__!r} object is not callable")
    if not isinstance(args, (list, tuple)):
        raise ValueError(f"positional args must be a list or tuple, got {type(args)}")
