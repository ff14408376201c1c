"""A look-out that stands among the tapes while a Python function runs."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from tfcompat._autodiff.gradient import CustomCall
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here
from tfcompat._state.variable import Variable


class Watcher:
    """Notes which trainable variables are read, and which steps have a gradient of the user's.

    While it stands there, a tape that is entered is not the outermost, so that no training step begins.
    """

    def __init__(self) -> None:
        self.variables: dict[int, Variable] = {}
        self.customs: dict[int, CustomCall] = {}

    def touch(self, variable: Any, tensor: Tensor) -> None:
        """Notes that `variable` is being read as `tensor`."""
        del tensor
        self.observe(variable)

    def observe(self, variable: Any) -> None:
        """Notes that the value of `variable` is being read."""
        if variable.trainable:
            self.variables.setdefault(variable._number, variable)

    def touch_at(self, variable: Any, slot: int) -> None:
        """Notes that a function that is called reads `variable` while its value is in `slot`."""
        del slot
        self.observe(variable)


@contextmanager
def watching() -> Generator[Watcher]:
    """Adds a watcher to the tapes that are recording."""
    watcher = Watcher()
    here.tapes.append(watcher)
    try:
        yield watcher
    finally:
        here.tapes.remove(watcher)


@contextmanager
def watching_alone() -> Generator[Watcher]:
    """Puts a watcher in the place of the tapes that are recording."""
    tapes, watcher = here.tapes, Watcher()
    here.tapes = [watcher]
    try:
        yield watcher
    finally:
        here.tapes = tapes
