"""Contents of input arrays: seeded random values, and values at corner cases of derivatives and rules."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.cases.dtype import numpy_dtype

CORNERS = (0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 3.0, -0.5, 1.5, 2.5, -1.5, 6.0, -3.0, 3.0, 1.0)
SPECIALS = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1e30, -1e30, 1e-30, 100.0, -100.0, 7e5, -7e5)
RUGGED = {"specials", "with_nan", "some_zeros", "ties", "zeros"}
ENDS = (0, 1, -1, 2, -2, 3)


@dataclass(frozen=True)
class Blank:
    """The arguments of a rule for filling: the source of random numbers, and the future array."""

    rng: np.random.Generator
    shape: tuple[int, ...]
    dtype: np.dtype


def filled(key: str, shape: tuple[int, ...], dtype: str, fill: str) -> np.ndarray:
    """An array of `shape` and `dtype` filled by the rule named `fill`; the same `key` gives the same array for ever."""
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "little")
    values = FILLS[fill](Blank(np.random.default_rng(seed), shape, numpy_dtype(dtype)))
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(values).astype(numpy_dtype(dtype)).reshape(shape)


def kind(dtype: np.dtype) -> str:
    """'f' for floating types with bfloat16 among them, else NumPy's letter."""
    return "f" if dtype.name == "bfloat16" else dtype.kind


def normal(blank: Blank) -> np.ndarray:
    """Normal values of deviation 2; small integers; fair coins."""
    letter = kind(blank.dtype)
    if letter == "b":
        return blank.rng.random(blank.shape) < 0.5
    if letter in "iu":
        return blank.rng.integers(0 if letter == "u" else -9, 10, blank.shape)
    real = 2 * blank.rng.standard_normal(blank.shape)
    return real + 2j * blank.rng.standard_normal(blank.shape) if letter == "c" else real


def positive(blank: Blank) -> np.ndarray:
    """Between 0.2 and 3; integers from 1 to 9."""
    if kind(blank.dtype) in "iub":
        return blank.rng.integers(1, 10, blank.shape)
    return 0.2 + 2.8 * blank.rng.random(blank.shape)


def unit(blank: Blank) -> np.ndarray:
    """Inside (-0.95, 0.95)."""
    return 1.9 * blank.rng.random(blank.shape) - 0.95


def above_one(blank: Blank) -> np.ndarray:
    """Between 1.1 and 4, where acosh is smooth."""
    return 1.1 + 2.9 * blank.rng.random(blank.shape)


def probability(blank: Blank) -> np.ndarray:
    """Positive, with sum 1 along the last axis."""
    weights = 0.1 + blank.rng.random(blank.shape)
    return weights / weights.sum(-1, keepdims=True)


def corners(blank: Blank) -> np.ndarray:
    """Zeros of both signs, equal elements, the bounds of the usual piecewise functions."""
    values = np.resize(np.array(CORNERS), blank.shape)
    return np.abs(values) if kind(blank.dtype) in "ub" else values


def specials(blank: Blank) -> np.ndarray:
    """nan, the infinities, huge and tiny; for integers the ends of their range."""
    if kind(blank.dtype) == "i":
        bounds = np.iinfo(blank.dtype)
        return np.resize(np.array([bounds.max, bounds.min, *ENDS], blank.dtype), blank.shape)
    return np.resize(np.array(SPECIALS), blank.shape)


def ties(blank: Blank) -> np.ndarray:
    """Whole numbers from -1 to 2, so that many are equal."""
    return blank.rng.integers(0 if kind(blank.dtype) == "u" else -1, 3, blank.shape)


def some_zeros(blank: Blank) -> np.ndarray:
    """Normal values of which about a third are 0."""
    return np.where(blank.rng.random(blank.shape) < 0.35, 0, normal(blank))


def with_nan(blank: Blank) -> np.ndarray:
    """Normal values, with nan, inf and -inf among them."""
    values = normal(blank).reshape(-1)
    for place, value in zip((1, 4, 6), (np.nan, np.inf, -np.inf), strict=True):
        values[place % values.size] = value
    return values.reshape(blank.shape)


def zeros(blank: Blank) -> np.ndarray:
    """All 0."""
    return np.zeros(blank.shape)


def spread(blank: Blank) -> np.ndarray:
    """Distinct multiples of 1/4 in random order: no two are near a tie."""
    count = int(np.prod(blank.shape))
    return (blank.rng.permutation(count) - count // 2) / (1 if kind(blank.dtype) in "iu" else 4)


def well_conditioned(blank: Blank) -> np.ndarray:
    """Square matrices near 3 times the identity."""
    return 3 * np.eye(blank.shape[-1]) + 0.5 * normal(blank)


def positive_definite(blank: Blank) -> np.ndarray:
    """Symmetric (Hermitian) positive definite matrices."""
    factor = normal(blank)
    real, imaginary = factor.real, np.imag(factor)
    found = _rows_times_rows(real, real) + _rows_times_rows(imaginary, imaginary)
    if np.iscomplexobj(factor):
        found = found + 1j * (_rows_times_rows(imaginary, real) - _rows_times_rows(real, imaginary))
    return found / 4 + 2 * np.eye(blank.shape[-1])


def _rows_times_rows(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The products of the rows of two matrices, rounded after each step, as a processor without a fused step does."""
    found = np.zeros((*one.shape[:-1], other.shape[-2]))
    for k in range(one.shape[-1]):
        found = found + one[..., :, None, k] * other[..., None, :, k]
    return found


FILLS: dict[str, Callable[[Blank], np.ndarray]] = {
    rule.__name__: rule
    for rule in (
        normal, positive, unit, above_one, probability, corners, specials, ties, some_zeros, with_nan, zeros, spread,
        well_conditioned, positive_definite,
    )
}  # fmt: skip
