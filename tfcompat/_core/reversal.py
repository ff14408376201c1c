"""The number of times that the function JAX is tracing will be differentiated in reverse mode.

A function under JAX does not learn that it will be differentiated. A loop whose trip count only the program knows has
to find out: JAX has no reverse mode for it, and a reverse mode of its own rules out JAX's forward mode.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager


class _Depth(threading.local):
    value = 0


_depth = _Depth()


def depth() -> int:
    """The number of walks backward to come."""
    return _depth.value


@contextmanager
def reversible(level: int) -> Generator[None]:
    """Within this context `level` walks backward are to come."""
    before, _depth.value = _depth.value, level
    try:
        yield
    finally:
        _depth.value = before
