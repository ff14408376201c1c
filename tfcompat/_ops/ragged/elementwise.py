"""Elementwise functions on ragged tensors, applied to their values."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.dispatch import register
from tfcompat._ops import combination
from tfcompat._ops.array import creation
from tfcompat._ops.debugging import value_assertion
from tfcompat._ops.elementwise import (
    algebraic,
    bessel,
    bitwise,
    comparison,
    complex_number,
    rounding,
    special,
    transcendental,
)
from tfcompat._ops.network import activation, clip, loss
from tfcompat._ops.ragged.broadcasting import aligned
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.random import dropout

Function = Callable[..., Any]


@functools.cache
def _signature(function: Function) -> inspect.Signature:
    """The parameters of `function`; finding them takes longer than importing everything else here."""
    return inspect.signature(function)


def unary(function: Function) -> Function:
    """`function` of a tensor, extended to ragged tensors."""

    def on_values(*args: Any, **kwargs: Any) -> Any:
        given = _signature(function).bind(*args, **kwargs).arguments
        ragged = given.pop(next(iter(given)))
        return ragged.with_flat_values(function(ragged.flat_values, **given))

    return on_values


def binary(function: Function) -> Function:
    """`function` of two tensors, extended to two ragged tensors, or a ragged and a dense one."""

    def on_values(*args: Any, **kwargs: Any) -> Any:
        given = _signature(function).bind(*args, **kwargs).arguments
        first, second = list(given)[:2]
        x, y = given.pop(first), given.pop(second)
        return together(lambda a, b: function(a, b, **given), x, y)

    return on_values


def together(function: Function, x: Any, y: Any) -> Any:
    """`function` of the values of `x` and `y`, at least one of them ragged, broadcast to the same rows."""
    hint = x.dtype if isinstance(x, RaggedTensor) else y.dtype
    if _is_number(x):
        return y.with_flat_values(function(_dense(x, hint), y.flat_values))
    if _is_number(y):
        return x.with_flat_values(function(x.flat_values, _dense(y, hint)))
    operands = [held if isinstance(held, RaggedTensor) else _dense(held, hint) for held in (x, y)]
    flats, partitions = aligned(operands)
    return RaggedTensor._of(function(*flats), partitions)


def assertion(function: Function) -> Function:
    """`function`, which compares two tensors and returns nothing, extended to ragged tensors."""

    def on_values(x: Any, y: Any, *args: Any, **kwargs: Any) -> None:
        hint = getattr(x, "dtype", None) or getattr(y, "dtype", None)
        flats, _ = aligned([held if isinstance(held, RaggedTensor) else _dense(held, hint) for held in (x, y)])
        function(*flats, *args, **kwargs)

    return on_values


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex, str, bytes))


def _dense(value: Any, hint: Any) -> Any:
    held = as_tensor(value)
    return convert_to_tensor(value, dtype_hint=hint) if held is None else held


def add_n(inputs: Any, name: str | None = None) -> Any:
    """The sum of the tensors and ragged tensors of the list `inputs`."""
    del name
    if not inputs:
        raise ValueError("tf.math.add_n: inputs must not be empty.")
    total = inputs[0]
    for value in inputs[1:]:
        total = algebraic.add(total, value)
    return total


UNARY: tuple[Function, ...] = (
    *(algebraic.abs, algebraic.negative, algebraic.sign, algebraic.square, algebraic.sqrt),
    *(algebraic.rsqrt, algebraic.reciprocal, algebraic.reciprocal_no_nan),
    *(transcendental.exp, transcendental.expm1, transcendental.log, transcendental.log1p, transcendental.sigmoid),
    *(transcendental.log_sigmoid, transcendental.sin, transcendental.cos, transcendental.tan, transcendental.asin),
    *(transcendental.acos, transcendental.atan, transcendental.sinh, transcendental.cosh, transcendental.tanh),
    *(transcendental.asinh, transcendental.acosh, transcendental.atanh),
    *(special.erf, special.erfc, special.erfinv, special.erfcinv, special.ndtri, special.lgamma, special.digamma),
    *(special.dawsn, special.expint, special.spence, special.fresnel_cos, special.fresnel_sin),
    *(special.bessel_i0, special.bessel_i0e, special.bessel_i1, special.bessel_i1e),
    *(bessel.bessel_j0, bessel.bessel_j1, bessel.bessel_y0, bessel.bessel_y1),
    *(bessel.bessel_k0, bessel.bessel_k0e, bessel.bessel_k1, bessel.bessel_k1e),
    *(rounding.floor, rounding.ceil, rounding.rint, rounding.round, rounding.cast, rounding.saturate_cast),
    *(rounding.bitcast, bitwise.invert),
    *(comparison.is_nan, comparison.is_inf, comparison.is_finite, comparison.logical_not),
    *(activation.relu, activation.relu6, activation.elu, activation.selu, activation.softplus, activation.softsign),
    *(activation.leaky_relu, activation.gelu, activation.silu),
    *(complex_number.real, complex_number.imag, complex_number.conj, complex_number.angle),
    *(creation.zeros_like, creation.ones_like, clip.clip_by_value, dropout.stateless_dropout),
    value_assertion.check_numerics,
)  # fmt: skip
BINARY: tuple[Function, ...] = (
    *(algebraic.add, algebraic.subtract, algebraic.multiply, algebraic.divide, algebraic.realdiv),
    *(algebraic.floordiv, algebraic.floormod, algebraic.truncatediv, algebraic.truncatemod, algebraic.pow),
    *(algebraic.maximum, algebraic.minimum, algebraic.squared_difference, algebraic.product_no_nan),
    *(algebraic.divide_no_nan, algebraic.nextafter, transcendental.atan2),
    *(transcendental.xlogy, transcendental.xdivy, transcendental.xlog1py, special.zeta),
    *(comparison.equal, comparison.not_equal, comparison.less, comparison.less_equal, comparison.greater),
    *(comparison.greater_equal, comparison.logical_and, comparison.logical_or, comparison.logical_xor),
    *(bitwise.bitwise_and, bitwise.bitwise_or, bitwise.bitwise_xor, bitwise.left_shift, bitwise.right_shift),
    *(complex_number.complex, combination.scalar_mul, loss._sigmoid_cross_entropy),
)  # fmt: skip

ASSERT: tuple[Function, ...] = (
    *(value_assertion.assert_equal, value_assertion.assert_none_equal, value_assertion.assert_near),
    *(value_assertion.assert_less, value_assertion.assert_less_equal),
    *(value_assertion.assert_greater, value_assertion.assert_greater_equal),
)  # fmt: skip

for _function in UNARY:
    register(_function, RaggedTensor, unary(_function))
for _function in BINARY:
    register(_function, RaggedTensor, binary(_function))
for _function in ASSERT:
    register(_function, RaggedTensor, assertion(_function))
register(combination.add_n, RaggedTensor, add_n)
