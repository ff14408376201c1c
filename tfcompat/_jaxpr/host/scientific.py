"""The parts of SciPy that kernels call; SciPy is loaded when one of them is called first.

JAX depends on SciPy, so that it is installed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tfcompat._jaxpr.postponement import postponed

_LETTERS = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}


@cache
def special(name: str) -> Any:
    """A function of scipy.special."""
    with postponed():  # a signal handler that needs it must not find half of it
        from scipy import special  # pyright: ignore[reportMissingTypeStubs]

        return getattr(special, name)


@cache
def linalg(name: str) -> Any:
    """A function of scipy.linalg."""
    with postponed():
        from scipy import linalg  # pyright: ignore[reportMissingTypeStubs]

        return getattr(linalg, name)


def lapack(name: str, dtype: np.dtype[Any]) -> Any:
    """A routine of LAPACK for `dtype`."""
    return getattr(linalg("lapack"), _LETTERS[dtype.name] + name)


def blas(name: str, dtype: np.dtype[Any]) -> Any:
    """A routine of BLAS for `dtype`."""
    return getattr(linalg("blas"), _LETTERS[dtype.name] + name)
