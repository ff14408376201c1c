"""Division of a CPU into several devices; each test runs in a new process, before any computation."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import tfcompat as tf
from tests import forked

ROOT = Path(__file__).resolve().parents[2]
PLAIN = tf.config.LogicalDeviceConfiguration()
CPU = tf.config.PhysicalDevice("/physical_device:CPU:0", "CPU")


def run(code):
    """The output of `code` after a division of the first CPU into two."""
    start = (
        "import tfcompat as tf\n"
        "cpu = tf.config.list_physical_devices('CPU')[0]\n"
        "two = [tf.config.LogicalDeviceConfiguration()] * 2\n"
        "tf.config.set_logical_device_configuration(cpu, two)\n"
    )
    done = forked.run(["-c", start + code], cwd=ROOT, environment={**os.environ, "JAX_PLATFORMS": "cpu"})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_cpu_becomes_two_devices():
    said = run(
        "print(tf.config.get_logical_device_configuration(cpu) == two)\n"
        "print([device.name for device in tf.config.list_logical_devices()])\n"
        "print([device.name for device in tf.config.list_physical_devices()])\n"
        "with tf.device('/CPU:1'):\n"
        "    x = tf.constant([1.0, 2.0]) + 1.0\n"
        "print(x.numpy(), x.device)\n"
    )
    assert said.splitlines() == [
        "True",
        "['/device:CPU:0', '/device:CPU:1']",
        "['/physical_device:CPU:0']",
        "[2. 3.] /job:localhost/replica:0/task:0/device:CPU:1",
    ]


def test_devices_cannot_be_divided_once_something_was_computed():
    said = run(
        "tf.config.set_logical_device_configuration(cpu, two)\n"
        "x = tf.Variable(tf.range(5.0)[1:] * 2.0)\n"
        "tf.sync()\n"
        "tf.config.set_logical_device_configuration(cpu, two)\n"
        "try:\n"
        "    tf.config.set_logical_device_configuration(cpu, two * 2)\n"
        "except RuntimeError as error:\n"
        "    print(error)\n"
    )
    assert said.startswith("Virtual devices cannot be modified after being initialized")


def test_undivided_device_has_no_configuration():
    assert tf.config.get_logical_device_configuration(CPU) is None
    tf.config.set_logical_device_configuration(CPU, [])
    assert tf.config.get_logical_device_configuration(CPU) is None


@pytest.mark.parametrize("limit", [PLAIN._replace(memory_limit=100), PLAIN._replace(experimental_priority=1)])
def test_cpu_has_no_limits(limit):
    with pytest.raises(ValueError, match="on CPU virtual devices is currently not supported"):
        tf.config.set_logical_device_configuration(CPU, [limit])


def test_unknown_device_is_refused():
    with pytest.raises(ValueError, match="Unrecognized device: 'x'"):
        tf.config.set_logical_device_configuration("x", [PLAIN])


def test_older_names():
    experimental = tf.config.experimental
    assert experimental.VirtualDeviceConfiguration is tf.config.LogicalDeviceConfiguration
    assert experimental.set_virtual_device_configuration is tf.config.set_logical_device_configuration
    assert experimental.get_virtual_device_configuration is tf.config.get_logical_device_configuration
