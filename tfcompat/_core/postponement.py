"""Postpones signal handlers while JAX runs Python code that must not be interrupted.

A handler may raise an exception between any two instructions. Within JAX's own context managers the exception would
leave JAX in the tracing state, or with 64-bit types enabled, permanently.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

_SIGNALS = tuple(signal.valid_signals())


@contextmanager
def postponed() -> Generator[None]:
    """A context in which signal handlers are postponed to its end. Only the main thread runs handlers."""
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
    """Installs `handlers`: the rest too, if a handler that is installed already raises."""
    if handlers:
        try:
            signal.signal(*handlers[0])
        finally:
            _restore(handlers[1:])


def _deliver(caught: Sequence[tuple[Callable[..., Any], int]]) -> None:
    """Runs the handlers of the signals `caught`: the rest too, if one of them raises.

    The signals are not raised again: an event loop has read them already (see `signal.set_wakeup_fd`).
    """
    if caught:
        handler, number = caught[0]
        try:
            handler(number, sys._getframe())
        finally:
            _deliver(caught[1:])
