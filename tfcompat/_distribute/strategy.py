"""`tf.distribute.Strategy`: how a program is spread over replicas."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from typing import Any

from tfcompat._distribute.extended import StrategyExtended
from tfcompat._distribute.input import InputContext, ValueContext
from tfcompat._distribute.reduction import reduce_op_of
from tfcompat._distribute.stack import entered, require_cross_replica, top
from tfcompat._function.functions.rewriting import rewritten_within
from tfcompat._state.creator import creators_within


class Strategy:
    """A strategy, whose interface for libraries (see `extended`) decides what its methods do.

    Source: TF 2.21 `tf.distribute.Strategy`.
    """

    # Whether it is the strategy of code outside of all strategies.
    is_default = False
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
        """The number of replicas."""
        return self._extended._num_replicas_in_sync

    @property
    def cluster_resolver(self) -> Any:
        """The resolver of the cluster; None for a strategy in one process."""
        return None

    @contextlib.contextmanager
    def scope(self) -> Generator[Any]:
        """A context in which the strategy is that of `tf.distribute.get_strategy`, and makes the variables.

        Raises: RuntimeError in a replica context, or in the scope of another strategy.
        """
        require_cross_replica(self)
        with entered(self, None), creators_within(self._created), self._placed():
            yield self

    def run(self, fn: Any, args: Any = (), kwargs: Any = None, options: Any = None) -> Any:
        """The result of `fn(*args, **kwargs)`, called in each replica, as a structure of distributed values.

        In a replica, distributed arguments are their components.

        Raises: RuntimeError in a replica context, or in the scope of another strategy; TypeError if `fn` cannot be
          called; ValueError if `args` is not a list or tuple.
        """
        del options
        _require_arguments(fn, args)
        require_cross_replica(self)
        return self._extended._run(rewritten_within(fn), args, kwargs)

    def reduce(self, reduce_op: Any, value: Any, axis: Any) -> Any:
        """`value`, reduced over the replicas, and along `axis` unless that is None.

        Dtypes: a mean of integers is float64.

        Raises: ValueError for an unknown `reduce_op`; RuntimeError in a replica context.
        """
        require_cross_replica(self)
        return self._extended._reduce(reduce_op_of(reduce_op), value, axis)

    def gather(self, value: Any, axis: int) -> Any:
        """The components of `value`, joined along `axis`. Raises RuntimeError in a replica context."""
        frame = top()
        if frame is not None and frame.replica is not None:
            raise RuntimeError(
                "tf.distribute.Strategy.gather method requires cross-replica context, use "
                "get_replica_context().all_gather() instead"
            )
        return self._extended._gather(value, axis)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The components of `value`; a tuple of `value` if it has none."""
        return self._extended._local_results(value)

    def unwrap(self, value: Any) -> tuple[Any, ...]:
        """The same as `experimental_local_results`: an old name."""
        return self.experimental_local_results(value)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """The dataset whose elements are those of `dataset`, cut into equal parts for the replicas."""
        return self._extended._distributed_dataset(dataset, options)

    def distribute_datasets_from_function(self, dataset_fn: Callable[[InputContext], Any], options: Any = None) -> Any:
        """The dataset `dataset_fn(context)`, of which each replica receives the next element."""
        return self._extended._distributed_from_function(dataset_fn, options)

    def experimental_distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: Any = None
    ) -> Any:
        """The same as `distribute_datasets_from_function`: its older name."""
        return self.distribute_datasets_from_function(dataset_fn, options)

    def experimental_distribute_values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        """The values `value_fn(context)` for the context of each replica."""
        return self._extended._values_from_function(value_fn)

    def _created(self, make: Callable[..., Any], **arguments: Any) -> Any:
        """The variable that is made in the scope for the `arguments` of `tf.Variable`."""
        return self._extended._made(make, arguments)

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
