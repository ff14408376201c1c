"""A pseudo-tape that registers reads of variables and custom gradients while a Python function runs."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from tfcompat._autodiff.gradient import CustomCall
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import here
from tfcompat._state.variable import Variable


class Watcher:
    """Registers the trainable variables that are read, and the steps with a custom gradient.

    While it is among the tapes, a tape that is entered is not the outermost, so no training step begins.
    """

    def __init__(self) -> None:
        self.variables: dict[int, Variable] = {}
        self.customs: dict[int, CustomCall] = {}

    def touch(self, variable: Any, tensor: Tensor) -> None:
        """Registers a read of `variable` as `tensor`."""
        del tensor
        self.observe(variable)

    def observe(self, variable: Any) -> None:
        """Registers a read of the value of `variable`."""
        if variable.trainable:
            self.variables.setdefault(variable._number, variable)

    def touch_at(self, variable: Any, slot: int) -> None:
        """Registers that a called function reads `variable`, whose value is in `slot`."""
        del slot
        self.observe(variable)


class AccessWatcher(Watcher):
    """Registers all variables that are read or assigned."""

    def observe(self, variable: Any) -> None:
        """Registers a read of the value of `variable`. Assignments count as reads."""
        self.variables.setdefault(variable._number, variable)


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
def accessing() -> Generator[AccessWatcher]:
    """Adds an access watcher to the tapes that are recording."""
    watcher = AccessWatcher()
    here.tapes.append(watcher)
    try:
        yield watcher
    finally:
        here.tapes.remove(watcher)


@contextmanager
def watching_alone() -> Generator[Watcher]:
    """Replaces the tapes that are recording by a watcher."""
    tapes, watcher = here.tapes, Watcher()
    here.tapes = [watcher]
    try:
        yield watcher
    finally:
        here.tapes = tapes
