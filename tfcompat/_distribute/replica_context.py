"""`tf.distribute.ReplicaContext`: code in one replica of a strategy, of which there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._autodiff.suspension import unrecorded
from tfcompat._core.calls.convert import constant, convert_to_tensor, is_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import int32
from tfcompat._distribute.reduction import reduce_op_of
from tfcompat._distribute.stack import entered

_TENSOR = frozenset((Tensor,))


class ReplicaContext:
    """The context of code that runs in the only replica of a strategy.

    Source: TF 2.21 `tf.distribute.ReplicaContext`.
    """

    _replica_id: Any

    def __init__(self, strategy: Any, replica_id_in_sync_group: Any) -> None:
        self._strategy = strategy
        self._replica_id = replica_id_in_sync_group
        # The number of its component of distributed values in this process, and its number among all replicas.
        self._number = self._place = 0

    def __enter__(self) -> ReplicaContext:
        return self

    def __exit__(self, *exception: Any) -> None:
        del exception

    @property
    def strategy(self) -> Any:
        """The strategy."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """1, the number of replicas."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> Any:
        """0, as a tensor of int32; a number of Python in the default strategy."""
        return self._replica_id

    @property
    def devices(self) -> Any:
        """TensorFlow's name of the device of the replica."""
        return self._strategy.extended.worker_devices

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        """The result of `merge_fn(strategy, *args, **kwargs)`, called in cross-replica context."""
        with entered(self._strategy, None):
            return merge_fn(self._strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """`value`, reduced over the only replica. Raises ValueError for an unknown `reduce_op`."""
        del options
        reduce_op_of(reduce_op)
        return _as_composites(value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """`value`, gathered along `axis` from the only replica."""
        del axis, options
        return _as_composites(value)


def _as_composites(structure: Any) -> Any:
    """`structure`, whose leaves are tensors, or made of several."""
    kind = type(structure)
    if (kind is list or kind is tuple) and _TENSOR.issuperset(map(type, structure)):
        return kind(structure)
    return nest.map_structure(_as_composite, structure)


def _as_composite(value: Any) -> Any:
    """`value` as a tensor, unless it is one already, or made of several."""
    return value if is_tensor(value) else convert_to_tensor(value)


class OfDevices(ReplicaContext):
    """The context of a replica of a strategy that has a list of devices."""

    @property
    def devices(self) -> Any:
        """TensorFlow's name of the device of the replica, in a list of a list."""
        return [[self._strategy.extended.worker_devices[self._number]]]


class UnrecordedMerges(OfDevices):
    """The context of a replica whose tapes do not record merged functions: TensorFlow calls these in another thread."""

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        """As in other contexts. Gradient: None through the ops of `merge_fn`."""
        with unrecorded():
            return super().merge_call(merge_fn, args, kwargs)


def first_replica(strategy: Any, kind: type[ReplicaContext] = ReplicaContext) -> ReplicaContext:
    """The context of a `kind` for the only replica of `strategy`, whose number is a tensor."""
    return kind(strategy, constant(0, int32))


class DefaultReplicaContext(ReplicaContext):
    """The context of code outside of all strategies."""

    def __init__(self, strategy: Any) -> None:
        super().__init__(strategy, 0)

    @property
    def devices(self) -> tuple[str, ...]:
        """Empty text: code runs where `tf.device` says."""
        return ("",)


# TensorFlow's names, which programs print.
UnrecordedMerges.__name__ = UnrecordedMerges.__qualname__ = "_MirroredReplicaContext"
DefaultReplicaContext.__name__ = DefaultReplicaContext.__qualname__ = "_DefaultReplicaContext"
