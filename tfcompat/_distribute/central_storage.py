"""`tf.distribute.experimental.CentralStorageStrategy`: one copy of each variable, for all replicas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types import nest
from tfcompat._distribute.mirrored import all_devices
from tfcompat._distribute.one_device import OnOneDevice, full_device_name
from tfcompat._distribute.reduction import reduce_op_for
from tfcompat._distribute.replicated_extended import ReplicatedExtended
from tfcompat._distribute.stack import entered, top
from tfcompat._state.variable import Variable, VariableAggregation


class AggregatingVariable(Variable):
    """A variable with one component, to which replicas assign aggregated values.

    Source: TF 2.21, the class of variables made in `CentralStorageStrategy.scope`.
    """

    @property
    def distribute_strategy(self) -> Any:
        """The strategy in whose scope the variable was made."""
        return self._distribute_strategy

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Replaces the value by `value`, in a replica by the aggregated values of all.

        Raises: as `tf.Variable.assign`; ValueError in a replica without an aggregation.
        """
        del use_locking, name
        return self._aggregated("assign", value, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds `delta`, as `assign` replaces. Raises: as `tf.Variable.assign_add`, and `assign`."""
        del use_locking, name
        return self._aggregated("assign_add", delta, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtracts `delta`, as `assign` replaces. Raises: as `tf.Variable.assign_sub`, and `assign`."""
        del use_locking, name
        return self._aggregated("assign_sub", delta, read_value)

    def _aggregated(self, method: str, value: Any, read_value: bool) -> Any:
        frame = top()
        write: Callable[..., Any] = getattr(super(), method)
        if frame is None or frame.replica is None or frame.strategy is not self._distribute_strategy:
            return write(value, read_value=read_value)
        if self._aggregation is VariableAggregation.NONE:
            _refuse_replica()

        def merge(strategy: Any, given: Any) -> Tensor | None:
            if self._aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
                given = strategy.experimental_local_results(given)[0]
            else:
                given = strategy.extended._reduce(reduce_op_for(self._aggregation), given, None)
            changed = write(given, read_value=read_value)
            return None if changed is None else changed.value()

        return frame.replica.merge_call(merge, (value,))


def _refuse_replica() -> NoReturn:
    raise ValueError(
        "You must specify an aggregation method to update a AggregatingVariable in Replica Context. You can do so by "
        "passing an explicit value for argument `aggregation` to tf.Variable(..)."
    )


class _CentralExtended(ReplicatedExtended):
    """The interface for libraries of a strategy whose variables have one component."""

    def _made(self, make: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        frame = top()
        replica = None if frame is None else frame.replica
        name = arguments.get("name")
        if replica is not None and replica._number:
            return replica.variables.next(replica._number, name)
        made = make(**arguments)
        if isinstance(made, Variable) and made._distribute_strategy is None:
            made._distribute_strategy = self._strategy
            made.__class__ = AggregatingVariable
        if replica is not None:
            replica.variables.add(name, made)
        return made

    def _updated(self, var: Any, fn: Callable[..., Any], args: Any, kwargs: Any, *, group: bool) -> Any:
        """The result of `fn` for the only component, `var`; unless `group` each leaf is in a tuple."""
        with entered(self._strategy, None, 0):
            result = fn(var, *self._of_first(args), **self._of_first(kwargs))
        return result if group else nest.map_structure(self._local_results, result)

    def _of_first(self, structure: Any) -> Any:
        return self._local_results(structure)[0]


# TensorFlow's name, which programs print.
_CentralExtended.__name__ = _CentralExtended.__qualname__ = "ParameterServerStrategyExtended"


class CentralStorageStrategy(OnOneDevice):
    """A strategy with a replica on each of `compute_devices`, and one copy of each variable.

    Raises: AssertionError if a device occurs twice.
    Source: TF 2.21 `tf.distribute.experimental.CentralStorageStrategy`.
    """

    def __init__(self, compute_devices: Any = None, parameter_device: Any = None) -> None:
        given = [device.name for device in all_devices()] if compute_devices is None else list(compute_devices)
        names = tuple(full_device_name(name) for name in given)
        if len(set(names)) < len(names):
            raise AssertionError(f"No duplicates allowed in `compute_devices` argument: {names}")
        super().__init__(names[0] if parameter_device is None else parameter_device)
        self._extended = _CentralExtended(self, names)
