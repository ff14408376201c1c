"""Strategies that are not supported yet: classes for `isinstance`, which raise errors when they are called."""

from __future__ import annotations

from typing import Any, NoReturn

from tfcompat._distribute.cluster_spec import ClusterSpec
from tfcompat._distribute.strategy import Strategy


def _refused(name: str) -> NoReturn:
    raise NotImplementedError(
        f"{name} is not supported: variables are in the memory of the processes, not on servers; use "
        "tf.distribute.MultiWorkerMirroredStrategy(), or tf.distribute.MirroredStrategy() in one process."
    )


class ParameterServerStrategy(Strategy):
    """Variables on servers. Raises NotImplementedError; for `isinstance`.

    Raises: AttributeError for other values than resolvers; ValueError for an empty cluster.

    Source: TF 2.21 `tf.distribute.ParameterServerStrategy`.
    """

    def __init__(self, cluster_resolver: Any, variable_partitioner: Any = None) -> None:
        del variable_partitioner
        if cluster_resolver.cluster_spec() == ClusterSpec({}):
            raise ValueError("Cluster spec must be non-empty in `tf.distribute.cluster_resolver.ClusterResolver`.")
        _refused("tf.distribute.ParameterServerStrategy")


# TensorFlow's name.
ParameterServerStrategy.__name__ = ParameterServerStrategy.__qualname__ = "ParameterServerStrategyV2"
