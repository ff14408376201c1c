"""Known differences of strategies in several processes; `migration_guide/differences.md` lists each."""

from __future__ import annotations

import signal

import pytest

import tfcompat as tf
from tests.daily import thorough
from tests.distribute.cluster import addresses, close, run


@pytest.mark.thorough
def test_keras_fits_in_two_processes_as_in_one():
    two = [ended.results["keras"] for ended in run("keras")]
    assert two[0] == two[1]
    (one,) = [ended.results["keras"] for ended in run("keras", count=1)]
    assert two[0]["predicted"] == one["predicted"]
    assert close(two[0]["weights"]) == [pytest.approx(weight, rel=1e-3, abs=1e-3) for weight in one["weights"]]


@pytest.fixture(scope="module")
def others():
    """The results of programs with which TensorFlow fails, or differs."""
    return [ended.results for ended in run("empty", "mismatch", "rows", "mixed")]


def test_rows_in_functions_are_summed(others):
    assert [results["rows"] for results in others] == [[[2.0, 2.0], [1.0, 1.0], [0.0, 0.0]]] * 2


def test_collectives_of_different_shapes_are_errors_in_all_processes(others):
    for results in others:
        assert results["mismatch"] == ["InvalidArgumentError"] * 2 + [[2.0, 2.0]]
        assert results["empty"] == [[0, 2], [3, 2], []]


def test_files_beside_other_datasets_are_not_divided(others):
    assert [results["mixed"][0] for results in others] == [[[0, 1], [4, 5]], [[2, 3], [6, 7]]]


def test_too_few_files_are_an_error_in_all_processes(others):
    assert [results["mixed"][1] for results in others] == ["InvalidArgumentError"] * 2


def test_devices_are_listed_after_the_strategy_is_made():
    assert tf.config.list_physical_devices("CPU")
    with addresses(2) as places:
        cluster = tf.train.ClusterSpec({"worker": places})
        resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, task_type="worker", task_id=0)
        with pytest.raises(RuntimeError, match="must be configured at program startup"):
            tf.distribute.MultiWorkerMirroredStrategy(resolver)


@pytest.mark.parametrize("how", ["kill", thorough("decorated terminate")])
def test_an_end_of_the_first_process_ends_the_other(how):
    first, second = run("ends", TFCOMPAT_TEST_END=how, TFCOMPAT_TEST_WHO="0")
    assert first.status == (-signal.SIGKILL if how == "kill" else -signal.SIGTERM)
    # JAX ends a process that has lost the first one, unless the collective notices it before.
    assert second.status in (-signal.SIGABRT, 1)
    assert "leader task was preempted/died" in second.errors or "/job:worker/replica:0/task:0" in second.errors


def test_an_evaluator_need_not_be_in_the_cluster():
    with addresses(2) as places:
        cluster = tf.train.ClusterSpec({"worker": places})
        resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, task_type="evaluator", task_id=0)
        assert tf.distribute.MultiWorkerMirroredStrategy(resolver).num_replicas_in_sync == 1


@pytest.mark.parametrize("address", ["127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:1"])
def test_clusters_whose_processes_cannot_meet_are_refused(address):
    cluster = tf.train.ClusterSpec({"worker": ["127.0.0.1:1", address]})
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, task_type="worker", task_id=0)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.distribute.MultiWorkerMirroredStrategy(resolver)
