"""Eight simulated devices."""

from __future__ import annotations

import os

import tfcompat as tf

# Only `test_process.py` runs these tests, in a process of their own.
collect_ignore_glob = [] if os.environ.get("TFCOMPAT_TEST_DEVICES") == "8" else ["*.py"]
if not collect_ignore_glob:
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 8)
    if os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow":
        collect_ignore_glob.append("test_shard*.py")
