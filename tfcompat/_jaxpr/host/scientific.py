"""The parts of SciPy that kernels call; SciPy is loaded when one of them is called first.

JAX depends on SciPy, so that it is installed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_LETTERS = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}


def special(name: str) -> Any:
    """A function of scipy.special."""
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    return getattr(special, name)


def linalg(name: str) -> Any:
    """A function of scipy.linalg."""
    from scipy import linalg  # pyright: ignore[reportMissingTypeStubs]

    return getattr(linalg, name)


def lapack(name: str, dtype: np.dtype[Any]) -> Any:
    """A routine of LAPACK for `dtype`."""
    return getattr(linalg("lapack"), _LETTERS[dtype.name] + name)


def blas(name: str, dtype: np.dtype[Any]) -> Any:
    """A routine of BLAS for `dtype`."""
    return getattr(linalg("blas"), _LETTERS[dtype.name] + name)
