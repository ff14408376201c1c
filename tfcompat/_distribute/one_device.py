"""`tf.distribute.OneDeviceStrategy`: variables and computations on a device that the program names."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from tfcompat._core.system.device_spec import DeviceSpec
from tfcompat._distribute.extended import StrategyExtended
from tfcompat._distribute.input import InputContext, require_whole
from tfcompat._distribute.replica_context import ReplicaContext
from tfcompat._distribute.strategy import Strategy
from tfcompat._dropin.placement import device as placed_on
from tfcompat._dropin.placement import is_current

# It can be entered again, and it takes less time than the choice of a device.
_NOTHING = contextlib.nullcontext()
_HERE = DeviceSpec(job="localhost", replica=0, task=0)


def full_device_name(name: Any) -> str:
    """TensorFlow's full name of the device `name`. Raises ValueError if it is not a name."""
    return _HERE.make_merged_spec(DeviceSpec.from_string(name or "")).to_string()


class _OneDeviceReplicaContext(ReplicaContext):
    """The context of the only replica."""


class OneDeviceExtended(StrategyExtended):
    """The interface of a strategy with one device for libraries."""

    _replica_kind = _OneDeviceReplicaContext

    def _distributed_from_function(self, dataset_fn: Callable[[InputContext], Any], options: Any) -> Any:
        require_whole(options)
        return super()._distributed_from_function(dataset_fn, options)


class OnOneDevice(Strategy):
    """A strategy whose variables and computations are on the device `device`, such as "/gpu:0".

    Raises: ValueError if `device` is not the name of a device.
    """

    def __init__(self, device: Any) -> None:
        self._device = full_device_name(device)
        super().__init__(OneDeviceExtended(self))
        self._extended._devices = (self._device,)

    def _placed(self) -> contextlib.AbstractContextManager[None]:
        return _NOTHING if is_current(self._device) else placed_on(self._device)


class OneDeviceStrategy(OnOneDevice):
    """A strategy that makes variables and computes on the device `device`, such as "/gpu:0".

    Raises: ValueError if `device` is not the name of a device.
    Source: TF 2.21 `tf.distribute.OneDeviceStrategy`.
    """
