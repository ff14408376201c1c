"""The values that change no minimum, maximum or bitwise combination."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np


def lowest(dtype: Any) -> Any:
    """The value that no other is less than."""
    return _extreme(np.dtype(dtype), -np.inf, "min")


def highest(dtype: Any) -> Any:
    """The value that no other is greater than."""
    return _extreme(np.dtype(dtype), np.inf, "max")


def _extreme(dtype: np.dtype[Any], infinity: float, name: str) -> Any:
    if dtype == np.bool_:
        return infinity > 0
    if jnp.issubdtype(dtype, jnp.inexact):
        value = np.asarray(infinity).astype(dtype)
        return value if np.isinf(value) else getattr(jnp.finfo(dtype), name)
    return getattr(jnp.iinfo(dtype), name)


def ones(dtype: Any) -> Any:
    """The value with all bits set."""
    dtype = np.dtype(dtype)
    return True if dtype == np.bool_ else np.invert(np.zeros((), dtype))


def last(dtype: Any) -> Any:
    """The value that sorts behind all others."""
    dtype = np.dtype(dtype)
    return np.asarray(np.nan).astype(dtype) if jnp.issubdtype(dtype, jnp.inexact) else highest(dtype)
