"""Steps that a derivative computes again. Their side effects have happened."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager


class _Here(threading.local):
    is_repeating = False


_here = _Here()


def is_repeating() -> bool:
    """Whether JAX is tracing a function that computes again what has been computed."""
    return _here.is_repeating


@contextmanager
def repeating() -> Generator[None]:
    """A context in which JAX traces such a function."""
    before, _here.is_repeating = _here.is_repeating, True
    try:
        yield
    finally:
        _here.is_repeating = before
