"""The special functions of statistics and physics, element by element."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tfcompat._core.calls.declare import Array, op
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import FLOATING, float32, float64
from tfcompat._ops.derivative import detached, with_derivative
from tfcompat._ops.elementwise.row import binary, unary

_PRECISE = frozenset((float32, float64))

# `jax.scipy.special` is slow to import, and JAX imports it at first use: inside these functions, not here.
_quantile = with_derivative(
    lambda x: jax.scipy.special.ndtri(x), lambda t, y, _: t * (math.sqrt(2 * math.pi) * jnp.exp(jnp.square(y) / 2))
)

erf = unary("math.erf", lax.erf, FLOATING, "The error function of `x`.")
erfc = unary("math.erfc", lax.erfc, FLOATING, "1 minus the error function of `x`; precise where that is near 1.")
erfinv = unary("math.erfinv", lax.erf_inv, FLOATING, "The number whose error function is `x`.")
erfcinv = unary(
    "math.erfcinv",
    lambda x: -_quantile(x / 2) * math.sqrt(0.5),
    FLOATING,
    "The number whose complementary error function is `x`.",
)
ndtri = unary(
    "math.ndtri",
    _quantile,
    FLOATING,
    "The quantile of the standard normal distribution for the probability `x`.",
)


def _of_one_rank(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` of arrays that broadcast; JAX's function requires equal ranks."""
    return lambda *arrays: function(*jnp.broadcast_arrays(*arrays))


_i0 = with_derivative(lambda x: jax.scipy.special.i0(x), lambda t, _, x: t * _i1(x))
# At 0 the derivative of the second one is 1 / 2, but TensorFlow's is 1.
_i1 = with_derivative(
    lambda x: jax.scipy.special.i1(x), lambda t, i1, x: t * jnp.where(x == 0, 1, _i0(x) - i1 / jnp.where(x == 0, 1, x))
)
_i1e = with_derivative(
    lax.bessel_i1e,
    lambda t, i1e, x: t * jnp.where(x == 0, 0.5, lax.bessel_i0e(x) - i1e * (jnp.sign(x) + 1 / jnp.where(x == 0, 1, x))),
)


def _zeta_at(x: Any, q: Any) -> Any:
    """The zeta function; JAX's is wrong for `q` far below 0.

    The sum of `(q + n)**-x` over all integers n has a period of 1 in q. The terms below n = 0 form another zeta
    function.
    """
    zeta = _of_one_rank(lax.zeta)
    is_low = (q < -4) & jnp.isfinite(q)
    part = jnp.where(is_low, q - jnp.floor(q), q)
    whole = jnp.where(is_low, q, 0)
    below = zeta(x, 1 - jnp.where(is_low, part, 0)) - zeta(x, 1 - whole)
    turned = jnp.where(x % 2 == 0, below, -below)
    found = zeta(x, part) + jnp.where(is_low, turned, 0)
    found = jnp.where((q == jnp.inf) & (x > 1), 0, jnp.where(x == 1, jnp.inf, found))
    return jnp.where((x < 1) | (is_low & (x != jnp.floor(x))), jnp.nan, found)


def _digamma_at(x: Any) -> Any:
    """As `lax.digamma`, but nan at the pole 0 as in TensorFlow; JAX gives -inf or nan, depending on its version."""
    return jnp.where(x == 0, jnp.nan, lax.digamma(x))


def _polygamma_at(a: Any, x: Any) -> Any:
    is_digamma = a == 0
    order = jnp.where(is_digamma, 1, a)
    size = jnp.exp(lax.lgamma(order + 1)) * _zeta_at(order + 1, x)
    above = jnp.where(order % 2 == 0, -size, size)
    return jnp.where(is_digamma, _digamma_at(x), jnp.where((a < 0) | (a != jnp.floor(a)), jnp.nan, above))


