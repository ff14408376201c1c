"""Quotients of sizes with symbols: `tf.math.ceil(size / 2)` is a size again.

TensorFlow divides integers in float64. The rounded quotient of sizes below 2^52 is the exact one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tfcompat._jaxpr.size import is_at_most


@dataclass(frozen=True)
class Quotient:
    """The quotient of `dividend`, an integer or a size with symbols, and `divisor`, a positive integer."""

    dividend: Any
    divisor: int


def divided(dividends: np.ndarray, divisors: np.ndarray) -> np.ndarray:
    """The quotients of sizes and positive whole numbers. Raises TypeError for others."""
    return _by_element(_quotient, 2)(dividends, divisors)


def rounded_down(numbers: np.ndarray) -> np.ndarray:
    """The largest whole number not greater than each of `numbers`, quotients or sizes."""
    return _by_element(_floor, 1)(numbers)


def rounded_up(numbers: np.ndarray) -> np.ndarray:
    """The smallest whole number not less than each of `numbers`, quotients or sizes."""
    return _by_element(lambda number: -_floor(_negative(number)), 1)(numbers)


def truncated(numbers: np.ndarray) -> np.ndarray:
    """`numbers` as integers. Raises TypeError for a quotient that may be negative."""
    return _by_element(_whole_part, 1)(numbers)


def whole(numbers: np.ndarray) -> np.ndarray:
    """`numbers` as objects, floating-point ones as integers. Raises TypeError for fractions."""
    return _by_element(_integer, 1)(numbers) if numbers.dtype.kind == "f" else numbers


def has_quotients(value: np.ndarray) -> bool:
    """Whether `value` contains quotients; a quotient is not a size."""
    return value.dtype == object and any(type(number) is Quotient for number in value.flat)


def _by_element(function: Any, count: int) -> Any:
    vectorised = np.frompyfunc(function, count, 1)
    return lambda *arrays: np.asarray(vectorised(*[array.astype(object) for array in arrays]), object)


def _quotient(dividend: Any, divisor: Any) -> Any:
    if type(dividend) is Quotient or type(divisor) is not int or divisor <= 0:
        raise TypeError("a size and a positive whole number are expected")
    return dividend if divisor == 1 else Quotient(dividend, divisor)


def _floor(number: Any) -> Any:
    return number.dividend // number.divisor if type(number) is Quotient else number


def _negative(number: Any) -> Any:
    return Quotient(-number.dividend, number.divisor) if type(number) is Quotient else -number


def _whole_part(number: Any) -> Any:
    if type(number) is Quotient and not is_at_most(0, number.dividend):
        raise TypeError("the quotient may be negative")
    return _floor(number)


def _integer(number: float) -> int:
    if not number.is_integer():
        raise TypeError("a whole number is expected")
    return int(number)
