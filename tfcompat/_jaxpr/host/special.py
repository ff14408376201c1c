"""Kernels of special functions, for which NumPy has none.

They are SciPy's. Each is computed at least in float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._jaxpr.host.scientific import special
from tfcompat._jaxpr.host.step import Array, Kernel, Maker, Step, is_narrow


def _scipy(name: str) -> Maker:
    """The function of scipy.special, in the dtype of the first input."""

    def make(step: Step) -> Kernel:
        target = step.outputs[0].dtype
        working = np.float32 if is_narrow(target) else target

        def kernel(*inputs: Array) -> Array:
            return np.asarray(special(name)(*[x.astype(working) for x in inputs])).astype(target)

        return kernel

    return make


def _precisely(function: Any) -> Maker:
    """`function` of float64, rounded to the dtype of the output."""

    def make(step: Step) -> Kernel:
        target = step.outputs[0].dtype
        return lambda *inputs: np.asarray(function(*[x.astype(np.float64) for x in inputs])).astype(target)

    return make


# Coefficients of the powers of the square, the highest first: of the numerator, which is odd, and the denominator.
_ERF_OVER = (
    0.00022905065861350646,
    0.0034082910107109506,
    0.050955695062380861,
    0.18520832239976145,
    1.128379143519084,
)
_ERF_UNDER = (
    *(-1.1791602954361697e-7, 0.000023547966471313185, 0.0010179625278914885, 0.014070470171167667),
    *(0.11098505178285362, 0.49746925110067538, 1.0),
)
# From here on, erf is 1 in float32.
_ERF_END = 3.832506856900711


def _erf(step: Step) -> Kernel:
    """XLA's quotient of polynomials for float32; SciPy's function takes three times as long, and is loaded for it."""
    target = step.outputs[0].dtype
    if target.itemsize > _SINGLE:
        return _scipy("erf")(step)

    def kernel(x: Array) -> Array:
        x = np.clip(x.astype(np.float32), np.float32(-_ERF_END), np.float32(_ERF_END))
        square = x * x
        found = _horner(square, _ERF_OVER)
        found *= x
        found /= _horner(square, _ERF_UNDER)
        return np.clip(found, np.float32(-1), np.float32(1)).astype(target, copy=False)

    return kernel


_SINGLE = 4


def _horner(x: Array, coefficients: Sequence[float]) -> Array:
    """The polynomial with these coefficients, the highest first, as a new array of float32."""
    found = x * np.float32(coefficients[0])
    for coefficient in coefficients[1:-1]:
        found += np.float32(coefficient)
        found *= x
    found += np.float32(coefficients[-1])
    return found


def _erf_inv(x: Array) -> Array:
    return special("erfinv")(x)


def _polygamma(order: Array, x: Array) -> Array:
    """The derivative of digamma of any order; nan for an order that is not a natural number."""
    found = special("gamma")(order + 1) * special("zeta")(order + 1, x)
    found = np.where(order % 2 == 0, -found, found)
    found = np.where(order == 0, special("digamma")(x), found)
    return np.where((order < 0) | (order != np.floor(order)), np.nan, found)


def _igamma(a: Array, x: Array) -> Array:
    # At a = 0, XLA computes the limit by the branch for large x only.
    found = np.where((a == 0) & (x >= 1), 1.0, special("gammainc")(a, x))
    return np.where((x < 0) | (a < 0) | ((a == 0) & (x < 1)), np.nan, found)


def _igammac(a: Array, x: Array) -> Array:
    return np.where((x < 0) | (a < 0) | ((a == 0) & (x == 0)), np.nan, special("gammaincc")(a, x))


def _igamma_slope(a: Array, x: Array) -> Array:
    """The derivative of igamma(a, x) with respect to `a`."""
    density = np.exp(a * np.log(x) - x - special("gammaln")(a))
    slope = np.where(density == 0, 0.0, _relative_slope(a, x) * density)
    return _inside(a, x, slope)


def _sample_slope(a: Array, x: Array) -> Array:
    """The derivative of a gamma-distributed sample `x` with respect to `a`, its probability fixed."""
    slope = -_relative_slope(a, x) * x
    return _inside(a, x, slope)


def _inside(a: Array, x: Array, slope: Array) -> Array:
    """`slope` inside of the domain of igamma, 0 at its edge, and nan outside."""
    return np.where((x >= 0) & (a > 0), np.where(x == 0, 0.0, slope), np.nan)


def _relative_slope(a: Array, x: Array) -> Array:
    """The derivative of igamma(a, x) with respect to `a`, over x^a exp(-x) / gamma(a)."""
    a, x = np.broadcast_arrays(np.asarray(a), np.asarray(x))
    is_small = ~((x > 1) & (x > a))
    # Elements that another branch computes are replaced by harmless numbers.
    series = _slope_of_series(np.where(is_small, a, 1.0), np.where(is_small, x, 0.5))
    fraction = _slope_of_fraction(np.where(is_small, 1.0, a), np.where(is_small, 2.0, x))
    return np.where(is_small, series, -fraction)


_MOST_TERMS = 2_000


def _slope_of_series(a: Array, x: Array) -> Array:
    """From igamma = x^a exp(-x) / gamma(a + 1) * sum of x^n / ((a + 1) ... (a + n)).

    Source: Abramowitz and Stegun 6.5.29, differentiated term by term.
    """
    rising, term, total = np.array(a), np.ones_like(a), np.ones_like(a)
    slope, total_slope = np.zeros_like(a), np.zeros_like(a)
    for _ in range(_MOST_TERMS):
        rising += 1
        slope = slope * (x / rising) - term * x / rising**2
        term = term * (x / rising)
        total, total_slope = total + term, total_slope + slope
        if not np.any(np.abs(slope) > np.finfo(np.float64).eps * np.abs(total_slope)):
            break
    return (total_slope + total * (np.log(x) - special("digamma")(a + 1))) / a


def _slope_of_fraction(a: Array, x: Array) -> Array:
    """From 1 - igamma = x^a exp(-x) / gamma(a) times a continued fraction.

    Source: Abramowitz and Stegun 6.5.31, the even part, differentiated step by step.
    """
    y = 1 - a
    z = x + y + 1
    # Numerators and denominators of the last two convergents, and their derivatives.
    p, q = [np.ones_like(x), x + 1], [np.array(x), z * x]
    dp, dq = [np.zeros_like(x), np.zeros_like(x)], [np.zeros_like(x), -x]
    ratio = p[1] / q[1]
    slope = (dp[1] - ratio * dq[1]) / q[1]
    for k in range(1, _MOST_TERMS):
        y, z = y + 1, z + 2
        new_dp = dp[1] * z - p[1] - dp[0] * y * k + p[0] * k
        new_dq = dq[1] * z - q[1] - dq[0] * y * k + q[0] * k
        new_p, new_q = p[1] * z - p[0] * y * k, q[1] * z - q[0] * y * k
        scale = np.maximum(np.abs(new_p), 1.0)
        p, q = [p[1] / scale, new_p / scale], [q[1] / scale, new_q / scale]
        dp, dq = [dp[1] / scale, new_dp / scale], [dq[1] / scale, new_dq / scale]
        ratio = p[1] / q[1]
        last, slope = slope, (dp[1] - ratio * dq[1]) / q[1]
        if not np.any(np.abs(slope - last) > np.finfo(np.float64).eps * np.abs(slope)):
            break
    return slope + ratio * (np.log(x) - special("digamma")(a))


def _lgamma(x: Array) -> Array:
    """The logarithm of the absolute value of gamma."""
    return np.where(np.isinf(x), np.inf, special("gammaln")(x))


def _digamma(x: Array) -> Array:
    """The logarithmic derivative of gamma; nan at its poles."""
    return np.where((x <= 0) & (x == np.floor(x)), np.nan, special("digamma")(x))


def _betainc(a: Array, b: Array, x: Array) -> Array:
    return special("betainc")(a, b, x)


def _zeta(x: Array, q: Array) -> Array:
    return special("zeta")(x, q)


SPECIAL: dict[str, Maker] = {
    "bessel_i0e": _scipy("i0e"),
    "bessel_i1e": _scipy("i1e"),
    "digamma": _precisely(_digamma),
    "erf": _erf,
    "erf_inv": _precisely(_erf_inv),
    "erfc": _scipy("erfc"),
    "igamma": _precisely(_igamma),
    "igamma_grad_a": _precisely(_igamma_slope),
    "igammac": _precisely(_igammac),
    "lgamma": _precisely(_lgamma),
    "polygamma": _precisely(_polygamma),
    "random_gamma_grad": _precisely(_sample_slope),
    "regularized_incomplete_beta": _precisely(_betainc),
    "zeta": _precisely(_zeta),
}
