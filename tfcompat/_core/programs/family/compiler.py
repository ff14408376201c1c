"""XLA's options for padded programs: they are compiled in half of the time, and run as fast.

Measured with JAX 0.10 on two CPU cores, CPU seconds to compile and milliseconds a step, with XLA's defaults and with
these options: attention 1.24 and 0.69, 59 and 60; convolutions 0.97 and 0.53, 17 and 13; translation 2.05 and 0.77, 6.5
and 6.2.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp

from tfcompat._core.system.device import computing_device
from tfcompat._jaxpr.jit import jitted

_OPTIONS: Mapping[str, Any] = {
    "xla_backend_optimization_level": 1,
    "xla_cpu_parallel_codegen_split_count": 4,
    "xla_cpu_use_fusion_emitters": False,
}


def options() -> dict[str, Any]:
    """The options for the current device. Those that the user has set in XLA_FLAGS are left to the user."""
    if computing_device().platform != "cpu" or not _are_known():
        return {}
    flags = os.environ.get("XLA_FLAGS", "")
    return {name: value for name, value in _OPTIONS.items() if name not in flags}


@functools.cache
def _are_known() -> bool:
    """Whether this release of XLA has the options, whose names no release promises."""
    try:
        jitted(lambda: jnp.zeros(()), compiler_options=dict(_OPTIONS)).lower().compile()
    except jax.errors.JaxRuntimeError:
        return False
    return True
