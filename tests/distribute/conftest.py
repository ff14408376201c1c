"""Four replicas for the tests of strategies."""

from __future__ import annotations

import os

import pytest

import tfcompat as tf

DEVICES = [f"CPU:{number}" for number in range(4)]

if os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow":  # several_devices.py has tfcompat's tests on such devices
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * len(DEVICES))


@pytest.fixture(scope="session")
def strategy():
    """A strategy with four replicas. TensorFlow runs collectives of only one strategy in a process."""
    return tf.distribute.MirroredStrategy(DEVICES)
