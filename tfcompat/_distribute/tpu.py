"""`tf.distribute.TPUStrategy`: a replica on each TPU core that JAX has found."""

from __future__ import annotations

import contextlib
from typing import Any, NoReturn

from tfcompat._distribute.cluster import NAME_NEEDED, TPUClusterResolver, tpu_names
from tfcompat._distribute.mirrored import mirrored_extended
from tfcompat._distribute.one_device import full_device_name
from tfcompat._distribute.strategy import Strategy
from tfcompat._dropin.placement import device as placed_on

_DIVIDED = "tf.distribute.TPUStrategy: {} is not supported; tf.shard divides variables and tensors over several cores."


class TPUStrategy(Strategy):
    """A strategy with a replica on each TPU core of this process.

    Raises: ValueError without a resolver, and IndexError with one, if there is no TPU; NotImplementedError for replicas
      on several cores.
    Source: TF 2.21 `tf.distribute.TPUStrategy`.
    """

    def __init__(
        self,
        tpu_cluster_resolver: Any = None,
        experimental_device_assignment: Any = None,
        experimental_spmd_xla_partitioning: bool = False,
    ) -> None:
        names = tuple(map(full_device_name, tpu_names()))
        if not names and tpu_cluster_resolver is None:
            raise ValueError(NAME_NEEDED)
        if isinstance(tpu_cluster_resolver, TPUClusterResolver):
            tpu_cluster_resolver.require_here()
        if not names:
            raise IndexError("index 0 is out of bounds for axis 0 with size 0: JAX has found no TPU")
        if experimental_device_assignment is not None:
            raise NotImplementedError(_DIVIDED.format("experimental_device_assignment"))
        if experimental_spmd_xla_partitioning:
            raise NotImplementedError(_DIVIDED.format("experimental_spmd_xla_partitioning"))
        self._device = names[0]
        self._resolver = tpu_cluster_resolver
        super().__init__(mirrored_extended(self, names))
        # Keras asks for these.
        vars(self._extended).update(num_hosts=1, num_replicas_per_host=len(names))

    @property
    def cluster_resolver(self) -> Any:
        """The resolver."""
        return self._resolver

    def experimental_assign_to_logical_device(self, tensor: Any, logical_device_id: int) -> NoReturn:
        """Raises NotImplementedError: each replica has one core."""
        del tensor, logical_device_id
        raise NotImplementedError(_DIVIDED.format("experimental_assign_to_logical_device"))

    def experimental_split_to_logical_devices(self, tensor: Any, partition_dimensions: Any) -> NoReturn:
        """Raises NotImplementedError: each replica has one core."""
        del tensor, partition_dimensions
        raise NotImplementedError(_DIVIDED.format("experimental_split_to_logical_devices"))

    def experimental_replicate_to_logical_devices(self, tensor: Any) -> NoReturn:
        """Raises NotImplementedError: each replica has one core."""
        del tensor
        raise NotImplementedError(_DIVIDED.format("experimental_replicate_to_logical_devices"))

    def _placed(self) -> contextlib.AbstractContextManager[None]:
        return placed_on(self._device)


class FirstTPUStrategy(TPUStrategy):
    """The same as `tf.distribute.TPUStrategy`, with its older parameters.

    Source: TF 2.21 `tf.distribute.experimental.TPUStrategy`.
    """

    def __init__(self, tpu_cluster_resolver: Any = None, device_assignment: Any = None) -> None:
        super().__init__(tpu_cluster_resolver, device_assignment)


# TensorFlow's names.
TPUStrategy.__name__ = TPUStrategy.__qualname__ = "TPUStrategyV2"
FirstTPUStrategy.__name__ = FirstTPUStrategy.__qualname__ = "TPUStrategy"
