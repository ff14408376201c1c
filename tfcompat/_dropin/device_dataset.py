"""`tf.data.experimental.prefetch_to_device` and its kin: elements on a device, before they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._data.datasets.dataset_source import made
from tfcompat._data.nodes.prefetching import Prefetch
from tfcompat._data.nodes.transfer import Transfer
from tfcompat._dropin.placement import device_of

Transformation = Callable[[Any], Any]


def prefetch_to_device(device: Any, buffer_size: Any = None) -> Transformation:
    """A transformation that copies elements to `device` before they are asked for, while a step runs.

    It has to be the last one: later ones read the elements on the host. A thread reads `buffer_size` elements ahead,
    and as many are on the device; a number of them that is suitable, and one on the device, for None.

    Raises: the transformation raises as `tf.device` for `device`, InvalidArgumentError for a size below -1, and
      TypeError for elements with datasets or None. A checkpoint of an iterator raises UnimplementedError.
    Source: TF 2.21 `tf.data.experimental.prefetch_to_device`.
    """

    def apply(dataset: Any) -> Any:
        ahead = Prefetch(dataset._node, buffer_size)
        return made(Transfer(ahead, device_of(device), max(ahead.size, 1), Prefetch.label))

    return apply


def copy_to_device(target_device: Any, source_device: Any = "/cpu:0") -> Transformation:
    """A transformation that copies each element to `target_device` when it is asked for.

    It has to be the last one: later ones read the elements on the host, as does `source_device`, which is the CPU.

    Raises: the transformation raises as `tf.device` for the devices, ValueError for another `source_device`, and
      TypeError for elements with datasets or None. A checkpoint of an iterator raises UnimplementedError.
    Source: TF 2.21 `tf.data.experimental.copy_to_device`.
    """

    def apply(dataset: Any) -> Any:
        if device_of(source_device).platform != "cpu":
            raise ValueError(f"copy_to_device: the elements are on the CPU, not on the source device {source_device}.")
        return made(Transfer(dataset._node, device_of(target_device), 0, Transfer.label))

    return apply