_digamma = with_derivative(_digamma_at, lambda t, _, x: t * _polygamma(jnp.ones_like(x), x))
_lgamma = with_derivative(lax.lgamma, lambda t, _, x: t * _digamma(x))
_polygamma = with_derivative(
    _polygamma_at,
    lambda t, *_: t * 0,
    lambda t, _, a, x: t * _polygamma(detached(a + 1), x),
)
_zeta = with_derivative(_zeta_at, lambda t, *_: t * 0, lambda t, _, x, q: t * (-x * _zeta(x + 1, q)))


def _betainc_at(a: Any, b: Any, x: Any) -> Any:
    """`lax.betainc`, but nan unless `a` and `b` are positive and finite."""
    return jnp.where((a > 0) & (a < jnp.inf) & (b > 0) & (b < jnp.inf), lax.betainc(a, b, x), jnp.nan)


_betainc = with_derivative(
    _betainc_at, lambda t, *_: t * 0, lambda t, *_: t * 0, lambda t, _, a, b, x: t * _beta_density(a, b, x)
)


def _beta_density(a: Any, b: Any, x: Any) -> Any:
    log_beta = _lgamma(a) + _lgamma(b) - _lgamma(a + b)
    return jnp.exp((b - 1) * jnp.log(1 - x) + (a - 1) * jnp.log(x) - log_beta)


lgamma = unary("math.lgamma", _lgamma, FLOATING, "The logarithm of the absolute value of the gamma function of `x`.")
digamma = unary("math.digamma", _digamma, FLOATING, "The derivative of `lgamma(x)`.")
polygamma = binary(
    "math.polygamma",
    _polygamma,
    _PRECISE,
    "The derivative of order `a` of `digamma(x)`.",
    of=("a", "x"),
    gradient="None for `a`",
    differentiable=("x",),
)
zeta = binary(
    "math.zeta",
    _zeta,
    _PRECISE,
    "The sum of `(q + n)**-x` over all n from 0 on.",
    of=("x", "q"),
    gradient="None for `x`",
    differentiable=("q",),
)


def _lower(a: Any, x: Any) -> Any:
    """The lower incomplete gamma function with TensorFlow's limits: 0 at 0 and for infinite order."""
    inner = lax.igamma(a, x)
    return jnp.where((x == 0) | ((a == jnp.inf) & (x > 0)), 0, jnp.where((a == 0) & (x > 0), jnp.nan, inner))


def _upper(a: Any, x: Any) -> Any:
    """The upper incomplete gamma function with TensorFlow's limits: 1 for infinite order, 0 at infinity."""
    inner = jnp.where((a == 0) & (x > 0), jnp.nan, lax.igammac(a, x))
    return jnp.where((a == jnp.inf) & (x > 0), (x < jnp.inf).astype(x.dtype), inner)


def _slope_of_order(a: Any, x: Any) -> Any:
    """The derivative of the lower function with respect to its order."""
    is_end = (x == 0) | ((x > 0) & ((x == jnp.inf) & (a > 0) | (a == jnp.inf)))
    return jnp.where(is_end, 0, lax.igamma_grad_a(a, x))


def _density(a: Any, x: Any) -> Any:
    """The derivative of the lower function with respect to its argument."""
    return jnp.exp((a - 1) * jnp.log(x) - x - _lgamma(a))


_igamma = with_derivative(_lower, lambda t, _, a, x: t * _slope_of_order(a, x), lambda t, _, a, x: t * _density(a, x))
_igammac = with_derivative(
    _upper, lambda t, _, a, x: t * -_slope_of_order(a, x), lambda t, _, a, x: t * -_density(a, x)
)
igamma = binary(
    "math.igamma",
    _of_one_rank(_igamma),
    FLOATING,
    "The lower incomplete gamma function of order `a` at `x`, divided by the complete one.",
    of=("a", "x"),
)
igammac = binary(
    "math.igammac",
    _of_one_rank(_igammac),
    FLOATING,
    "The upper incomplete gamma function of order `a` at `x`, divided by the complete one.",
    of=("a", "x"),
)


