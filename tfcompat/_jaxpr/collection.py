"""Pauses Python's garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Generator[None]:
    """A context in which garbage is not collected.

    A trace makes many objects that live as long as it does. Collections in the middle would find no garbage, but count
    these objects as old ones, and bring the next full collection nearer, which visits all objects of the process (50
    to 100 ms).
    """
    collects = gc.isenabled()
    try:
        gc.disable()
        yield
    finally:
        # Only the thread that has stopped the collector starts it, so it never stays stopped.
        if collects:
            gc.enable()
