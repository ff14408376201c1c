"""Devices that plug-ins of TensorFlow provide."""

from __future__ import annotations


def list_pluggable_physical_devices() -> list[bytes]:
    """None: plug-ins of TensorFlow cannot be loaded, and those of JAX are ordinary devices.

    Source: TF 2.21, `TF_ListPluggablePhysicalDevices` of `tensorflow.python.pywrap_tfe`.
    """
    return []
