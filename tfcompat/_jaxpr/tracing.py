"""JAX's tracing, which no signal handler interrupts: an exception would leave JAX in the tracing state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from tfcompat._jaxpr.collection import uncollected
from tfcompat._jaxpr.postponement import postponed


def traced(fn: Callable[..., Any], structs: Sequence[Any]) -> Any:
    """The jaxpr of `fn` for arguments like `structs`, with 64 bits."""
    with postponed(), uncollected(), jax.enable_x64(True):
        return jax.make_jaxpr(fn)(*structs)


def result_structs(fn: Callable[..., Any], structs: Sequence[Any]) -> Any:
    """The shapes and dtypes of the results of `fn` for arguments like `structs`, with 64 bits."""
    with postponed(), uncollected(), jax.enable_x64(True):
        return jax.eval_shape(fn, *structs)
