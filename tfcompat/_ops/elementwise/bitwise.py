"""Operations on the bits of integers; the operators `&`, `|`, `^`, `~`, which are logical for booleans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import INTEGER, bool_
from tfcompat._ops.elementwise import comparison
from tfcompat._ops.elementwise.row import binary, unary


def _without_sign(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` of the bits as unsigned numbers.

    On a CPU, XLA (jaxlib 0.10) ends the process when it compiles "and" or "or" of two signed numbers that were
    converted from a wider dtype.
    """

    def unsigned(x: Any, y: Any) -> Any:
        plain = np.dtype(f"u{x.dtype}") if jnp.issubdtype(x.dtype, jnp.signedinteger) else x.dtype
        found = function(lax.bitcast_convert_type(x, plain), lax.bitcast_convert_type(y, plain))
        return lax.bitcast_convert_type(found, x.dtype)

    return unsigned


bitwise_and = binary(
    "bitwise.bitwise_and", _without_sign(jnp.bitwise_and), INTEGER, "The bits set in both `x` and `y`."
)
bitwise_or = binary("bitwise.bitwise_or", _without_sign(jnp.bitwise_or), INTEGER, "The bits set in `x` or in `y`.")
bitwise_xor = binary("bitwise.bitwise_xor", jnp.bitwise_xor, INTEGER, "The bits set in exactly one of `x` and `y`.")
invert = unary("bitwise.invert", jnp.bitwise_not, INTEGER, "The bits that are not set in `x`.")


def _within_width(shift: Callable[..., Any]) -> Callable[..., Any]:
    """`shift` by at least 0 bits, and fewer than `x` has."""
    return lambda x, y: shift(x, jnp.clip(y, 0, 8 * x.dtype.itemsize - 1))


_BOUNDS = "; `y` is clipped to the bits that `x` has."
left_shift = binary(
    "bitwise.left_shift", _within_width(jnp.left_shift), INTEGER, f"`x` shifted left by `y` bits{_BOUNDS}"
)
right_shift = binary(
    "bitwise.right_shift",
    _within_width(jnp.right_shift),
    INTEGER,
    f"`x` shifted right by `y` bits, keeping the sign{_BOUNDS}",
)


def _by_dtype(logical: Callable[..., Any], bitwise: Callable[..., Any]) -> Callable[..., Any]:
    def operate(*operands: Any) -> Any:
        tensor = next(operand for operand in operands if isinstance(operand, Tensor))
        return (logical if tensor.dtype is bool_ else bitwise)(*operands)

    return operate


and_ = _by_dtype(comparison.logical_and, bitwise_and)
or_ = _by_dtype(comparison.logical_or, bitwise_or)
xor = _by_dtype(comparison.logical_xor, bitwise_xor)
not_ = _by_dtype(comparison.logical_not, invert)
