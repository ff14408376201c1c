"""The number of times that the function JAX is tracing will be differentiated in reverse mode.

JAX does not pass this information to a function. A loop with a trip count that only the program knows needs it: JAX has
no reverse mode for such loops, and a custom reverse mode rules out JAX's forward mode.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager


class _Depth(threading.local):
    value = 0


_depth = _Depth()


def depth() -> int:
    """The number of reverse-mode differentiations to come."""
    return _depth.value


@contextmanager
def reversible(level: int) -> Generator[None]:
    """A context in which `level` reverse-mode differentiations are to come."""
    before, _depth.value = _depth.value, level
    try:
        yield
    finally:
        _depth.value = before
