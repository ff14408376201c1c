"""Devices in TensorFlow 1."""

from __future__ import annotations

import contextlib
from typing import Any

from tfcompat._core.system.device_spec import DeviceSpec as _DeviceSpec
from tfcompat._dropin import placement


class DeviceSpec(_DeviceSpec):
    """A device whose parts can be assigned. Source: TF 2.21 `tf.compat.v1.DeviceSpec`."""

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def merge_from(self, dev: _DeviceSpec) -> None:
        """Sets the parts that `dev` specifies. Source: TF 2.21 `tf.compat.v1.DeviceSpec.merge_from`."""
        merged = self.make_merged_spec(dev)
        vars(self).update(vars(merged))


def device(device_name_or_function: Any) -> contextlib.AbstractContextManager[Any]:
    """`tf.device` of a name. Raises NotImplementedError for a function, which chooses by the nodes of a graph.

    Source: TF 2.21 `tf.compat.v1.device`.
    """
    if callable(device_name_or_function):
        raise NotImplementedError(
            "tf.compat.v1.device: a function is not supported, since there are no graphs; give the name of the device."
        )
    return placement.device(device_name_or_function)
