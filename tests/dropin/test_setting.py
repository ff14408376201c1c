"""Settings of TensorFlow's runtime: stored, effective and refused ones."""

from __future__ import annotations

import os

import jax
import pytest

import tfcompat as tf
from tfcompat._core.system.config import settings
from tfcompat._dropin import setting
from tfcompat._random import seed


@pytest.fixture(autouse=True)
def as_at_first(monkeypatch):
    monkeypatch.setattr(setting, "remembered", setting._Remembered())


@pytest.mark.parametrize(
    ("enabled", "answer"),
    [(True, "autoclustering"), ("autoclustering", "autoclustering"), (False, ""), ("other", "")],
)
def test_jit_is_answered_back(enabled, answer):
    assert tf.config.optimizer.get_jit() == ""
    tf.config.optimizer.set_jit(enabled)
    assert tf.config.optimizer.get_jit() == answer


def test_optimizations_are_answered_back():
    options = tf.config.optimizer
    assert options.get_experimental_options() == {"disable_model_pruning": False, "disable_meta_optimizer": False}
    options.set_experimental_options({"layout_optimizer": False, "no_such_thing": True})
    options.set_experimental_options({"disable_meta_optimizer": True})
    assert options.get_experimental_options() == {
        "disable_model_pruning": False,
        "disable_meta_optimizer": True,
        "layout_optimizer": False,
    }


def test_narrower_dtypes_are_refused():
    tf.config.optimizer.set_experimental_options({"auto_mixed_precision": False})
    assert tf.config.optimizer.get_experimental_options()["auto_mixed_precision"] is False
    with pytest.raises(NotImplementedError, match="auto_mixed_precision would compute in dtypes that"):
        tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})


@pytest.mark.parametrize("which", ["inter", "intra"])
def test_threads_are_answered_back(which):
    get = getattr(tf.config.threading, f"get_{which}_op_parallelism_threads")
    assert get() == 0
    getattr(tf.config.threading, f"set_{which}_op_parallelism_threads")(3)
    assert get() == 3


def test_device_policy():
    experimental = tf.config.experimental
    assert experimental.get_device_policy() == "silent"
    experimental.set_device_policy("silent_for_int32")
    assert experimental.get_device_policy() == "silent_for_int32"
    experimental.set_device_policy(None)
    assert experimental.get_device_policy() == "silent"
    with pytest.raises(ValueError, match="Invalid argument `device_policy`: 'foo'"):
        experimental.set_device_policy("foo")
    for policy in ("explicit", "warn"):
        with pytest.raises(NotImplementedError, match=policy):
            experimental.set_device_policy(policy)


def test_synchronous_execution_is_answered_back():
    assert tf.config.experimental.get_synchronous_execution() is True
    tf.config.experimental.set_synchronous_execution(False)
    assert tf.config.experimental.get_synchronous_execution() is False


def test_short_floats_are_jaxs_precision():
    assert tf.config.experimental.tensor_float_32_execution_enabled() is True
    before = jax.config.jax_default_matmul_precision
    try:
        tf.config.experimental.enable_tensor_float_32_execution(False)
        assert tf.config.experimental.tensor_float_32_execution_enabled() is False
        text = jax.jit(jax.numpy.dot).lower(jax.numpy.ones([2, 2]), jax.numpy.ones([2, 2])).as_text()
        assert "HIGHEST" in text
        tf.config.experimental.enable_tensor_float_32_execution(True)
        assert jax.config.jax_default_matmul_precision is None
    finally:
        jax.config.update("jax_default_matmul_precision", before)


def test_tracebacks_are_filtered_as_jax_filters_them():
    before = jax.config.jax_traceback_filtering
    try:
        assert tf.debugging.is_traceback_filtering_enabled() is True
        tf.debugging.disable_traceback_filtering()
        assert (tf.debugging.is_traceback_filtering_enabled(), jax.config.jax_traceback_filtering) == (False, "off")
        tf.debugging.enable_traceback_filtering()
        assert (tf.debugging.is_traceback_filtering_enabled(), jax.config.jax_traceback_filtering) == (True, "auto")
    finally:
        jax.config.update("jax_traceback_filtering", before)


@pytest.fixture
def deterministic(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", os.environ.get("XLA_FLAGS", "") + " --xla_gpu_deterministic_ops=true")
    monkeypatch.setattr(seed._seeds, "allows_chance", True)
    monkeypatch.setattr(settings, "is_deterministic", False)
    tf.random.set_seed(None)
    tf.config.experimental.enable_op_determinism()


@pytest.mark.usefixtures("deterministic")
@pytest.mark.parametrize(
    "draw",
    [
        lambda: tf.random.uniform([2]),
        lambda: tf.random.shuffle(tf.range(3)),
        lambda: tf.nn.dropout(tf.ones([3]), 0.5),
        lambda: tf.random_normal_initializer()([2]),
        lambda: tf.function(lambda: tf.random.normal([2]))(),
        tf.random.Generator.from_non_deterministic_state,
    ],
    ids=["uniform", "shuffle", "dropout", "initializer", "function", "generator"],
)
def test_draw_without_a_seed_is_an_error_once_determinism_is_asked_for(draw):
    with pytest.raises(RuntimeError, match="Random ops require a seed to be set when determinism is enabled"):
        draw()


@pytest.mark.usefixtures("deterministic")
def test_draws_with_seeds_go_on_when_determinism_is_asked_for():
    assert tf.random.uniform([2], seed=1).numpy() == pytest.approx([0.2390374, 0.92039955])
    assert tf.random.stateless_uniform([2], [1, 2]).shape == [2]
    tf.random.set_seed(3)
    try:
        assert tf.random.uniform([2]).numpy() == pytest.approx([0.13366318, 0.5678531])
    finally:
        tf.random.set_seed(None)


def test_aliases_that_tensorflow_deprecates():
    assert tf.config.experimental_run_functions_eagerly is tf.config.run_functions_eagerly
    assert tf.config.experimental_functions_run_eagerly is tf.config.functions_run_eagerly


def test_placement_is_told_program_by_program(capsys):
    device = "/job:localhost/replica:0/task:0/device:"
    assert tf.debugging.get_log_device_placement() is False
    tf.debugging.set_log_device_placement(True)
    try:
        assert tf.debugging.get_log_device_placement() is True
        _ = (tf.constant([1.0, 2.0]) * 2.0 + 1.0).numpy()
    finally:
        tf.debugging.set_log_device_placement(False)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(device)[0] for line in lines] == [
        "Executing op multiply in device ",
        "Executing op add in device ",
    ]
    _ = (tf.constant([1.0, 2.0]) * 2.0).numpy()
    assert capsys.readouterr().err == ""
