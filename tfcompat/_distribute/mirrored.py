"""`tf.distribute.MirroredStrategy`: a replica on each device, variables with a component for each replica."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._autodiff.suspension import unrecorded
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types import nest
from tfcompat._distribute.cross_device import CrossDeviceOps
from tfcompat._distribute.extended import StrategyExtended, component_of
from tfcompat._distribute.grouping import selected
from tfcompat._distribute.input import ValueContext
from tfcompat._distribute.one_device import OnOneDevice, full_device_name
from tfcompat._distribute.reduction import ReduceOp
from tfcompat._distribute.replica_context import UnrecordedMerges
from tfcompat._distribute.replicated_extended import ReplicatedExtended
from tfcompat._distribute.values import MirroredVariable, PerReplica, SyncOnReadVariable
from tfcompat._dropin.device import list_logical_devices
from tfcompat._state.variable import Variable, VariableSynchronization

# Types of arguments that are leaves.
_LEAVES = frozenset((Tensor, PerReplica))


class _MirroredExtended(StrategyExtended):
    """Answers to libraries about variables that have one component."""

    _replica_kind = UnrecordedMerges

    def _run(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """The result of `fn` in the only replica, for the components of distributed arguments.

        Gradient: None through the ops of `fn` for tapes outside, as with several replicas.
        """
        is_flat = not kwargs and _LEAVES.issuperset(map(type, args))
        if is_flat or any(isinstance(leaf, PerReplica) for leaf in nest.flatten((args, kwargs))):
            args, kwargs = selected(0, tuple(args)), selected(0, dict(kwargs or {}))
        # TensorFlow calls `fn` in another thread.
        with unrecorded():
            return super()._run(fn, args, kwargs)

    def _reduce(self, op: ReduceOp, value: Any, axis: Any) -> Any:
        """As for other strategies. Raises AssertionError for a sum of a mirrored variable, as with several replicas."""
        if axis is None and type(value) is Tensor:  # the same as below, in less time
            return value
        if axis is None and type(value) is MirroredVariable:
            assert op is ReduceOp.MEAN
            return value.values[0]
        return super()._reduce(op, nest.map_structure(_as_value, value), axis)

    def _gather(self, value: Any, axis: int) -> Any:
        return super()._gather(nest.map_structure(_as_value, value), axis)

    def _local_results(self, value: Any) -> tuple[Any, ...]:
        return (nest.map_structure(component_of, selected(0, value)),)

    def _values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        return PerReplica((value_fn(ValueContext()),))

    def update(self, var: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, group: bool = True) -> Any:
        """As for other strategies, with the component of each distributed argument."""
        return super().update(var, fn, selected(0, tuple(args)), selected(0, dict(kwargs or {})), group)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """The only component of `value`. Raises ValueError for an unknown `reduce_op`."""
        return nest.map_structure(_as_value, super().reduce_to(reduce_op, value, destinations, options))

    def _made(self, make: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        component = super()._made(make, arguments)
        if not isinstance(component, Variable):
            return component
        is_synchronised_late = component.synchronization is VariableSynchronization.ON_READ
        if component.synchronization is VariableSynchronization.AUTO:
            component._synchronization = VariableSynchronization.ON_WRITE
        return (SyncOnReadVariable if is_synchronised_late else MirroredVariable).of(component)


def _as_value(leaf: Any) -> Any:
    """The value of a variable, the only component of a distributed value; other leaves as they are."""
    if isinstance(leaf, MirroredVariable):
        return convert_to_tensor(leaf)
    return leaf.values[0] if isinstance(leaf, PerReplica) else leaf


# TensorFlow's name of both, which programs print.
for _extended in (_MirroredExtended, ReplicatedExtended):
    _extended.__name__ = _extended.__qualname__ = "MirroredExtended"


class MirroredStrategy(OnOneDevice):
    """A strategy with a replica on each of `devices`; on all GPUs, or all CPUs, by default.

    Several replicas are computed by one program: on their devices, or on the first device if some do not exist.

    Raises: AssertionError if a device occurs twice; ValueError without devices.
    Source: TF 2.21 `tf.distribute.MirroredStrategy`.
    """

    def __init__(self, devices: Any = None, cross_device_ops: CrossDeviceOps | None = None) -> None:
        given = [device.name for device in all_devices()] if devices is None else list(devices)
        names = tuple(full_device_name(name) for name in given)
        if len(set(names)) < len(names):
            raise AssertionError(f"No duplicates allowed in `devices` argument: {names}")
        if not names:
            raise ValueError("tf.distribute.MirroredStrategy: at least one device is needed, got [].")
        self._cross_device_ops = cross_device_ops
        super().__init__(names[0])
        self._extended = mirrored_extended(self, names)


def mirrored_extended(strategy: Any, names: tuple[str, ...]) -> StrategyExtended:
    """The interface for libraries of `strategy`, which has a replica on each of the devices `names`."""
    if len(names) > 1:
        return ReplicatedExtended(strategy, names)
    extended = _MirroredExtended(strategy)
    extended._devices = names
    return extended


def all_devices() -> list[Any]:
    """The accelerators; the CPUs of a machine without accelerators."""
    return list_logical_devices("GPU") or list_logical_devices("CPU")
