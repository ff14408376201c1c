"""Kernels of primitives that compute each element from the same element of each input."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from jax import lax

from tfcompat._jaxpr.host.step import Array, Kernel, Maker, Step, always, is_inexact, is_integer, widened


def _divide(step: Step) -> Kernel:
    if is_inexact(step.dtype):
        return np.divide
    return _divide_integers


def _divide_integers(x: Array, y: Array) -> Array:
    """The quotient rounded towards zero, and -1 where `y` is 0."""
    divisor = np.where(y == 0, y.dtype.type(1), y)
    quotient = np.floor_divide(x, divisor)
    if x.dtype.kind == "i":
        quotient = quotient + (((x < 0) != (divisor < 0)) & (quotient * divisor != x))
    return np.where(y == 0, np.invert(np.zeros((), x.dtype)), quotient).astype(x.dtype)


def _remainder(step: Step) -> Kernel:
    if is_inexact(step.dtype):
        return widened(np.fmod)(step)
    return lambda x, y: np.where(y == 0, x, np.fmod(x, np.where(y == 0, y.dtype.type(1), y))).astype(x.dtype)


def _power(step: Step) -> Kernel:
    base, exponent = step.dtype, step.inputs[1].dtype
    if base == exponent:
        return np.power
    return lambda x, y: np.power(x, y.astype(base))


def _integer_power(step: Step) -> Kernel:
    exponent, dtype = step.params["y"], step.dtype

    def kernel(x: Array) -> Array:
        factor, rest, result = x, abs(exponent), None
        while rest:
            if rest & 1:
                result = factor if result is None else result * factor
            rest >>= 1
            if rest:
                factor = factor * factor
        if result is None:
            return np.ones(x.shape, dtype)
        return result if exponent > 0 else dtype.type(1) / result

    return widened(kernel)(step)


def _sign(step: Step) -> Kernel:
    if step.dtype.kind == "c":
        return _sign_of_complex
    if is_integer(step.dtype):
        return np.sign
    # Unlike np.sign, XLA keeps the sign of a zero.
    return lambda x: np.where((x == 0) | np.isnan(x), x, np.copysign(x.dtype.type(1), x))


def _sign_of_complex(x: Array) -> Array:
    size = np.abs(x)
    return np.where(size == 0, x.dtype.type(0), x / np.where(size == 0, size.dtype.type(1), size))


_BITS = {size: np.dtype(f"u{size}") for size in (2, 4, 8)}
# Smaller arrays are selected from by NumPy.
_FEW = 64
# Rows with this many elements are selected one by one.
_WIDE = 256


def _select(step: Step) -> Kernel:
    if step.dtype == np.bool_ and len(step.inputs) == 3:
        bits = _BITS.get(step.inputs[1].dtype.itemsize)

        def choose(which: Array, no: Array, yes: Array) -> Array:
            if which.ndim > 1 and not any(which.strides[1:]) and which.size >= max(_WIDE * len(which), 1):
                return _selected_by_row(which, no, yes)
            return np.where(which, yes, no) if bits is None else _selected(which, no, yes, bits)

        return choose

    def kernel(which: Array, *cases: Array) -> Array:
        result = cases[0]
        for k, case in enumerate(cases[1:], 1):
            result = np.where(which >= k, case, result)
        return result

    return kernel


def _selected_by_row(which: Array, no: Array, yes: Array) -> Array:
    """As `_selected`, where `which` is the same within each row: 32 images take 0.4 ms instead of 3."""
    found = np.empty(which.shape, no.dtype)
    for row, is_chosen in enumerate(which[(slice(None), *[0] * (which.ndim - 1))].tolist()):
        found[row] = (yes if is_chosen else no)[row]
    return found


def _selected(which: Array, no: Array, yes: Array, bits: np.dtype[Any]) -> Array:
    """`yes` where `which` is true, else `no`, of which each element has `bits`.

    `np.where` branches at each element. Where neighbours differ, as in the derivative of a relu, it takes forty times
    as long: 1,065 us instead of 26 for 150,000 elements.
    """
    if which.ndim == 0 or which.size < _FEW:
        return np.where(which, yes, no)
    mask = which.astype(bits, order="C")
    np.negative(mask, out=mask)
    if _is_zero(no, bits):
        mask &= yes.view(bits)
    elif _is_zero(yes, bits):
        np.invert(mask, out=mask)
        mask &= no.view(bits)
    else:
        other = no.view(bits)
        mask &= other ^ yes.view(bits)
        mask ^= other
    return mask.view(no.dtype)


def _is_zero(array: Array, bits: np.dtype[Any]) -> bool:
    """Whether one number, 0 without a sign, is broadcast in `array`."""
    return not any(array.strides) and not array.view(bits)[(0,) * array.ndim]


def _clamp(low: Array, x: Array, high: Array) -> Array:
    return np.minimum(np.maximum(x, low), high)


def _convert(step: Step) -> Kernel:
    source, target = step.dtype, np.dtype(step.params["new_dtype"])
    if source == target:
        return lambda x: x
    if target == np.bool_:
        return lambda x: x != 0
    if source.kind == "c" and target.kind != "c":
        return lambda x: x.real.astype(target)
    if is_inexact(source) and is_integer(target):
        return lambda x: saturated(x, target)
    if target.name.startswith("float8") or source.name.startswith(("float8", "int4", "uint4")):
        return lambda x: np.asarray(x).astype(np.float32).astype(target)
    return lambda x: x.astype(target)


def saturated(x: Array, dtype: np.dtype[Any]) -> Array:
    """Floats as integers: rounded towards zero, the nearest bound where that is out of range, and 0 for nan."""
    bounds = ml_dtypes.iinfo(dtype)
    if x.dtype.kind == "f" and x.size and float(bounds.min) < x.min() and x.max() < float(bounds.max):
        return x.astype(dtype)
    wide = np.asarray(x).astype(np.float64)
    # The upper bound may round up to a float that is out of range.
    whole = np.where(np.isnan(wide), 0, np.trunc(wide))
    kept = np.where((whole >= float(bounds.max)) | (whole <= float(bounds.min)), 0, whole).astype(dtype)
    kept = np.where(whole >= float(bounds.max), np.array(bounds.max, dtype), kept)
    return np.where(whole <= float(bounds.min), np.array(bounds.min, dtype), kept)


def _bitcast(step: Step) -> Kernel:
    source, target, shape = step.dtype, np.dtype(step.params["new_dtype"]), step.shape
    if source.itemsize < target.itemsize:
        return lambda x: np.ascontiguousarray(x).view(target).reshape(shape)
    return lambda x: np.ascontiguousarray(np.reshape(x, (*x.shape, 1))).view(target).reshape(shape)


def _unsigned(x: Array) -> Array:
    return np.asarray(x).view(f"u{x.dtype.itemsize}")


def _shift_right_logical(x: Array, count: Array) -> Array:
    return np.right_shift(_unsigned(x), _unsigned(count)).view(x.dtype)


def _shift_left(x: Array, count: Array) -> Array:
    return np.left_shift(_unsigned(x), _unsigned(count)).view(x.dtype)


def _shift_right_arithmetic(x: Array, count: Array) -> Array:
    most = 8 * x.dtype.itemsize - 1
    signed = np.asarray(x).view(f"i{x.dtype.itemsize}")
    return np.right_shift(signed, np.minimum(_unsigned(count), most).astype(signed.dtype)).view(x.dtype)


def _round(step: Step) -> Kernel:
    if step.params["rounding_method"] == lax.RoundingMethod.TO_NEAREST_EVEN:
        return np.rint
    return widened(_round_away)(step)


def _round_away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(x.dtype.type(1), x), np.copysign(whole, x))


def _population_count(x: Array) -> Array:
    return np.bitwise_count(_unsigned(x)).astype(x.dtype)


def _leading_zeros(x: Array) -> Array:
    bits = _unsigned(x).astype(np.uint64)
    # Halves of 32 bits are exact as floats.
    high, low = (np.frexp(half.astype(np.float64))[1] for half in (bits >> np.uint64(32), bits & np.uint64(0xFFFFFFFF)))
    return (8 * x.dtype.itemsize - np.where(high > 0, high + 32, low)).astype(x.dtype)


def _logistic(x: Array) -> Array:
    one = x.dtype.type(1)
    return one / (one + np.exp(-x))


def _total_order(compare: Any) -> Maker:
    """Comparisons in the total order of floats: -nan < -inf < -0 < 0 < inf < nan."""

    def make(step: Step) -> Kernel:
        if not is_inexact(step.dtype):
            return compare
        return lambda x, y: compare(order_key(x), order_key(y))

    return make


def order_key(x: Array) -> Array:
    """Integers that are ordered as the floats `x` are in their total order."""
    bits = np.asarray(x).view(f"i{x.dtype.itemsize}")
    return np.where(bits < 0, np.iinfo(bits.dtype).max ^ bits, bits)


def _reduce_precision(step: Step) -> Kernel:
    """Rounds to fewer bits, to the nearest even number; too small numbers become 0."""
    dtype, exponent, mantissa = step.dtype, step.params["exponent_bits"], step.params["mantissa_bits"]
    own_exponent, own_mantissa = _FORMATS[dtype.name]
    word = np.dtype(f"u{dtype.itemsize}").type
    cut = own_mantissa - mantissa
    sign = word(1 << (8 * dtype.itemsize - 1))
    infinity = word(((1 << own_exponent) - 1) << own_mantissa)
    kept = word(((1 << 8 * dtype.itemsize) - 1) & ~((1 << max(cut, 0)) - 1))
    bias, reach = (1 << (own_exponent - 1)) - 1, (1 << (min(exponent, own_exponent) - 1)) - 1
    most, least = word((bias + reach) << own_mantissa), word((bias - reach) << own_mantissa)

    def kernel(x: Array) -> Array:
        x = np.asarray(x)
        bits = x.view(word)
        if cut > 0:
            last = (bits >> word(cut)) & word(1)
            bits = (bits + last + word((1 << (cut - 1)) - 1)) & kept
        if exponent < own_exponent:
            size = bits & infinity
            bits = np.where(size > most, (bits & sign) | infinity, bits)
            bits = np.where(size <= least, bits & sign, bits)
        return np.where(np.isnan(x), x, bits.astype(word).view(dtype))

    return kernel


# Dtype -> bits of the exponent and of the mantissa.
_FORMATS = {"float64": (11, 52), "float32": (8, 23), "float16": (5, 10), "bfloat16": (8, 7)}


def _multiply(step: Step) -> Kernel:
    target = step.outputs[0].dtype
    if step.dtype == target:
        return np.multiply
    return lambda x, y: np.multiply(x.astype(target), y.astype(target))


def _complex(step: Step) -> Kernel:
    target = step.outputs[0].dtype

    def kernel(real: Array, imaginary: Array) -> Array:
        out = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imaginary)), target)
        out.real, out.imag = real, imaginary
        return out

    return kernel


def _polynomial(x: Array, *coefficients: Array) -> Array:
    """The polynomial with these coefficients, that of the power 0 first."""
    result = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        result = result * x + coefficient
    return result


def _multiply_high(step: Step) -> Kernel:
    """The upper half of the product's bits."""
    dtype = step.dtype
    if dtype.itemsize == 8:
        return np.vectorize(lambda x, y: (int(x) * int(y)) >> 64, otypes=[dtype])
    wide = np.dtype(f"{dtype.kind}{2 * dtype.itemsize}")
    return lambda x, y: ((x.astype(wide) * y.astype(wide)) >> wide.type(8 * dtype.itemsize)).astype(dtype)


