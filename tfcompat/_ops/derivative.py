"""Derivatives that differ from JAX's: TensorFlow's choices at ties, kinks and poles.

They are `jax.custom_jvp` rules, so forward mode, higher orders and `jax.vmap` keep working.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

Rule = Callable[..., Any]


def with_derivative(function: Callable[..., Any], *rules: Rule) -> Callable[..., Any]:
    """`function` with a derivative of our own: one rule for each argument.

    A rule takes (tangent, value, *arguments) and returns the tangent of the value that comes from its argument; it must be linear in the tangent.
    """
    ruled = jax.custom_jvp(function)

    def push(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        value = ruled(*primals)
        moved = [(rule, t) for rule, t in zip(rules, tangents, strict=True) if not isinstance(t, SymbolicZero)]
        parts = [jnp.broadcast_to(rule(t, value, *primals), value.shape) for rule, t in moved]
        return value, sum(parts[1:], parts[0]) if parts else jnp.zeros_like(value)

    ruled.defjvp(push, symbolic_zeros=True)
    return ruled


def guarded(tangent: Any, slope: Any) -> Any:
    """`tangent * slope`, but 0 where `tangent` is 0 and `slope` is infinite or nan; the same for cotangents.

    A selection on the tangent would not be linear, and so have no transpose. Instead a pole is written as a product of finite factors, which
    keeps 0 at 0 and overflows for all else. The factors stand symmetrically, since a cotangent meets them in the opposite order.
    """
    if jnp.issubdtype(slope.dtype, jnp.complexfloating):
        return tangent * slope
    large = jnp.finfo(slope.dtype).max
    outer = jnp.where(jnp.isfinite(slope), jnp.ones_like(slope), large)
    middle = jnp.where(jnp.isfinite(slope), slope, jnp.where(jnp.isnan(slope), jnp.zeros_like(slope), jnp.sign(slope)))
    return tangent * outer * outer * middle * outer * outer
