"""`jax.jit`, whose call no signal handler interrupts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from tfcompat._jaxpr.postponement import postponed


def jitted(function: Callable[..., Any], **options: Any) -> Any:
    """`jax.jit(function, **options)`.

    JAX holds a lock while it looks the function up by its hash, which runs Python code. A signal handler that ran there
    and compiled something would wait for that lock for ever.
    """
    with postponed():
        return jax.jit(function, **options)
