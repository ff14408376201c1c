"""Asynchronous scopes, DLPack, profiles and XLA's names."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


def test_scope_computes_what_was_called_in_it():
    with tf.counted() as happened, tf.experimental.async_scope():
        x = tf.constant([1.0]) + 1.0
    assert happened.flushes == 1
    assert x.numpy() == [2.0]


def test_scope_tells_what_went_wrong():
    table = tf.Variable([1.0, 2.0, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.gather"), tf.experimental.async_scope():
        _kept = tf.gather(table, tf.cast(table * 2.0, tf.int32))


def test_errors_are_forgotten():
    table = tf.Variable([1.0, 2.0, 3.0])
    _kept = tf.gather(table, tf.cast(table * 2.0, tf.int32))
    tf.sync()
    tf.experimental.async_clear_error()
    assert (tf.constant([1.0]) + 1.0).numpy() == [2.0]
    with tf.experimental.function_executor_type("any"):
        assert tf.function(lambda: tf.constant(1))().numpy() == 1


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.float16])
def test_capsules_go_back_and_forth(dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    there = tf.experimental.dlpack.to_dlpack(tf.constant(array))
    assert type(there).__name__ == "PyCapsule"
    back = tf.experimental.dlpack.from_dlpack(there)
    np.testing.assert_array_equal(back.numpy(), array)
    assert back.dtype == dtype
    with pytest.raises(tf.errors.InvalidArgumentError, match="from_dlpack"):
        tf.experimental.dlpack.from_dlpack(there)


def test_variables_are_handed_out_as_they_are_now():
    variable = tf.Variable([1.0, 2.0])
    capsule = tf.experimental.dlpack.to_dlpack(variable)
    variable.assign([3.0, 4.0])
    assert tf.experimental.dlpack.from_dlpack(capsule).numpy().tolist() == [1.0, 2.0]


def test_profile_is_written(tmp_path):
    profiler = tf.profiler.experimental
    with (
        profiler.Profile(str(tmp_path)),
        profiler.Trace("step", step_num=3, _r=1),
        profiler.Trace("inner", a=1) as trace,
    ):
        trace.set_metadata(b=2)
        _ = tf.constant([1.0]) + 1.0
        with pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler is running"):
            profiler.start(str(tmp_path))
    assert list(tmp_path.glob("plugins/profile/*/*.xplane.pb"))
    with pytest.raises(tf.errors.UnavailableError, match="No profiler is running"):
        profiler.stop()


def test_options_of_profiles(tmp_path):
    profiler = tf.profiler.experimental
    assert profiler.ProfilerOptions() == (2, 0, 1, None)
    for options in (profiler.ProfilerOptions(delay_ms=3), profiler.ProfilerOptions(device_tracer_level=0)):
        with pytest.raises(NotImplementedError, match="delays and device levels are not supported"):
            profiler.start(str(tmp_path), options)
    profiler.start(str(tmp_path), profiler.ProfilerOptions(host_tracer_level=1, python_tracer_level=1))
    profiler.stop(save=False)
    assert not list(tmp_path.iterdir())


def test_compilation_by_name():
    experimental = tf.xla.experimental
    assert experimental.compile(lambda a, b: a + b, [1.0, 2.0])[0].numpy() == 3.0
    assert experimental.compile(lambda: tf.constant(3.0))[0].numpy() == 3.0
    assert experimental.compile(lambda a: {"a": tf.constant(a)}, [1.0])["a"].numpy() == 1.0


def test_scope_of_compilation_is_for_functions():
    scope = tf.xla.experimental.jit_scope

    def double(x, *arguments):
        with scope(*arguments):
            return x * 2.0

    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        double(1.0)
    assert tf.function(double)(tf.constant(1.0)).numpy() == 2.0
    assert tf.function(double)(tf.constant(1.0), False).numpy() == 2.0
    assert tf.function(double)(tf.constant(1.0), True, True).numpy() == 2.0


def test_scope_of_compilation_is_for_functions_that_choose_rows_by_value():
    @tf.function
    def sums(rows):
        return tf.map_fn(sum_of_positive, rows)

    def sum_of_positive(row):
        chosen = tf.boolean_mask(row, row > 0.0)
        with tf.xla.experimental.jit_scope(compile_ops=False):
            return tf.reduce_sum(chosen)

    assert sums(tf.constant([[1.0, 2.0], [3.0, -4.0]])).numpy().tolist() == [3.0, 3.0]


def test_versions():
    assert (tf.__version__, tf.version.VERSION) == ("2.21.0", "2.21.0")
    assert tf.__git_version__ == tf.version.GIT_VERSION == "v2.21.0-tfcompat"
    assert tf.__compiler_version__ == tf.version.COMPILER_VERSION
    assert tf.version.GRAPH_DEF_VERSION == 2474
    assert set(tf.sysconfig.get_build_info()) == {"is_cuda_build", "is_rocm_build", "is_tensorrt_build"}


def test_horizon_of_compatibility():
    assert tf.compat.forward_compatible(2026, 1, 15)
    assert not tf.compat.forward_compatible(2026, 1, 16)
    with tf.compat.forward_compatibility_horizon(2018, 3, 10):
        assert tf.compat.forward_compatible(2018, 4, 1)
    with tf.compat.forward_compatibility_horizon(2030, 3, 10):
        assert tf.compat.forward_compatible(2030, 3, 9)
        assert not tf.compat.forward_compatible(2030, 3, 10)
    assert not tf.compat.forward_compatible(2030, 3, 9)


def test_structures_and_stacks():
    one = tf.constant(1)
    assert tf.tuple([one, None, 2.0], control_inputs=[one]) == [one, None, 2.0]
    assert tf.tuple({"a": one})["a"] is one
    with pytest.raises(RuntimeError, match=r"tf.parallel_stack\(\) is not compatible with eager execution"):
        tf.parallel_stack([one, one])
    assert tf.function(lambda x: tf.parallel_stack([x, x]))(one).numpy().tolist() == [1, 1]
    assert (tf.AggregationMethod.DEFAULT, tf.AggregationMethod.EXPERIMENTAL_TREE) == (0, 1)


def test_smallest_elements_are_found():
    found = tf.approx_top_k(tf.constant([1.0, 5.0, 3.0]), 2, is_max_k=False)
    assert (found.values.numpy().tolist(), found.indices.numpy().tolist()) == ([1.0, 3.0], [0, 2])
