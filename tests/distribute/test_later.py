"""Strategies with servers, and TPUs elsewhere, are refused, and may be asked for by `isinstance`."""

from __future__ import annotations

import os

import pytest

import tfcompat as tf

D = tf.distribute
CLUSTER = tf.train.ClusterSpec({"worker": ["a:1", "b:1"], "ps": ["c:1"], "evaluator": ["d:1"]})
ELSEWHERE = D.cluster_resolver.TPUClusterResolver("grpc://10.0.0.1")
SERVERS = D.cluster_resolver.SimpleClusterResolver(CLUSTER)


@pytest.mark.parametrize(
    "call",
    [
        lambda: D.ParameterServerStrategy(SERVERS),
        lambda: D.experimental.ParameterServerStrategy(SERVERS),
        lambda: D.cluster_resolver.TPUClusterResolver("name"),
        lambda: tf.config.experimental_connect_to_cluster("grpc://10.0.0.1"),
    ],
)
def test_servers_and_other_machines_are_refused(call):
    with pytest.raises(NotImplementedError, match="supported"):
        call()


@pytest.mark.skipif(os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow", reason="TensorFlow connects to the address")
@pytest.mark.parametrize(
    "call",
    [
        lambda: D.cluster_resolver.TPUClusterResolver.connect("grpc://10.0.0.1"),
        lambda: tf.config.experimental_connect_to_cluster(ELSEWHERE),
        lambda: tf.tpu.experimental.initialize_tpu_system(ELSEWHERE),
        lambda: D.TPUStrategy(ELSEWHERE),
    ],
)
def test_tpus_elsewhere_are_not_connected_to(call):
    with pytest.raises(NotImplementedError, match="only TPUs of this machine"):
        call()


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (D.MultiWorkerMirroredStrategy, "CollectiveAllReduceStrategy"),
        (D.experimental.MultiWorkerMirroredStrategy, "CollectiveAllReduceStrategy"),
        (D.ParameterServerStrategy, "ParameterServerStrategyV2"),
        (D.experimental.ParameterServerStrategy, "ParameterServerStrategyV2"),
        (D.TPUStrategy, "TPUStrategyV2"),
        (D.experimental.TPUStrategy, "TPUStrategy"),
        (D.experimental.CentralStorageStrategy, "CentralStorageStrategy"),
        (D.cluster_resolver.UnionResolver, "UnionClusterResolver"),
    ],
)
def test_classes_have_the_names_of_tensorflow(kind, name):
    assert kind.__name__ == name


def test_classes_of_strategies_are_there_for_isinstance():
    for kind in (D.MultiWorkerMirroredStrategy, D.ParameterServerStrategy, D.TPUStrategy):
        assert not isinstance(D.get_strategy(), kind)
        assert issubclass(kind, D.Strategy)
