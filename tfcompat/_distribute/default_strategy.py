"""The default strategy, and which strategy and context code runs in."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from typing import Any, NoReturn

from tfcompat._distribute.extended import StrategyExtended
from tfcompat._distribute.input import InputContext
from tfcompat._distribute.repeated_update import repeats
from tfcompat._distribute.replica_context import DefaultReplicaContext, ReplicaContext
from tfcompat._distribute.stack import Frame, top
from tfcompat._distribute.strategy import Strategy
from tfcompat._function.functions.rewriting import rewritten_within


class _DefaultDistributionExtended(StrategyExtended):
    """The default strategy's answers to libraries."""

    @property
    def worker_devices(self) -> NoReturn:
        """Raises RuntimeError, as in TensorFlow."""
        raise RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.")

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether the variable `v` was made outside of all strategies."""
        return getattr(v, "_distribute_strategy", None) is None


class _DefaultDistributionStrategy(Strategy):
    """The strategy of code outside of all strategies: one replica, and code is always in replica context."""

    is_default = True

    def __init__(self) -> None:
        super().__init__(_DefaultDistributionExtended(self))

    @contextlib.contextmanager
    def scope(self) -> Generator[Any]:
        """A context that changes nothing. Raises RuntimeError in the scope of another strategy."""
        if has_strategy():
            raise RuntimeError("Mixing different tf.distribute.Strategy objects.")
        yield self

    def run(self, fn: Any, args: Any = (), kwargs: Any = None, options: Any = None) -> Any:
        """The result of `fn(*args, **kwargs)`."""
        del options
        return rewritten_within(fn)(*args, **(kwargs or {}))

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """`dataset`."""
        del options
        return dataset

    def distribute_datasets_from_function(self, dataset_fn: Callable[[InputContext], Any], options: Any = None) -> Any:
        """The dataset `dataset_fn(context)`."""
        del options
        return dataset_fn(InputContext())


_default = _DefaultDistributionStrategy()
_default_replica = DefaultReplicaContext(_default)


class _Global:
    """The strategy for code outside of all scopes, if the program has set one."""

    strategy: Strategy | None = None


_global = _Global()


def _frame() -> Frame:
    frame = top()
    if frame is not None:
        return frame
    return Frame(_default, _default_replica) if _global.strategy is None else Frame(_global.strategy, None)


def get_strategy() -> Any:
    """The strategy in whose scope or replica the code runs; the default strategy outside of all.

    Source: TF 2.21 `tf.distribute.get_strategy`.
    """
    return _frame().strategy


def has_strategy() -> bool:
    """Whether the strategy is another one than the default strategy.

    Source: TF 2.21 `tf.distribute.has_strategy`.
    """
    return _frame().strategy is not _default


def in_cross_replica_context() -> bool:
    """Whether code runs for all replicas at once, in the scope of a strategy.

    Source: TF 2.21 `tf.distribute.in_cross_replica_context`.
    """
    return _frame().replica is None


def get_replica_context() -> ReplicaContext | None:
    """The context of the replica in which code runs; None in cross-replica context.

    Source: TF 2.21 `tf.distribute.get_replica_context`.
    """
    return _frame().replica


def experimental_set_strategy(strategy: Any) -> None:
    """Makes `strategy` that of all code outside of scopes; None makes it the default strategy again.

    Raises: RuntimeError in the scope of a strategy.
    Source: TF 2.21 `tf.distribute.experimental_set_strategy`.
    """
    if top() is not None:
        raise RuntimeError("Must not be called inside a `tf.distribute.Strategy` scope.")
    _global.strategy = strategy


def maybe_merge_call(fn: Callable[..., Any], strategy: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of `fn(strategy, *args, **kwargs)`, called by `merge_call` where replicas have to meet for it.

    Raises: AttributeError in the scope of a strategy with several replicas, outside of `run`.
    Source: TF 2.21 `tf.__internal__.distribute.interim.maybe_merge_call`.
    """
    if strategy_supports_no_merge_call():
        return None if not kwargs and repeats(fn, strategy, args) else fn(strategy, *args, **kwargs)
    context: Any = get_replica_context()  # None in a scope, which is TensorFlow's error, too
    return context.merge_call(fn, args, kwargs)


def variable_sync_on_read_context() -> contextlib.AbstractContextManager[None]:
    """A context in which variables with a value for each replica are read as their sum: there is one replica.

    Source: TF 2.21 `tf.__internal__.distribute.variable_sync_on_read_context`.
    """
    return contextlib.nullcontext()


def strategy_supports_no_merge_call() -> bool:
    """Whether optimizers may update variables in replica context: False with several replicas.

    Source: TF 2.21 `tf.__internal__.distribute.strategy_supports_no_merge_call`.
    """
    return not get_strategy().extended._use_merge_call()
