"""Gives memory that large runs have freed back to the operating system before a program is compiled.

Ops that run one by one allocate an array for each value. glibc keeps the freed ones in its heap, between blocks in use;
XLA wants one block for all temporary values of a program, for which the heap grows once more. A perceptron of eight
layers of 1,024 units with Adam held 280 MB that nothing used, beside 140 MB in use.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

# Less freed memory than this stays in the heap.
_LARGE = 32 << 20


def _trim() -> Callable[[int], Any]:
    """The function of glibc that gives freed memory back; it does nothing where the C library has none."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # the last on Windows
        return lambda _: None


class Heap:
    """The memory that was freed by ops which ran one by one.

    Attributes:
      freed: the bytes that they made since memory was given back.
    """

    def __init__(self) -> None:
        self._trim = _trim()
        self.freed = 0

    def clear(self) -> None:
        """Forgets the runs."""
        self.freed = 0

    @contextmanager
    def reduced(self) -> Generator[None]:
        """A context that compiles a program. If much memory may be free, gives it back first, and again at the end.

        The first call of a program of many large arrays takes seconds, and this 10 ms.
        """
        if self.freed < _LARGE:
            yield
            return
        self.freed = 0
        self._trim(0)
        yield
        self._trim(0)


heap = Heap()
