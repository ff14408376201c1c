"""Properties of devices on a machine with CPUs."""

from __future__ import annotations

import pytest

import tfcompat as tf

CPU = tf.config.PhysicalDevice("/physical_device:CPU:0", "CPU")


@pytest.mark.parametrize("name", ["CPU:0", "/device:CPU:0", "cpu:0"])
def test_memory_of_a_cpu_is_not_counted(name):
    assert tf.config.experimental.get_memory_info(name) == {"current": 0, "peak": 0}
    assert tf.config.experimental.get_memory_usage(name) == 0
    tf.config.experimental.reset_memory_stats(name)


@pytest.mark.parametrize("name", ["foo", "CPU"])
def test_name_must_hold_a_type_and_an_index(name):
    with pytest.raises(ValueError, match="Failed parsing device name"):
        tf.config.experimental.get_memory_info(name)


def test_absent_device_has_no_memory():
    with pytest.raises(ValueError, match="No matching devices found for 'GPU:99'"):
        tf.config.experimental.reset_memory_stats("GPU:99")


def test_details():
    assert tf.config.experimental.get_device_details(CPU) == {}
    with pytest.raises(ValueError, match=r"device must be a tf\.config.PhysicalDevice, but got: CPU:0"):
        tf.config.experimental.get_device_details("CPU:0")
    with pytest.raises(ValueError, match=r"must be one obtained from calling `tf\.config.list_physical_devices`"):
        tf.config.experimental.get_device_details(tf.config.PhysicalDevice("/physical_device:GPU:99", "GPU"))
