"""A choice between functions for devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def execute_fn_for_device(
    device_branch_fns: Mapping[str, Callable[[], Any]], default_fn: Callable[[], Any], name: str = "execute_fn"
) -> Any:
    """`default_fn()`: TensorFlow calls it in every program that XLA compiles, whatever the device.

    Source: TF 2.21 `tf.__internal__.execute_fn_for_device`.
    """
    del device_branch_fns, name
    return default_fn()
