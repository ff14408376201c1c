"""How values are reduced over devices. XLA chooses the way; the classes differ in their names only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._distribute.collective import copies, total
from tfcompat._distribute.reduction import ReduceOp
from tfcompat._distribute.values import DistributedValues


class CrossDeviceOps:
    """How values are reduced over devices. Source: TF 2.21 `tf.distribute.CrossDeviceOps`."""

    def reduce(self, reduce_op: ReduceOp, per_replica_value: Any, destinations: Any, options: Any = None) -> Any:
        """`per_replica_value`, reduced, for each of `destinations`: a distributed value, or the name of a device.

        Dtypes: a mean of integers is float64.
        Raises: ValueError unless `reduce_op` is a `tf.distribute.ReduceOp`.
        """
        del options
        if not isinstance(reduce_op, ReduceOp):
            raise ValueError(f"tf.distribute.CrossDeviceOps.reduce: reduce_op must be a ReduceOp, got {reduce_op!r}")
        is_distributed = isinstance(per_replica_value, DistributedValues)
        values = per_replica_value.values if is_distributed else (per_replica_value,)
        return self.broadcast(total(reduce_op, values), destinations)

    def batch_reduce(self, reduce_op: ReduceOp, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """The values of pairs of value and destinations, each as by `reduce`. Raises ValueError for no pairs."""
        if not all(isinstance(pair, Sequence) and len(pair) == 2 for pair in value_destination_pairs):
            raise ValueError("tf.distribute.CrossDeviceOps.batch_reduce: pairs of value and destinations are needed.")
        return [self.reduce(reduce_op, value, target, options) for value, target in value_destination_pairs]

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """`tensor` for each of `destinations`."""
        value = tensor if hasattr(tensor, "dtype") else convert_to_tensor(tensor)
        count = len(destinations.values) if isinstance(destinations, DistributedValues) else 1
        return copies(value, count) if count > 1 else value


class ReductionToOneDevice(CrossDeviceOps):
    """Reduction on one device. Source: TF 2.21 `tf.distribute.ReductionToOneDevice`."""

    def __init__(self, reduce_to_device: str | None = None, accumulation_fn: object = None) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn


class _Packed(CrossDeviceOps):
    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"NCCL all-reduce requires num_packs >= 0, but {num_packs} is specified")
        self._num_packs = num_packs


class NcclAllReduce(_Packed):
    """Reduction by NCCL. Source: TF 2.21 `tf.distribute.NcclAllReduce`."""


class HierarchicalCopyAllReduce(_Packed):
    """Reduction in a hierarchy of devices. Source: TF 2.21 `tf.distribute.HierarchicalCopyAllReduce`."""
