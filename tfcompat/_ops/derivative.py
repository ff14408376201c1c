"""Derivatives that differ from JAX's: TensorFlow's choices at ties, kinks and poles.

They are `jax.custom_jvp` rules, so forward mode, higher orders and `jax.vmap` keep working.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_derivatives import SymbolicZero

from tfcompat._jaxpr import lean


def with_derivative(function: Callable[..., Any], *rules: Callable[..., Any] | None) -> Callable[..., Any]:
    """`function` with a custom derivative: one rule for each argument, None for one without a derivative.

    A rule takes (tangent, value, *arguments) and returns the contribution of its argument to the tangent of the value.
    It must be linear in the tangent. All arrays that `function` and the rules use must be arguments: in a loop, JAX
    calls the rules after it has traced the body, when an array of the body that a rule closes over no longer exists.
    """
    ruled = jax.custom_jvp(function)

    def push(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        value = ruled(*primals)
        pairs = zip(rules, tangents, strict=True)
        moved = [(rule, t) for rule, t in pairs if rule is not None and not isinstance(t, SymbolicZero)]
        parts = [_of_shape(value.shape, rule(t, value, *primals)) for rule, t in moved]
        return value, functools.reduce(lax.add, parts) if parts else lax.full_like(value, 0)

    ruled.defjvp(push, symbolic_zeros=True)
    return ruled


def _of_shape(shape: tuple[int, ...], array: Any) -> Any:
    return array if array.shape == shape else jnp.broadcast_to(array, shape)


# 0, with the derivative 1.
_nothing = with_derivative(lambda array: lax.full_like(array, 0), lambda t, *_: t)


def guarded(tangent: Any, slope: Any) -> Any:
    """`tangent * slope`, but 0 where `tangent` is 0 and `slope` is infinite or nan; the same for cotangents.

    Selecting on the tangent would not be linear, so it would have no transpose. Instead a pole is written as a product
    of finite factors, which is 0 for a tangent of 0 and overflows for any other. The factors are symmetric, because a
    cotangent passes them in the opposite order. At a pole only the derivative depends on `slope`.
    """
    if jnp.iscomplexobj(slope):
        return tangent * slope
    if tangent.shape != slope.shape:
        tangent, slope = jnp.broadcast_arrays(tangent, slope)
    is_finite = lax.is_finite(slope)
    zero = lax.full_like(slope, 0)
    # Not a constant: the compiler would multiply it out to infinity.
    large = lax.select(is_finite, lax.full_like(slope, 1), lax.full_like(slope, jnp.finfo(slope.dtype).max))
    pole = lax.select(lax.ne(slope, slope), zero, lax.sign(slope))
    regular, singular = lax.select(is_finite, tangent, zero), lax.select(is_finite, zero, tangent)
    product = lax.mul(regular, lax.select(is_finite, slope, zero))
    infinite = functools.reduce(lax.mul, (singular, large, large, pole, large, large))
    return lax.add(lax.add(product, infinite), lax.mul(singular, _nothing(slope)))


def detached(array: Any) -> Any:
    """`array` without a derivative with respect to the values that it was computed from: it is absent, not 0."""
    whole = {2: jnp.uint16, 4: jnp.uint32, 8: jnp.uint64}[array.dtype.itemsize]
    return lax.bitcast_convert_type(lax.bitcast_convert_type(array, whole), array.dtype)


# The array itself, whose derivative is 0.
unmoved = with_derivative(lambda array: array, lambda t, *_: lax.full_like(t, 0))


def along(tangent: Any, direction: Any) -> Any:
    """The part of `tangent` along `direction`, a number of size 1 or 0."""
    return jnp.real(tangent * jnp.conj(direction)) if jnp.iscomplexobj(direction) else tangent * direction


def across(tangent: Any, direction: Any) -> Any:
    """The part of `tangent` across `direction`, a number of size 1 or 0."""
    return tangent - direction * along(tangent, direction)


# JAX's sign of a complex number has no derivative.
absolute = with_derivative(jnp.abs, lambda t, _, x: along(t, direction(x) if jnp.iscomplexobj(x) else jnp.sign(x)))
direction = with_derivative(
    jnp.sign,
    lambda t, y, x: (
        _quotient_or_zero(across(t, y), absolute(x).astype(x.dtype)) if jnp.iscomplexobj(x) else jnp.zeros_like(t)
    ),
)
square_root = with_derivative(jnp.sqrt, lambda t, root, _: guarded(t, lean.divide(0.5, root)))
inverse = with_derivative(
    lambda x: lean.divide(1, x), lambda t, inverse, _: guarded(t, lax.mul(lax.neg(inverse), inverse))
)
inverse_root = with_derivative(
    lambda x: lean.divide(1, lax.sqrt(x)),
    lambda t, inverse, _: guarded(t, lax.mul(lax.mul(lean.multiply(-0.5, inverse), inverse), inverse)),
)


def _conjugate_difference(x: Any, y: Any) -> Any:
    difference = lean.subtract(x, y)
    return lax.conj(difference) if jnp.iscomplexobj(difference) else difference


# For complex numbers, TensorFlow's derivative of this function lacks a conjugation.
squared_difference = with_derivative(
    lambda x, y: lax.mul(lean.subtract(x, y), _conjugate_difference(x, y)),
    lambda t, _, x, y: lean.multiply(t, lean.multiply(2, _conjugate_difference(x, y))),
    lambda t, _, x, y: lean.multiply(t, lean.multiply(-2, _conjugate_difference(x, y))),
)

larger = with_derivative(
    jnp.maximum, lambda t, _, x, y: lean.where(x >= y, t, 0), lambda t, _, x, y: lean.where(x >= y, 0, t)
)
smaller = with_derivative(
    jnp.minimum, lambda t, _, x, y: lean.where(x <= y, t, 0), lambda t, _, x, y: lean.where(x <= y, 0, t)
)


def _quotient_or_zero(x: Any, y: Any) -> Any:
    is_zero = lax.eq(y, np.zeros((), y.dtype))
    quotient = lean.divide(x, lean.where(is_zero, 1, y))
    return lean.where(is_zero, 0, quotient)


# x / y, but 0 where y is 0.
quotient_or_zero = with_derivative(
    _quotient_or_zero,
    lambda t, _quotient, _x, y: _quotient_or_zero(t, y),
    lambda t, _, x, y: t * quotient_or_zero(quotient_or_zero(-x, y), y),
)

# x * y, but 0 where y is 0. For complex numbers, TensorFlow's derivative lacks conjugations.
product_or_zero = with_derivative(
    lambda x, y: jnp.where(y == 0, 0, x * y),
    lambda t, _product, _x, y: t * jnp.conj(y),
    lambda t, _product, x, _y: guarded(t, jnp.conj(x)),
)


def _log_of_base(x: Any) -> Any:
    """log(x), but 0 where powers of `x` count as constant in the exponent."""
    has_log = x != 0 if jnp.iscomplexobj(x) else x > 0
    return jnp.where(has_log, jnp.log(jnp.where(has_log, x, jnp.ones_like(x))), jnp.zeros_like(x))


def _raised(x: Any, y: Any) -> Any:
    """`x` to the power of `y`; for integers, its low bits (jnp.power uses only six bits of the exponent)."""
    if not jnp.issubdtype(x.dtype, jnp.integer):
        return jnp.power(x, y)
    base, exponent = jnp.broadcast_arrays(x, y)

    def square(state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        product, base, exponent = state
        return jnp.where(exponent & 1, product * base, product), base * base, exponent >> 1

    return lax.while_loop(lambda state: jnp.any(state[2] > 0), square, (jnp.ones_like(base), base, exponent))[0]


power = with_derivative(
    _raised,
    lambda t, _, x, y: t * (y * power(x, y - 1)),
    lambda t, power, x, _: t * (power * _log_of_base(x)),
)


def repeated_product(x: Any, exponent: int) -> Any:
    """`x` to the power of `exponent`, computed by multiplication, as is its derivative."""
    product = with_derivative(
        lambda base: lax.integer_pow(base, exponent),
        lambda t, _, base: t * (exponent * repeated_product(base, exponent - 1)),
    )
    return product(x)
