"""Running tests and benchmarks, and properties of the machine."""

from __future__ import annotations

import unittest

import jax
import pytest

import tfcompat as tf
from tests import forked
from tests.daily import thorough

PROGRAM = """
import sys, tfcompat as tf

class Square(tf.test.TestCase):
    def test_right(self):
        self.assertAllClose(tf.square([2.0]), [4.0])

    def test_wrong(self):
        self.assertAllClose(tf.square([2.0]), [5.0])

class Speed(tf.test.Benchmark):
    def benchmark_square(self):
        assert self.evaluate({"x": tf.square(2.0)}) == {"x": 4.0}
        self.report_benchmark(iters=3, wall_time=0.5, extras={"a": 1, "b": "c"}, metrics=[{"name": "m", "value": 2.0}])

tf.test.main()
"""
ENTRY = """\
entry {
  name: "Speed.benchmark_square"
  iters: 3
  wall_time: 0.5
  extras {
    key: "a"
    value {
      double_value: 1
    }
  }
  extras {
    key: "b"
    value {
      string_value: "c"
    }
  }
  metrics {
    name: "m"
    value: 2.0
  }
}
"""


def run(path, *arguments):
    path = path / "program.py"
    path.write_text(PROGRAM)
    return forked.run([str(path), *arguments])


def test_main_runs_the_tests(tmp_path):
    done = run(tmp_path)
    assert done.returncode == 1
    assert "not close" in done.stderr
    assert "FAILED (failures=1, skipped=1)" in done.stderr
    assert run(tmp_path, "Square.test_right").returncode == 0


@pytest.mark.parametrize("argument", [thorough("--benchmarks=all"), "--benchmarks=Speed", thorough("--benchmarks")])
def test_main_runs_the_benchmarks(tmp_path, argument):
    done = run(tmp_path, argument)
    assert (done.returncode, done.stdout.strip()) == (0, ENTRY.strip())


def test_main_leaves_out_other_benchmarks(tmp_path):
    assert run(tmp_path, "--benchmarks=cube").stdout == ""


def test_benchmark_is_for_inheriting(monkeypatch):
    class Own(tf.test.Benchmark):
        pass

    assert tf.test.Benchmark.is_abstract()
    assert not Own.is_abstract()
    with pytest.raises(NotImplementedError, match="tfcompat has no sessions"):
        Own().run_op_benchmark(None, None)
    monkeypatch.setenv("TEST_REPORT_FILE_PREFIX", "x")
    with pytest.raises(NotImplementedError, match="unset TEST_REPORT_FILE_PREFIX"):
        Own().report_benchmark(iters=1)


@pytest.mark.parametrize("is_disabled", [True, False])
def test_test_is_disabled_with_a_predicate(is_disabled):
    class Own(unittest.TestCase):
        @tf.test.disable_with_predicate(lambda: is_disabled, "a reason")
        def test_it(self):
            self.has_run = True

    case, result = Own("test_it"), unittest.TestResult()
    case.run(result)
    assert [reason for _, reason in result.skipped] == ["a reason"] * is_disabled
    assert hasattr(case, "has_run") is not is_disabled


def test_ops_as_functions_change_nothing():
    class Own(tf.test.TestCase):
        pass

    assert tf.test.with_eager_op_as_function(Own) is Own
    assert tf.test.with_eager_op_as_function(only_as_function=True)(Own) is Own


def test_machine_with_cpus():
    assert tf.test.is_built_with_xla()
    assert tf.test.is_built_with_gpu_support() == (tf.test.is_built_with_cuda() or tf.test.is_built_with_rocm())
    assert not tf.test.is_cpu_target_available("pwr")
    if jax.default_backend() == "cpu":
        assert not tf.test.is_gpu_available()
        assert not tf.test.is_gpu_available(cuda_only=True, min_cuda_compute_capability=(3, 0))
        assert tf.test.gpu_device_name() == ""


def test_sync_waits():
    x = tf.constant([1.0]) + 1.0
    with tf.counted() as happened:
        tf.test.experimental.sync_devices()
    assert happened.flushes == 1
    assert x.numpy() == [2.0]


@pytest.mark.parametrize("name", ["create_local_cluster", "assert_equal_graph_def", "benchmark_config"])
def test_what_needs_servers_or_graphs_is_refused(name):
    with pytest.raises(NotImplementedError, match=f"tf.test.{name} is not supported"):
        getattr(tf.test, name)()
