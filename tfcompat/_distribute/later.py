"""Strategies that are not supported yet: classes for `isinstance`, which raise errors when they are called."""

from __future__ import annotations

import enum
from typing import Any, NoReturn

from tfcompat._distribute.strategy import Strategy


def _refused(name: str) -> NoReturn:
    raise NotImplementedError(
        f"{name} is not supported yet: tfcompat runs in one process; use tf.distribute.MirroredStrategy(), or "
        "tf.distribute.get_strategy()."
    )


class MultiWorkerMirroredStrategy(Strategy):
    """Replicas in several processes. Raises NotImplementedError; for `isinstance`.

    Source: TF 2.21 `tf.distribute.MultiWorkerMirroredStrategy`.
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        del cluster_resolver, communication_options
        _refused("tf.distribute.MultiWorkerMirroredStrategy")


class CommunicationImplementation(enum.Enum):
    """How processes communicate. Source: TF 2.21 `tf.distribute.experimental.CommunicationImplementation`."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class FirstMultiWorkerMirroredStrategy(MultiWorkerMirroredStrategy):
    """The same as `tf.distribute.MultiWorkerMirroredStrategy`, with its older parameters.

    Source: TF 2.21 `tf.distribute.experimental.MultiWorkerMirroredStrategy`.
    """

    def __init__(self, communication: Any = CommunicationImplementation.AUTO, cluster_resolver: Any = None) -> None:
        super().__init__(cluster_resolver, communication)


class ParameterServerStrategy(Strategy):
    """Variables on servers. Raises NotImplementedError; for `isinstance`.

    Source: TF 2.21 `tf.distribute.ParameterServerStrategy`.
    """

    def __init__(self, cluster_resolver: Any, variable_partitioner: Any = None) -> None:
        del cluster_resolver, variable_partitioner
        _refused("tf.distribute.ParameterServerStrategy")
