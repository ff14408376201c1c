"""Cluster specifications and resolvers, and the strategies that they make."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import tfcompat as tf
from tests import forked

D = tf.distribute
R = D.cluster_resolver
S = tf.train.ClusterSpec
SLURM = ["SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE", "SLURM_STEP_NODELIST"]
own = pytest.mark.skipif(os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow", reason="needs TPUs in TensorFlow")


@pytest.fixture
def spec():
    return S({"worker": ["a:1", "b:2"], "ps": {1: "c:3"}})


def test_a_cluster_has_tasks_by_job(spec):
    assert spec.as_dict() == {"worker": ["a:1", "b:2"], "ps": {1: "c:3"}}
    assert spec.jobs == ["worker", "ps"]
    assert (spec.num_tasks("worker"), spec.num_tasks("ps"), spec.task_indices("ps")) == (2, 1, [1])
    assert (spec.task_address("worker", 1), spec.job_tasks("ps")) == ("b:2", [None, "c:3"])
    assert spec == S(spec)
    assert spec != S({})
    assert not S({})
    assert str(spec) == "ClusterSpec({'ps': {1: 'c:3'}, 'worker': ['a:1', 'b:2']})"


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda spec: spec.task_address("worker", 5), ValueError),
        (lambda spec: spec.num_tasks("x"), ValueError),
        (lambda _: S(3), TypeError),
        (lambda _: S({"w": 3}), TypeError),
        (lambda _: S({"w": [3]}), TypeError),
        (lambda _: R.SimpleClusterResolver({"worker": ["a:1"]}), TypeError),
        (lambda _: R.ClusterResolver(), TypeError),
        (lambda _: R.SlurmClusterResolver(), RuntimeError),
        (lambda spec: D.MultiWorkerMirroredStrategy(R.SimpleClusterResolver(spec)), ValueError),
        (lambda _: D.MultiWorkerMirroredStrategy(communication_options=3), ValueError),
        (lambda _: D.experimental.CommunicationOptions(bytes_per_pack=-1), ValueError),
        (lambda _: D.ParameterServerStrategy(None), AttributeError),
        (lambda _: D.ParameterServerStrategy(R.SimpleClusterResolver(S({}))), ValueError),
    ],
)
def test_wrong_clusters_are_errors(spec, call, error):
    with pytest.raises(error):
        call(spec)


@pytest.mark.parametrize(("kind", "number"), [("worker", 5), ("master", 0)])
def test_a_task_must_be_in_the_cluster(spec, kind, number):
    resolver = R.SimpleClusterResolver(spec, task_type=kind, task_id=number)
    with pytest.raises(ValueError, match=r"task_id|task_type"):
        D.MultiWorkerMirroredStrategy(resolver)


def test_a_simple_resolver_has_what_it_was_given(spec):
    resolver = R.SimpleClusterResolver(
        spec, task_type="worker", task_id=1, environment="google", num_accelerators={"GPU": 2}, rpc_layer="grpc"
    )
    assert (resolver.task_type, resolver.task_id, resolver.environment, resolver.rpc_layer) == (
        *("worker", 1, "google", "grpc"),
    )
    assert (resolver.master(), resolver.master("worker", 0), resolver.master("worker", 0, "x")) == (
        *("grpc://", "grpc://a:1", "x://a:1"),
    )
    assert resolver.num_accelerators() == {"GPU": 2}
    resolver.task_type, resolver.task_id = "ps", 3
    assert (resolver.task_type, resolver.task_id) == ("ps", 3)
    assert R.SimpleClusterResolver(spec, master="z:9").master() == "z:9"


def test_resolvers_are_united():
    first = R.SimpleClusterResolver(S({"worker": ["a:1"]}), task_type="worker", task_id=0, rpc_layer="grpc")
    union = R.UnionResolver(first, R.SimpleClusterResolver(S({"worker": ["b:1"], "ps": ["c:1"]})))
    assert union.cluster_spec().as_dict() == {"worker": ["a:1", "b:1"], "ps": ["c:1"]}
    assert (union.task_type, union.task_id, union.rpc_layer, union.master()) == ("worker", 0, "grpc", "grpc://")


@pytest.mark.parametrize(
    ("config", "wanted"),
    [
        ("{}", ({}, None, None, None, "")),
        ('{"cluster": {"worker": ["a:1"]}}', ({"worker": ["a:1"]}, None, None, None, "")),
        (
            '{"cluster": {"chief": ["a:1"], "worker": ["b:2"]}, "task": {"type": "chief", "index": 0}, '
            '"rpc_layer": "x"}',
            ({"chief": ["a:1"], "worker": ["b:2"]}, "chief", 0, "x", "x://a:1"),
        ),
    ],
    ids=["empty", "one", "two"],
)
def test_tf_config_describes_the_cluster(monkeypatch, config, wanted):
    monkeypatch.setenv("TF_CONFIG", config)
    resolver = R.TFConfigClusterResolver()
    found = (resolver.cluster_spec().as_dict(), resolver.task_type, resolver.task_id, resolver.rpc_layer)
    assert (*found, resolver.master()) == wanted


def test_tf_config_must_be_json(monkeypatch):
    monkeypatch.setenv("TF_CONFIG", "x")
    with pytest.raises(json.JSONDecodeError):
        R.TFConfigClusterResolver().cluster_spec()


@pytest.mark.parametrize(
    ("values", "options", "wanted"),
    [
        (
            ("4", "5", "2(x2),1", "a[01-02],b"),
            {},
            (
                {"worker": ["a01:8888", "a01:8889", "a02:8888", "a02:8889", "b:8888"]},
                ("worker", 4),
                "grpc://b:8888",
                "0",
            ),
        ),
        (
            ("4", "5", "1(x5)", "a[01-03,07],b"),
            {},
            (
                {"worker": [f"{name}:8888" for name in ["a01", "a02", "a03", "a07", "b"]]},
                ("worker", 4),
                "grpc://b:8888",
                "0",
            ),
        ),
        (
            ("2", "3", "2,1", "n[1-2]"),
            {"jobs": {"ps": 1, "worker": 2}, "port_base": 9000, "rpc_layer": None, "auto_set_gpu": False},
            ({"ps": ["n1:9000"], "worker": ["n1:9001", "n2:9000"]}, ("worker", 1), "n2:9000", None),
        ),
        (
            ("1", "2", "1(x2)", "n1,n2"),
            {"gpus_per_task": 2},
            ({"worker": ["n1:8888", "n2:8888"]}, ("worker", 1), "grpc://n2:8888", "0,1"),
        ),
        (
            ("3", "4", "2(x2)", "n[1-2]"),
            {"tasks_per_node": 2},
            ({"worker": ["n1:8888", "n1:8889", "n2:8888", "n2:8889"]}, ("worker", 3), "grpc://n2:8889", "1"),
        ),
    ],
    ids=["ranges", "zeros", "jobs", "gpus", "tasks"],
)
def test_slurm_describes_the_cluster(monkeypatch, values, options, wanted):
    for name, value in zip(SLURM, values, strict=True):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    resolver = R.SlurmClusterResolver(**{"gpus_per_node": 2, "gpus_per_task": 1, **options})
    found = (resolver.cluster_spec().as_dict(), resolver.get_task_info(), resolver.master())
    assert (*found, os.environ.get("CUDA_VISIBLE_DEVICES")) == wanted


def test_options_of_communication():
    options = D.experimental.CommunicationOptions(51200, 120.0, D.experimental.CommunicationImplementation.NCCL)
    assert str(options) == (
        "Options(bytes_per_pack=51200,timeout_seconds=120.0, implementation=CommunicationImplementation.NCCL)"
    )
    named = D.experimental.CommunicationOptions(implementation="RING")
    assert named.implementation is D.experimental.CommunicationImplementation.RING
    assert D.experimental.CollectiveHints(1, 3.0).timeout_seconds == 3.0


KINDS = (D.MultiWorkerMirroredStrategy, D.experimental.MultiWorkerMirroredStrategy)


@pytest.mark.parametrize("kind", KINDS)
def test_one_process_is_no_cluster(monkeypatch, kind):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    strategy = kind()
    assert isinstance(strategy, D.MultiWorkerMirroredStrategy)
    assert isinstance(strategy.cluster_resolver, R.TFConfigClusterResolver)
    assert strategy.num_replicas_in_sync == 1
    assert not strategy.extended._in_multi_worker_mode()
    assert strategy.extended.should_checkpoint


@pytest.mark.skipif(os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow", reason="replaces tfcompat's list of devices")
@pytest.mark.parametrize(("gpus", "replicas"), [(0, 1), (1, 1), (2, 2)])
def test_a_process_has_a_replica_on_each_gpu_or_on_one_cpu(monkeypatch, gpus, replicas):
    counts = {"GPU": gpus, "CPU": 4}
    monkeypatch.delenv("TF_CONFIG", raising=False)
    monkeypatch.setattr(
        "tfcompat._distribute.multi_worker.list_logical_devices",
        lambda kind: [tf.config.LogicalDevice(f"/device:{kind}:{number}", kind) for number in range(counts[kind])],
    )
    strategy = D.MultiWorkerMirroredStrategy()
    assert strategy.num_replicas_in_sync == replicas
    assert strategy.extended.worker_devices[0].endswith("GPU:0" if gpus else "CPU:0")


def test_a_local_tpu_that_is_missing_makes_no_strategy():
    resolver = R.TPUClusterResolver("local")
    assert (resolver.master(), resolver.task_type, resolver.task_id) == ("", "worker", 0)
    assert resolver.cluster_spec().as_dict() == {}
    assert resolver.num_accelerators() == {"TPU": 0}
    for kind in (D.TPUStrategy, D.experimental.TPUStrategy):
        with pytest.raises(IndexError):
            kind(resolver)


@own
def test_each_tpu_core_has_a_replica():
    code = """
import tfcompat as tf
from tfcompat._distribute import cluster
cluster.KIND = "CPU"  # simulated devices in place of cores
D = tf.distribute
resolver = D.cluster_resolver.TPUClusterResolver()
tf.config.experimental_connect_to_cluster(resolver)
tf.tpu.experimental.initialize_tpu_system(resolver)
strategy = D.TPUStrategy(resolver)
step = tf.function(lambda: strategy.run(lambda: D.get_replica_context().all_reduce("SUM", tf.ones([]))))
step(), step()
with tf.counted() as counts:
    values = [part.numpy().item() for part in step().values]
print(strategy.num_replicas_in_sync, values, counts.spread)
"""
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    root = Path(__file__).resolve().parents[2]
    done = forked.run(["-c", code], environment=environment, cwd=root, timeout=120)
    assert done.stdout == "4 [4.0, 4.0, 4.0, 4.0] 1\n", done.stderr
