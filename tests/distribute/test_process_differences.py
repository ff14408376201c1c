"""Known differences of strategies in several processes; `migration_guide/differences.md` lists each."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.distribute.cluster import addresses, close, run


def test_keras_fits_in_two_processes_as_in_one():
    two = [ended.results["keras"] for ended in run("keras")]
    assert two[0] == two[1]
    (one,) = [ended.results["keras"] for ended in run("keras", count=1)]
    assert two[0]["predicted"] == one["predicted"]
    assert close(two[0]["weights"]) == [pytest.approx(weight, rel=1e-3, abs=1e-3) for weight in one["weights"]]


@pytest.fixture(scope="module")
def others():
    """The results of programs with which TensorFlow fails, or differs."""
    return [ended.results for ended in run("empty", "mismatch", "rows")]


def test_rows_in_functions_are_summed(others):
    assert [results["rows"] for results in others] == [[[2.0, 2.0], [1.0, 1.0], [0.0, 0.0]]] * 2


def test_collectives_of_different_shapes_are_errors_in_all_processes(others):
    for results in others:
        assert results["mismatch"] == ["InvalidArgumentError"] * 2 + [[2.0, 2.0]]
        assert results["empty"] == [[0, 2], [3, 2], []]


def test_devices_are_listed_after_the_strategy_is_made():
    assert tf.config.list_physical_devices("CPU")
    with addresses(2) as places:
        cluster = tf.train.ClusterSpec({"worker": places})
        resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, task_type="worker", task_id=0)
        with pytest.raises(RuntimeError, match="must be configured at program startup"):
            tf.distribute.MultiWorkerMirroredStrategy(resolver)
