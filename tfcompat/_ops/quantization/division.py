"""Division by whole numbers, to the last bit."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp


def divided(x: Any, number: Any) -> Any:
    """`x / number`, rounded once.

    A compiler multiplies by the reciprocal of a constant instead, and takes quotients of quotients together, but the
    last bit decides where halves are rounded to. So neither the divisor nor the answer looks like what it is: for nan
    they are something else, which does not matter.
    """
    is_nan = jnp.isnan(x)
    return jnp.where(is_nan, x, x / jnp.where(is_nan, jnp.ones_like(x), number))