def _require_one_shape(a: Any, b: Any, x: Any) -> None:
    shapes = {array.shape for array in (a, b, x) if array.ndim}
    if len(shapes) > 1:
        raise InvalidArgumentError.of(f"tf.math.betainc: a, b and x must have one shape or be scalars, got {shapes}.")


@op("math.betainc", dtypes=_PRECISE, differentiable=("x",), validate=_require_one_shape)
def betainc(a: Array, b: Array, x: Array) -> Array:
    """The incomplete beta function of `a` and `b` up to `x`, divided by the complete one.

    Shapes: one shape for all, or scalars with a shape -> the same.
    Dtypes: float32, float64 -> the same.
    Gradient: None for `a` and `b`.
    Raises: InvalidArgumentError for another dtype, or if the dtypes differ.
    Source: TF 2.21 `tf.math.betainc`.
    """
    return _betainc(*jnp.broadcast_arrays(a, b, x))


@op("math.lbeta", dtypes=FLOATING)
def lbeta(x: Array) -> Array:
    """The logarithm of the absolute value of the beta function of the numbers along the last axis of `x`.

    Shapes: [*batch, n] -> [*batch].
    Dtypes: floating -> the same.
    Raises: InvalidArgumentError if `x` has rank 0.
    Source: TF 2.21 `tf.math.lbeta`.
    """
    return jnp.sum(_lgamma(x), -1) - _lgamma(jnp.sum(x, -1))


bessel_i0 = unary("math.bessel_i0", _i0, FLOATING, "The modified Bessel function of order 0 of `x`.")
bessel_i0e = unary("math.bessel_i0e", lax.bessel_i0e, FLOATING, "`bessel_i0(x)` divided by exp(abs(`x`)).")
bessel_i1 = unary("math.bessel_i1", _i1, FLOATING, "The modified Bessel function of order 1 of `x`.")
bessel_i1e = unary("math.bessel_i1e", _i1e, FLOATING, "`bessel_i1(x)` divided by exp(abs(`x`)).")


dawsn = unary(
    "math.special.dawsn",
    with_derivative(lambda x: jax.scipy.special.dawsn(x), lambda t, y, x: t * (1 - 2 * x * y)),
    _PRECISE,
    "Dawson's integral at `x`: exp(-`x`^2) times the integral of exp(t^2) from 0 to `x`.",
)


def _exponential_integral(x: Array) -> Array:
    # JAX's function does not return for some negative numbers.
    positive = jax.scipy.special.expi(jnp.where(x > 0, x, jnp.ones_like(x)))
    return jnp.where(x > 0, positive, jnp.where(x == 0, -jnp.inf, jnp.nan))


expint = unary(
    "math.special.expint",
    with_derivative(
        _exponential_integral,
        lambda t, _, x: t * (jnp.exp(x) / x),
    ),
    _PRECISE,
    "The exponential integral Ei of `x`; nan where `x` is negative.",
)
fresnel_cos = unary(
    "math.special.fresnel_cos",
    with_derivative(
        lambda x: jax.scipy.special.fresnel(x)[1], lambda t, _, x: t * jnp.cos(math.pi / 2 * jnp.square(x))
    ),
    _PRECISE,
    "Fresnel's integral of the cosine of pi t^2 / 2 from 0 to `x`.",
)
fresnel_sin = unary(
    "math.special.fresnel_sin",
    with_derivative(
        lambda x: jax.scipy.special.fresnel(x)[0], lambda t, _, x: t * jnp.sin(math.pi / 2 * jnp.square(x))
    ),
    _PRECISE,
    "Fresnel's integral of the sine of pi t^2 / 2 from 0 to `x`.",
)
spence = unary(
    "math.special.spence",
    with_derivative(
        lambda x: jax.scipy.special.spence(x),
        lambda t, _, x: t * jnp.where(x == 1, -1, jnp.log(x) / jnp.where(x == 1, 1, 1 - x)).astype(x.dtype),
    ),
    _PRECISE,
    "Spence's integral at `x`: the dilogarithm of 1 - `x`.",
)
