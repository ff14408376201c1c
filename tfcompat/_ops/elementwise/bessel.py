"""Bessel functions of the orders 0 and 1: power series near 0, numerical quadrature of integrals elsewhere.

For x > 2 the Hankel functions are exp(i x) / sqrt(x) times the mean of (1 + i w^2 / 2x)^(order - 1/2) over a normal
distribution of w, weighted by w^(2 order). The integrand has no singularity nearby, so a sum over equidistant points
is accurate to the last digits. The same holds for the modified functions of the second kind, with i x for x.

Source: Watson, A treatise on the theory of Bessel functions (1922), 6.2 and 7.2.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.types.dtype import float16, float32, float64
from tfcompat._ops.derivative import with_derivative
from tfcompat._ops.elementwise.row import unary

_DTYPES = frozenset((float16, float32, float64))
_NEAR = 2.0
_TERMS = 20
_STEP = 0.2
_PLACES = np.arange(32) * _STEP


def _coefficients(order: int) -> tuple[list[float], list[float]]:
    """Coefficients of the power series of J and I, and of the part of Y and K next to the logarithm."""
    regular = [1 / (4**k * math.factorial(k) * math.factorial(k + order) * 2**order) for k in range(_TERMS)]
    harmonic = [sum(1 / j for j in range(1, k + 1)) for k in range(_TERMS + 1)]
    return regular, [c * (harmonic[k] + harmonic[k + order]) / 2 for k, c in enumerate(regular)]


def _series(x: Any, order: int, sign: int) -> tuple[Any, Any]:
    """The series for J (`sign` -1) or I (1), and for the part of Y or K next to the logarithm."""
    square = sign * x * x
    regular, other = (
        functools.reduce(lambda total, c: total * square + c, coefficients[::-1], jnp.zeros_like(x))
        for coefficients in _coefficients(order)
    )
    return (regular * x, other * x) if order else (regular, other)


def _integral(z: Any, order: int) -> Any:
    """The mean of (1 + w^2 / 2z)^(order - 1/2), for order 1 weighted by 2 w^2."""
    squares = _PLACES**2
    weights = np.exp(-squares) * (2 * squares if order else 1) * _STEP * 2 / math.sqrt(math.pi)
    weights[0] /= 2
    root = jnp.sqrt(1 + squares / (2 * z[..., None]))
    return jnp.sum(weights * (root if order else 1 / root), -1)


def _hankel(x: Any, order: int) -> Any:
    """J + i Y at x > 0, not near 0."""
    phase = x - (2 * order + 1) * math.pi / 4
    wave = jnp.cos(phase) + 1j * jnp.sin(phase)
    return jnp.sqrt(2 / (math.pi * x)) * wave * _integral(-1j * x, order)


def _logarithm(x: Any) -> Any:
    return jnp.log(x / 2) + np.euler_gamma


def _precisely(function: Any) -> Any:
    """`function`, which takes float64, as a function of any floating dtype."""

    def precise(x: Any) -> Any:
        return function(x.astype(jnp.float64)).astype(x.dtype)

    return precise


def _near_or_far(x: Any, near: Any, far: Any) -> Any:
    """`near` for x up to 2, and `far` for x above."""
    is_near = ~(x > _NEAR)
    return jnp.where(is_near, near(jnp.where(is_near, x, 1.0)), far(jnp.where(is_near, _NEAR, x)))


def _first(order: int) -> Any:
    """The Bessel function of the first kind."""

    def value(x: Any) -> Any:
        size = jnp.abs(x)
        found = _near_or_far(size, lambda x: _series(x, order, -1)[0], lambda x: jnp.real(_hankel(x, order)))
        return found * jnp.sign(x) if order else found

    return _precisely(value)


def _second(order: int) -> Any:
    """The Bessel function of the second kind."""

    def near(x: Any) -> Any:
        regular, other = _series(x, order, -1)
        found = 2 / math.pi * (_logarithm(x) * regular - other)
        return found - 2 / (math.pi * x) if order else found

    def value(x: Any) -> Any:
        found = _near_or_far(x, near, lambda x: jnp.imag(_hankel(x, order)))
        return jnp.where(x > 0, found, jnp.where(x <= 0, -jnp.inf, jnp.nan))

    precise = _precisely(value)
    # TensorFlow's 32-bit kernel meets infinities there that cancel.
    return lambda x: jnp.where((x == 0) & (order == 1) & (x.dtype.itemsize < 8), jnp.nan, precise(x))


def _modified(order: int, is_scaled: bool) -> Any:
    """The modified Bessel function of the second kind; times exp(x) if it is scaled."""

    def near(x: Any) -> Any:
        regular, other = _series(x, order, 1)
        found = (other - _logarithm(x) * regular) if not order else 1 / x + _logarithm(x) * regular - other
        return found * jnp.exp(x) if is_scaled else found

    def far(x: Any) -> Any:
        found = jnp.sqrt(math.pi / (2 * x)) * _integral(x, order)
        return found if is_scaled else found * jnp.exp(-x)

    def value(x: Any) -> Any:
        return jnp.where(x > 0, _near_or_far(x, near, far), jnp.where(x <= 0, jnp.inf, jnp.nan))

    return _precisely(value)


def _slope_at_zero(slope: Any, x: Any, at_zero: float) -> Any:
    return jnp.where(x == 0, jnp.asarray(at_zero, x.dtype), slope)


_j0 = with_derivative(_first(0), lambda t, _, x: -t * _j1(x))
_j1 = with_derivative(
    _first(1), lambda t, j1, x: t * _slope_at_zero(_j0(x) - j1 / jnp.where(x == 0, jnp.ones_like(x), x), x, 0.5)
)
_y0 = with_derivative(_second(0), lambda t, _, x: -t * _y1(x))
_y1 = with_derivative(_second(1), lambda t, y1, x: t * (_y0(x) - y1 / x))
_k0 = with_derivative(_modified(0, False), lambda t, _, x: -t * _k1(x))
_k1 = with_derivative(_modified(1, False), lambda t, k1, x: t * (-_k0(x) - k1 / x))
_k0e = with_derivative(_modified(0, True), lambda t, k0e, x: t * (k0e - _k1e(x)))
_k1e = with_derivative(_modified(1, True), lambda t, k1e, x: t * (k1e * (1 - 1 / x) - _k0e(x)))


def _kind(name: str, function: Any, summary: str) -> Any:
    return unary(f"math.special.{name}", function, _DTYPES, f"The {summary} of `x`.")


bessel_j0 = _kind("bessel_j0", _j0, "Bessel function of the first kind of order 0")
bessel_j1 = _kind("bessel_j1", _j1, "Bessel function of the first kind of order 1")
bessel_y0 = _kind("bessel_y0", _y0, "Bessel function of the second kind of order 0")
bessel_y1 = _kind("bessel_y1", _y1, "Bessel function of the second kind of order 1")
bessel_k0 = _kind("bessel_k0", _k0, "modified Bessel function of the second kind of order 0")
bessel_k1 = _kind("bessel_k1", _k1, "modified Bessel function of the second kind of order 1")
bessel_k0e = _kind("bessel_k0e", _k0e, "modified Bessel function of the second kind of order 0, times exp(x),")
bessel_k1e = _kind("bessel_k1e", _k1e, "modified Bessel function of the second kind of order 1, times exp(x),")
