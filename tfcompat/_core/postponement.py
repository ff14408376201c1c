"""Signals whose handlers wait while JAX runs Python code that must not be left in the middle.

An exception from a handler may come between any two instructions. Within JAX's own context managers it leaves JAX
tracing, or with 64-bit types switched on, for good.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

# Asked once: the answer takes longer than all else here.
_SIGNALS = tuple(map(int, signal.valid_signals()))


@contextmanager
def postponed() -> Generator[None]:
    """Within this context the handlers of signals wait; they run at its end. Only the main thread runs any."""
    if threading.get_ident() != threading.main_thread().ident:
        yield
        return
    caught: list[int] = []
    handlers: dict[int, Any] = {}
    try:
        for number in _SIGNALS:
            handler = signal.getsignal(number)
            if callable(handler):
                handlers[number] = handler
                signal.signal(number, lambda number, _: caught.append(number))
        yield
    finally:
        try:
            _restore(list(handlers.items()))
        finally:
            _deliver([(handlers[number], number) for number in caught])


def _restore(handlers: Sequence[tuple[int, Any]]) -> None:
    """Installs `handlers`, the others too where one that is back already raises."""
    if handlers:
        try:
            signal.signal(*handlers[0])
        finally:
            _restore(handlers[1:])


def _deliver(caught: Sequence[tuple[Callable[..., Any], int]]) -> None:
    """Runs the handlers of the signals `caught`, the others too where one raises.

    The signals are not raised once more: an event loop has read them already (see `signal.set_wakeup_fd`).
    """
    if caught:
        handler, number = caught[0]
        try:
            handler(number, sys._getframe())
        finally:
            _deliver(caught[1:])
