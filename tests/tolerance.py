"""Tolerances of all tests: two tables by dtype.

A value is the result of one function, a gradient of several, whose rounding errors add up. Both tolerances are far
below 0.1 %, so that a derivative with a wrong constant fails, except in 16-bit types, which are not precise enough.
"""

from __future__ import annotations

import numpy as np

# dtype: (relative, absolute)
VALUE = {
    "float64": (2e-12, 1e-14),
    "float32": (4e-6, 2e-6),
    "float16": (4e-3, 4e-3),
    "bfloat16": (2e-2, 2e-2),
    "complex128": (2e-12, 1e-14),
    "complex64": (8e-6, 4e-6),
}
GRADIENT = {
    "float64": (2e-11, 1e-13),
    "float32": (4e-5, 1e-5),
    "float16": (1e-2, 1e-2),
    "bfloat16": (4e-2, 4e-2),
    "complex128": (2e-11, 1e-13),
    "complex64": (8e-5, 2e-5),
}
# A central difference at float64 with this step is right to (relative, absolute).
STEP, DIFFERENCE = 1e-6, (2e-6, 2e-6)
# The numbers that a training loop prints, after many steps and with few digits.
PRINTED = {"rel": 1e-3, "abs": 1e-5}

Table = dict[str, tuple[float, float]]


def is_close(got: np.ndarray, want: np.ndarray, table: Table) -> np.ndarray:
    """Where two arrays of one dtype and shape agree: exactly, or for floating types as near as `table` says.

    nan equals nan, infinities must be the same, and the sign of a zero is ignored.
    """
    if want.dtype.name not in table:
        return np.asarray(got == want)
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    relative, absolute = table[want.dtype.name]
    with np.errstate(invalid="ignore"):
        return np.isclose(got.astype(wide), want.astype(wide), relative, absolute, equal_nan=True)


def is_slope(derivative: float, difference: float) -> bool:
    """Whether a derivative agrees with a central difference; nan agrees with nothing."""
    relative, absolute = DIFFERENCE
    return abs(derivative - difference) <= absolute + relative * abs(difference)
