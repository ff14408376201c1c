"""Strategies for several devices are refused, and may be asked for by `isinstance`."""

from __future__ import annotations

import pytest

import tfcompat as tf

D = tf.distribute


@pytest.mark.parametrize(
    "call",
    [
        lambda: D.MultiWorkerMirroredStrategy(),
        lambda: D.experimental.MultiWorkerMirroredStrategy(),
        lambda: D.ParameterServerStrategy(None),
        lambda: D.cluster_resolver.TPUClusterResolver("grpc://10.0.0.1"),
        lambda: tf.config.experimental_connect_to_cluster("grpc://10.0.0.1"),
    ],
)
def test_several_devices_are_refused(call):
    with pytest.raises(NotImplementedError, match="supported"):
        call()


def test_classes_of_strategies_are_there_for_isinstance():
    for kind in (D.MultiWorkerMirroredStrategy, D.ParameterServerStrategy, D.TPUStrategy):
        assert not isinstance(D.get_strategy(), kind)
        assert issubclass(kind, D.Strategy)
