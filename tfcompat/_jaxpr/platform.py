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
    """The platforms for which JAX traces a function here.

    Attributes:
      is_portable: whether it may be any.
      branch: within a form for some platforms, whether these are CPUs; else None.
    """

    is_portable = False
    branch: bool | None = None


_here = _Here()


def is_portable() -> bool:
    """Whether JAX traces a function for any platform, perhaps to be converted for other runtimes."""
    return _here.is_portable


def on_platform(*arrays: Any, cpu: Callable[..., Any], default: Callable[..., Any]) -> Any:
    """`cpu(*arrays)` on a CPU, `default(*arrays)` elsewhere."""
    if _here.branch is not None:
        return cpu(*arrays) if _here.branch else default(*arrays)
    if _here.is_portable or jax.default_backend() != "cpu":
        forms = {"cpu": _for_branch(cpu, is_cpu=True), "default": _for_branch(default, is_cpu=False)}
        return jax.lax.platform_dependent(*arrays, **forms)
    return cpu(*arrays)


def _for_branch(form: Callable[..., Any], *, is_cpu: bool) -> Callable[..., Any]:
    """`form`, within which no other form is chosen."""

    def traced(*arrays: Any) -> Any:
        _here.branch = is_cpu
        try:
            return form(*arrays)
        finally:
            _here.branch = None

    return traced


@contextmanager
def portable() -> Generator[None]:
    """A context in which JAX traces a function for any platform."""
    before, _here.is_portable = _here.is_portable, True
    try:
        yield
    finally:
        _here.is_portable = before
