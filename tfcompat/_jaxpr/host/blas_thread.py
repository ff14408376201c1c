"""Runs routines of BLAS and LAPACK on one thread.

OpenBLAS shares even a product of a matrix of 100 x 100 and a vector with its other threads, and waits for them by
spinning. On the small matrices that the host evaluates this gains little. Where other processes compute, it costs a
hundredfold: a QR decomposition of [170, 165] took 16 to 30 ms instead of 0.3, a product of [8192, 64] and [64, 128] 30
instead of 1.4 (two busy cores, NumPy 2.4, SciPy 1.17).
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock

# The modules that were linked with the OpenBLAS of NumPy and with that of SciPy.
NUMPY, SCIPY = "numpy.linalg._umath_linalg", "scipy.linalg._flapack"
# The names of OpenBLAS's functions vary: what its builds put before and behind them.
_SPELLINGS = (("scipy_openblas", "64_"), ("scipy_openblas", ""), ("openblas", "64_"), ("openblas", ""))


class _Threads:
    """The number of threads of an OpenBLAS: 1 while a call is running that wants it, as before when all have ended."""

    def __init__(self, module: str) -> None:
        """Finds the functions that read and set the number. If `module` has another library, they stay unknown."""
        self._functions = None
        self._lock = Lock()
        self._calls = 0
        self._before = 1
        path = getattr(sys.modules.get(module), "__file__", None)
        if path is None:
            return
        # Symbols are looked up in the libraries, too, that the module was linked with.
        library = ctypes.CDLL(path)
        for before, behind in _SPELLINGS:
            if hasattr(library, f"{before}_set_num_threads{behind}"):
                names = (f"{before}_{verb}_num_threads{behind}" for verb in ("get", "set"))
                self._functions = tuple([library[name] for name in names])
                return

    @contextmanager
    def one(self) -> Generator[None]:
        """A context whose code runs on one thread."""
        if self._functions is None:
            yield
            return
        read, write = self._functions
        with self._lock:
            if not self._calls:
                self._before = read()
                write(1)
            self._calls += 1
        try:
            yield
        finally:
            with self._lock:
                self._calls -= 1
                if not self._calls:
                    write(self._before)


_threads = functools.cache(_Threads)


def one_thread(module: str) -> AbstractContextManager[None]:
    """Runs the routines that `module` calls, which is `NUMPY` or `SCIPY`, on one thread if they are OpenBLAS's."""
    return _threads(module).one()
