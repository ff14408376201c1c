"""Decompositions on the host run on one thread."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  the library has to be loaded

from tfcompat._jaxpr.host import blas_thread
from tfcompat._jaxpr.host.blas_thread import NUMPY, SCIPY, one_thread

MODULES = pytest.mark.parametrize("module", [NUMPY, SCIPY])


def number(module):
    functions = blas_thread._threads(module)._functions
    if functions is None:
        pytest.skip("not OpenBLAS")
    return functions[0]()


@MODULES
def test_number_of_threads_is_one_inside_and_restored(module):
    before = number(module)
    with one_thread(module):
        assert number(module) == 1
        with one_thread(module):
            assert number(module) == 1
        assert number(module) == 1
    assert number(module) == before


@MODULES
def test_number_of_threads_is_restored_after_calls_that_overlap(module):
    before = number(module)
    began, may_end = threading.Event(), threading.Event()

    def other():
        with one_thread(module):
            began.set()
            may_end.wait(300)

    thread = threading.Thread(target=other)
    with one_thread(module):
        thread.start()
        assert began.wait(300)
    assert number(module) == 1
    may_end.set()
    thread.join()
    assert number(module) == before


def test_library_without_the_functions_is_left_alone():
    with one_thread("ml_dtypes._ml_dtypes_ext"):
        assert np.linalg.det(np.eye(3)) == 1