def _conjugate(dtype: np.dtype[Any]) -> Kernel:
    return lambda x: np.conjugate(x).astype(dtype)


# NumPy's functions that are XLA's, in all dtypes that the primitives accept.
_SAME: dict[str, Any] = {
    "add": np.add,
    "add_any": np.add,
    "sub": np.subtract,
    "neg": np.negative,
    "abs": np.abs,
    "square": np.square,
    "max": np.maximum,
    "min": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "not": np.invert,
    "floor": np.floor,
    "ceil": np.ceil,
    "is_finite": np.isfinite,
    "nextafter": np.nextafter,
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "real": np.real,
    "imag": np.imag,
}

# Primitives whose kernel accepts arrays of any shapes that can be broadcast.
ELEMENTWISE: dict[str, Maker] = {
    **{name: always(function) for name, function in _SAME.items()},
    "bitcast_convert_type": _bitcast,
    "cbrt": widened(np.cbrt),
    "clamp": always(_clamp),
    "clz": always(_leading_zeros),
    "complex": _complex,
    "conj": lambda step: _conjugate(step.outputs[0].dtype),
    "convert_element_type": _convert,
    "div": _divide,
    "eq_to": _total_order(np.equal),
    "exp2": widened(lambda x: np.power(x.dtype.type(2), x)),
    "integer_pow": _integer_power,
    "le_to": _total_order(np.less_equal),
    "logistic": widened(_logistic),
    "lt_to": _total_order(np.less),
    "mul": _multiply,
    "mulhi": _multiply_high,
    "one_minus_square": always(lambda x: x.dtype.type(1) - x * x),
    "polynomial": always(_polynomial),
    "population_count": always(_population_count),
    "pow": _power,
    "reduce_precision": _reduce_precision,
    "rem": _remainder,
    "round": _round,
    "rsqrt": widened(lambda x: x.dtype.type(1) / np.sqrt(x)),
    "select_n": _select,
    "shift_left": always(_shift_left),
    "shift_right_arithmetic": always(_shift_right_arithmetic),
    "shift_right_logical": always(_shift_right_logical),
    "sign": _sign,
}
