"""Primitives that pass padding through: each element of the output depends on those at its own place in the inputs."""

from __future__ import annotations

from typing import Any

from tfcompat._jaxpr.padded.equation import Rule, applied, unchanged
from tfcompat._jaxpr.padded.padding import Padding
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.size import is_open

NAMES = (
    *("abs", "acos", "acosh", "add", "add_any", "and", "asin", "asinh", "atan", "atan2", "atanh", "bessel_i0e"),
    *("bessel_i1e", "bitcast_convert_type", "cbrt", "ceil", "clamp", "clz", "complex", "conj"),
    *("convert_element_type", "copy", "copy_p", "cos", "cosh", "digamma", "div", "eq", "eq_to", "erf", "erf_inv"),
    *("erfc", "exp", "exp2", "expm1", "floor", "ge", "gt", "igamma", "igamma_grad_a", "igammac", "imag"),
    *("integer_pow", "is_finite", "le", "le_to", "lgamma", "log", "log1p", "log2", "logistic", "lt", "lt_to"),
    *("max", "min", "mul", "mulhi", "name", "ne", "neg", "nextafter", "not", "one_minus_square"),
    *("or", "polygamma", "polynomial", "population_count", "pow", "real"),
    *("reduce_precision", "regularized_incomplete_beta", "rem", "round", "rsqrt", "select_n", "shift_left"),
    *("shift_right_arithmetic", "shift_right_logical", "sign", "sin", "sinh", "sqrt", "square", "stop_gradient"),
    *("sub", "tan", "tanh", "threefry2x32", "xor", "zeta"),
)


def _elementwise(padding: Padding, equation: Any, *arrays: Any) -> Any:
    """Sizes of 1 broadcast. A parameter, such as an exponent, is not a size."""
    for name, value in equation.params.items():
        if is_open(value):
            raise NoRule(equation.primitive.name, f"{name} is {value}")
    for sizes in zip(*[atom.aval.shape for atom in equation.invars if atom.aval.shape], strict=True):
        if len({padding.physical(size) for size in sizes if is_open(size) or size != 1}) > 1:
            # JAX holds two expressions for equal that have different bounds.
            raise NoRule(equation.primitive.name, f"sizes {sizes} with different bounds")
    return applied(equation, *arrays)


RULES: dict[str, Rule] = dict.fromkeys(NAMES, _elementwise) | {"optimization_barrier": unchanged}
