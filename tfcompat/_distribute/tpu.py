"""`tf.distribute.TPUStrategy` on one TPU core."""

from __future__ import annotations

from typing import Any

import jax

from tfcompat._distribute.cluster import NAME_NEEDED, has_tpu
from tfcompat._distribute.extended import StrategyExtended
from tfcompat._distribute.strategy import Strategy

_REFUSED = (
    "tf.distribute.TPUStrategy: several replicas are not supported yet; use tf.distribute.get_strategy(), which "
    "computes on one TPU core."
)


class TPUStrategy(Strategy):
    """A strategy with a replica on each TPU core, of which there must be one.

    Raises: ValueError if there is no TPU; NotImplementedError for several cores.
    Source: TF 2.21 `tf.distribute.TPUStrategy`.
    """

    def __init__(
        self,
        tpu_cluster_resolver: Any = None,
        experimental_device_assignment: Any = None,
        experimental_spmd_xla_partitioning: bool = False,
    ) -> None:
        del tpu_cluster_resolver
        if not has_tpu():
            raise ValueError(NAME_NEEDED)
        if experimental_device_assignment is not None or experimental_spmd_xla_partitioning:
            raise NotImplementedError(_REFUSED)
        if jax.local_device_count() > 1:
            raise NotImplementedError(_REFUSED)
        super().__init__(StrategyExtended(self))
        self._extended._devices = ("/job:localhost/replica:0/task:0/device:TPU:0",)


class FirstTPUStrategy(TPUStrategy):
    """The same as `tf.distribute.TPUStrategy`, with its older parameters.

    Source: TF 2.21 `tf.distribute.experimental.TPUStrategy`.
    """

    def __init__(self, tpu_cluster_resolver: Any = None, device_assignment: Any = None) -> None:
        super().__init__(tpu_cluster_resolver, device_assignment)
