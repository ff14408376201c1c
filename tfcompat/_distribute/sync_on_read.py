"""Variables whose components are reduced when they are read outside of replicas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.operation.op import Op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._distribute.grouping import is_distributed
from tfcompat._distribute.reduction import ReduceOp, reduce_op_for
from tfcompat._distribute.replicated_variable import ReplicatedVariable, Write, attach_operators
from tfcompat._distribute.values import RefusesSums
from tfcompat._ops.elementwise.algebraic import truediv
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._state.variable import VariableAggregation

_FIRST = VariableAggregation.ONLY_FIRST_REPLICA


class SyncOnReadVariable(RefusesSums, ReplicatedVariable):
    """A variable whose components each replica changes on its own, and that are reduced when it is read outside.

    Source: TF 2.21, the class of variables made with `synchronization=tf.VariableSynchronization.ON_READ`.
    """

    def _aggregated(self) -> Tensor:
        """The value outside of replicas. Raises ValueError without an aggregation."""
        if self._aggregation is _FIRST:
            return self._components[0]._snapshot()
        return self._reduced(reduce_op_for(self._aggregation))

    def _read(self) -> Tensor:
        return self._aggregated() if self._frame() is None else self._current()._read()

    _as_tensor = _read

    def _observed(self) -> Tensor:
        return self._aggregated() if self._frame() is None else self._current()._observed()

    def _snapshot(self) -> Tensor:
        return self._aggregated() if self._frame() is None else self._current()._snapshot()

    def _reduced(self, op: ReduceOp) -> Any:
        values = [component._snapshot() for component in self._components]
        return self._distribute_strategy.extended._total(op, values)

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Replaces the value: in a replica its component, elsewhere all of them, by equal parts of a sum.

        Raises: as `tf.Variable.assign`; ValueError outside of replicas without an aggregation.
        """
        if self._frame() is None and self._aggregation is VariableAggregation.SUM:
            count = self._distribute_strategy.num_replicas_in_sync
            value = cast(truediv(convert_to_tensor(value, self._dtype), count), self._dtype)
        return super().assign(value, use_locking, name, read_value)

    def _written_everywhere(self, write: Write, value: Any) -> Any:
        """The value after `write` to each component. Raises AttributeError for a distributed value, as TensorFlow."""
        if is_distributed(value):
            raise AttributeError(f"'{type(value).__name__}' object has no attribute 'dtype'")
        result = super()._written_everywhere(write, value)
        return None if result is None else self.read_value()

    def _update(self, op: Op, delta: Any) -> None:
        self._require_no_sum(op.name)
        super()._update(op, delta)

    def _replace_by(self, compute: Callable[[Tensor], Tensor]) -> None:
        if self._frame() is None and self._aggregation is VariableAggregation.SUM:
            self._refuse_part("assignment of a part")
        super()._replace_by(compute)

    def _scatter_rows(self, mode: str, sparse_delta: Any) -> Any:
        self._require_own(f"scatter_{mode}")
        return self._current()._scatter_rows(mode, sparse_delta)

    def _scatter_elements(self, mode: str, indices: Any, updates: Any) -> Any:
        self._require_own(f"scatter_nd_{mode}")
        return self._current()._scatter_elements(mode, indices, updates)

    def _require_own(self, method: str) -> None:
        if self._frame() is None:
            self._refuse_part(method)

    def _refuse_part(self, method: str) -> NoReturn:
        """Raises NotImplementedError: outside of replicas the variable is an aggregate."""
        raise NotImplementedError(
            f"Variables with `synchronization=ON_READ` don't support `{method}` outside of replicas. Assign the whole "
            "variable, or change the component of each replica in `tf.distribute.Strategy.run`."
        )

    def _is_outside(self) -> bool:
        return self._frame() is None

    def _written_in_replica(self, replica: Any, write: Write, value: Any) -> Any:
        del replica
        return write(self._current(), value)


attach_operators(SyncOnReadVariable)
