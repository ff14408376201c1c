"""How many walks backward there will be over what JAX is tracing.

JAX tells a function not that it is going to be differentiated in reverse. A loop whose length only the program knows
needs to know: it has no reverse mode in JAX, and a mode of its own rules out JAX's forward mode.
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
