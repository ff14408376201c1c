"""The context of the replica of this process, among those of several processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import constant, convert_to_tensor
from tfcompat._core.system.processes.group import Group
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import int32
from tfcompat._distribute.between_processes import gathered, summed
from tfcompat._distribute.collective import in_functions, require_collective
from tfcompat._distribute.gradient import through_replicas
from tfcompat._distribute.reduction import ReduceOp, reduce_op_of
from tfcompat._distribute.replica_context import UnrecordedMerges
from tfcompat._distribute.replica_run import SharedVariables, refuse_nested
from tfcompat._ops.array.joining import split
from tfcompat._ops.elementwise.algebraic import truediv
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.indexed_slices.rows import IndexedSlices


class ProcessReplicaContext(UnrecordedMerges):
    """The context of the only replica of this process.

    Its collectives have to be called alike in all processes.
    """

    def __init__(self, strategy: Any, group: Group) -> None:
        super().__init__(strategy, constant(group.index, int32))
        self._group = group
        self._place = group.index
        self._graph = here.graph
        self.variables = SharedVariables()

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        """The result of `merge_fn(strategy, *args, **kwargs)`, called in cross-replica context in each process.

        Gradient: None through the ops of `merge_fn`.
        Raises: RuntimeError in a branch, a loop or a function that is being traced.
        """
        self._require_top()
        return super().merge_call(merge_fn, args, kwargs)

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """`value`, a structure of tensors, reduced over the replicas of all processes.

        Shapes, Dtypes: those of `value`; a mean of integers is float64.
        Gradient: the same reduction of the gradients of all replicas.
        Raises: ValueError for an unknown `reduce_op`, and for values that are not tensors; InvalidArgumentError for
          other dtypes than TensorFlow's; UnavailableError if a process has ended.
        """
        self._require_top()
        op, timeout = reduce_op_of(reduce_op), timeout_of(options)
        flat = in_functions(nest.flatten(value))
        for leaf in flat:
            _require_tensor(leaf)
            require_collective(leaf)
        if any(isinstance(leaf, IndexedSlices) for leaf in flat):
            return nest.pack_sequence_as(value, reduced(self._group, op, flat, timeout))
        found = through_replicas(
            flat,
            lambda tensors: reduced(self._group, op, tensors, timeout),
            lambda upstream: self.all_reduce(op, upstream, options),
        )
        return nest.pack_sequence_as(value, found)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """`value`, a structure of tensors, joined along `axis` over the replicas of all processes.

        Gradient: the part of this replica of the sum of the gradients of all replicas.
        Raises: NotImplementedError for `tf.IndexedSlices`; ValueError for scalars.
        """
        self._require_top()
        timeout, group = timeout_of(options), self._group
        flat = nest.flatten(value)
        if any(isinstance(leaf, IndexedSlices) for leaf in flat):
            raise NotImplementedError("gather/all_gather does not support IndexedSlices")

        def gather(tensors: Any) -> list[Any]:
            return [gathered(group, tensor, axis, timeout) for tensor in tensors]

        def parts(upstream: Any) -> list[Any]:
            whole = self.all_reduce("SUM", upstream)
            sizes = gather([constant([convert_to_tensor(each).shape[axis]], int32) for each in flat])
            return [
                split(total, size.numpy().tolist(), axis=axis)[group.index]
                for total, size in zip(whole, sizes, strict=True)
            ]

        return nest.pack_sequence_as(value, through_replicas(flat, gather, parts))

    def _require_top(self) -> None:
        if here.graph is not self._graph:
            refuse_nested()


def reduced(
    group: Group, op: ReduceOp, values: Any, timeout: float | None = None, count: int | None = None
) -> list[Any]:
    """The sum or the mean over the processes of each of `values`, which are sums if there are `count` replicas in all.

    Dtypes: a mean of integers is float64.
    """
    totals = summed(group, values, timeout)
    return totals if op is ReduceOp.SUM else [_mean(total, count or group.count) for total in totals]


def _mean(total: Any, count: int) -> Any:
    if isinstance(total, IndexedSlices):
        return IndexedSlices(_mean(total.values, count), total.indices, total.dense_shape)
    return truediv(total, cast(count, total.dtype))


def timeout_of(options: Any) -> float | None:
    """The time limit of a collective with these options."""
    return None if options is None else options.timeout_seconds


def _require_tensor(value: Any) -> None:
    """Raises ValueError for numbers and arrays, of which TensorFlow does not know the device."""
    if isinstance(value, (np.ndarray, np.generic)) or not hasattr(value, "dtype"):
        raise ValueError(
            "destinations must be one of a `DistributedValues` object, a tf.Variable object, or a device string."
        )
