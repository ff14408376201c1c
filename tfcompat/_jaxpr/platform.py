"""Computations with a form of their own for CPUs.

Where there are only CPUs, that form alone is traced: JAX traces all branches of `jax.lax.platform_dependent`, for
derivatives several times, which takes longer than all the rest of a convolution. Functions made for JAX
(`ConcreteFunction.to_jax`, `export`) contain both forms, because they may be compiled for another platform.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import jax


class _Here(threading.local):
    is_portable = False


_here = _Here()


def is_portable() -> bool:
    """Whether JAX traces a function for any platform, perhaps to be converted for other runtimes."""
    return _here.is_portable


def on_platform(*arrays: Any, cpu: Callable[..., Any], default: Callable[..., Any]) -> Any:
    """`cpu(*arrays)` on a CPU, `default(*arrays)` elsewhere."""
    if _here.is_portable or jax.default_backend() != "cpu":
        return jax.lax.platform_dependent(*arrays, cpu=cpu, default=default)
    return cpu(*arrays)


@contextmanager
def portable() -> Generator[None]:
    """A context in which JAX traces a function for any platform."""
    before, _here.is_portable = _here.is_portable, True
    try:
        yield
    finally:
        _here.is_portable = before
