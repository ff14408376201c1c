"""`tf.distribute.TPUStrategy` on one TPU core."""

from __future__ import annotations

from typing import Any

import jax

from tfcompat._distribute.cluster import NAME_NEEDED, has_tpu
from tfcompat._distribute.extended import StrategyExtended
from tfcompat._distribute.strategy import Strategy


class TPUStrategy(Strategy):
    """A strategy with a replica on each TPU core, of which there must be one.

    Raises: ValueError if there is no TPU; NotImplementedError for several cores.
    Source: TF 2.21 `tf.distribute.TPUStrategy`.
    """

    def __init__(self, tpu_cluster_resolver: Any = None, experimental_device_assignment: Any = None) -> None:
        if not has_tpu():
            raise ValueError(NAME_NEEDED)
        del tpu_cluster_resolver
        if experimental_device_assignment is not None or jax.local_device_count() > 1:
            raise NotImplementedError(
                "tf.distribute.TPUStrategy: several replicas are not supported yet; use "
                "tf.distribute.get_strategy(), which computes on one TPU core."
            )
        super().__init__(StrategyExtended(self, ("/job:localhost/replica:0/task:0/device:TPU:0",)))
