"""TensorFlow's names for devices, on a machine with CPUs."""

from __future__ import annotations

import os
from pathlib import Path

import jax
import pytest

import tfcompat as tf
from tests import forked
from tfcompat._dropin.device import choice

ROOT = Path(__file__).resolve().parents[2]
CPU = tf.config.PhysicalDevice("/physical_device:CPU:0", "CPU")
NOWHERE = tf.config.PhysicalDevice("/physical_device:GPU:99", "GPU")
has_one_cpu = pytest.mark.skipif(
    len(jax.local_devices()) > 1, reason="which device is the default depends on the machine"
)


@pytest.fixture
def hard_placement():
    tf.config.set_soft_device_placement(False)
    yield
    tf.config.set_soft_device_placement(True)


def test_devices_are_listed():
    assert CPU in tf.config.list_physical_devices()
    assert tf.config.list_physical_devices("CPU")[0] == CPU
    assert tf.config.LogicalDevice("/device:CPU:0", "CPU") in tf.config.list_logical_devices("CPU")
    assert tf.config.list_physical_devices("XX") == []
    assert tf.config.experimental.list_physical_devices is tf.config.list_physical_devices


def test_visible_devices_are_all_until_chosen():
    assert tf.config.get_visible_devices() == tf.config.list_physical_devices()
    tf.config.set_visible_devices(tf.config.list_physical_devices())
    assert tf.config.get_visible_devices() == tf.config.list_physical_devices()
    choice.visible = {}


@has_one_cpu
def test_absent_gpus_can_be_hidden():
    tf.config.set_visible_devices([], "GPU")
    assert tf.config.get_visible_devices("GPU") == []
    assert tf.config.get_visible_devices("CPU") == tf.config.list_physical_devices("CPU")
    choice.visible = {}


@has_one_cpu
def test_last_device_cannot_be_hidden():
    with pytest.raises(RuntimeError, match="no device would be left"):
        tf.config.set_visible_devices([], "CPU")
    assert tf.config.get_visible_devices() == tf.config.list_physical_devices()


@pytest.mark.parametrize(
    "wrong", ["CPU:0", NOWHERE, tf.config.LogicalDevice("/device:CPU:0", "CPU")], ids=["text", "absent", "logical"]
)
def test_unknown_device_cannot_be_made_visible(wrong):
    with pytest.raises(ValueError, match="Unrecognized device: "):
        tf.config.set_visible_devices([wrong])


def test_device_of_another_type_cannot_be_made_visible():
    with pytest.raises(ValueError, match="Unrecognized device: "):
        tf.config.set_visible_devices([CPU], "GPU")


def test_memory_growth_is_for_gpus():
    with pytest.raises(ValueError, match="cannot set memory growth on non-GPU devices"):
        tf.config.experimental.set_memory_growth(CPU, True)
    with pytest.raises(ValueError, match="Unrecognized device: "):
        tf.config.experimental.set_memory_growth(NOWHERE, True)


@has_one_cpu
@pytest.mark.parametrize(
    "name",
    [
        *("/CPU:0", "CPU:0", "cpu:0", "/device:CPU:0", "/GPU:0", "gpu", "CPU", "/CPU:1", "/TPU:0", "/device:CPU:*"),
        *("/job:localhost/replica:0/task:0/device:CPU:0", "job:localhost/", "//CPU:0", "/device:FOO:0", "", None),
        tf.config.LogicalDevice("/device:CPU:0", "CPU"),
    ],
)
def test_device_context_accepts(name):
    with tf.device(name) as entered:
        assert entered is None
        assert (tf.constant(1.0) + 1.0).device == "/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.mark.parametrize(
    "name", ["foo", "/cpu:0/foo", "/physical_device:CPU:0", "/device:CPU", " /CPU:0", "XLA_CPU:0", "localhost"]
)
def test_device_name_that_is_malformed_is_refused(name):
    with (
        pytest.raises(ValueError, match=r"Unknown attribute '.*' is encountered while parsing"),
        tf.device(name),
    ):
        pass


@pytest.mark.parametrize("name", [3, CPU])
def test_device_name_is_a_string(name):
    with pytest.raises(ValueError, match="Expecting a string device name"), tf.device(name):
        pass


@pytest.mark.parametrize("name", ["/job:worker/task:0", "/replica:1", "/task:1"])
def test_other_processes_are_refused(name):
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown device"), tf.device(name):
        pass


@pytest.mark.usefixtures("hard_placement")
@pytest.mark.parametrize("name", ["/GPU:99", "/CPU:99"])
def test_absent_device_is_refused_without_soft_placement(name):
    assert not tf.config.get_soft_device_placement()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not satisfy device specification"), tf.device(name):
        pass


def test_two_device_types_are_refused():
    with pytest.raises(ValueError, match="Multiple device types are not allowed"), tf.device("/CPU:0/GPU:0"):
        pass


def test_device_of_a_function_is_refused():
    with pytest.raises(RuntimeError, match=r"tf\.device does not support functions"):
        tf.device(lambda _: "/CPU:0")


def test_device_context_may_be_entered_again():
    context = tf.device("/CPU:0")
    with context, context:
        pass
    with context:
        pass


@has_one_cpu
def test_device_that_computes_anyway_costs_no_flush():
    with tf.counted() as during, tf.device("/CPU:0"):
        x = tf.constant(1.0) + 1.0
    assert during.flushes == 0
    assert x.numpy() == 2.0


TWO_DEVICES = """
import tensorflow as tf

x = tf.constant([1.0, 2.0]) * 2.0
with tf.device("/CPU:1"):
    y = x + 1.0
    v = tf.Variable([3.0, 4.0])
    with tf.device(None):
        z = y + 1.0
for tensor in (x, y, v, z):
    print(tensor.numpy().tolist(), tensor.device[-5:])
tf.config.set_visible_devices(tf.config.list_physical_devices()[1:])
hidden = x + 3.0
print(hidden.numpy().tolist(), hidden.device[-5:], len(tf.config.list_logical_devices()))
"""


def test_device_context_computes_on_the_device():
    environment = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    done = forked.run(["-m", "tfcompat", "-c", TWO_DEVICES], cwd=ROOT, environment=environment)
    assert done.stdout.splitlines() == [
        "[2.0, 4.0] CPU:0",
        "[3.0, 5.0] CPU:1",
        "[3.0, 4.0] CPU:1",
        "[4.0, 6.0] CPU:0",
        "[5.0, 7.0] CPU:1 1",
    ], done.stderr
