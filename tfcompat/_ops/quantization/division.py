"""Division by whole numbers, exact to the last bit."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp


def divided(x: Any, number: Any) -> Any:
    """`x / number`, rounded once.

    A compiler would multiply by the reciprocal of a constant, and merge repeated quotients, but the last bit decides
    the
    rounding of halves. So the code hides the divisor and the result from the compiler: both depend on whether `x` is
    nan,
    where the divisor is irrelevant.
    """
    is_nan = jnp.isnan(x)
    return jnp.where(is_nan, x, x / jnp.where(is_nan, jnp.ones_like(x), number))
