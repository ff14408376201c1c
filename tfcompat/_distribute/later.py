"""Strategies that are not supported yet: classes for `isinstance`, which raise errors when they are called."""

from __future__ import annotations

from typing import Any, NoReturn

from tfcompat._distribute.strategy import Strategy


def _refused(name: str) -> NoReturn:
    raise NotImplementedError(
        f"{name} is not supported: variables are in the memory of the processes, not on servers; use "
        "tf.distribute.MultiWorkerMirroredStrategy(), or tf.distribute.MirroredStrategy() in one process."
    )


class ParameterServerStrategy(Strategy):
    """Variables on servers. Raises NotImplementedError; for `isinstance`.

    Source: TF 2.21 `tf.distribute.ParameterServerStrategy`.
    """

    def __init__(self, cluster_resolver: Any, variable_partitioner: Any = None) -> None:
        del cluster_resolver, variable_partitioner
        _refused("tf.distribute.ParameterServerStrategy")
