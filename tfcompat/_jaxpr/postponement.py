"""Postpones signal handlers while JAX runs Python code that must not be interrupted.

A handler may raise an exception between any two instructions. Within JAX's own context managers the exception would
leave JAX in the tracing state, or with 64-bit types enabled, permanently.

Only the main thread runs handlers. Other threads are interrupted by `interrupt` if they allow it (see `strand.py`);
this is postponed, too.
"""

from __future__ import annotations

import _signal  # pyright: ignore[reportMissingImports]  # `signal`, which is Python code, takes ten times as long
import ctypes
import signal
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

Handler = Callable[..., Any]
_SIGNALS = tuple(map(int, signal.valid_signals()))
# The nested calls in which handlers are restored, and some more.
_RESTORING = 16
_raise_in_thread = ctypes.pythonapi.PyThreadState_SetAsyncExc


class _Interruptible:
    """The threads that other threads may interrupt.

    Attributes:
      depths: by the identifier of each, how many contexts postpone interrupts.
      postponed: the exceptions to raise in them at the end of these contexts.
    """

    def __init__(self) -> None:
        self.depths: dict[int, int] = {}
        self.postponed: dict[int, type[BaseException]] = {}


_threads = _Interruptible()
# Held while a thread is interrupted: a thread that holds it is not.
uninterruptible = threading.Lock()


class _Allowance:
    """The context that `interruptible` returns. It has no state, so that all threads share it."""

    def __enter__(self) -> None:
        with uninterruptible:
            _threads.depths[threading.get_ident()] = 0

    def __exit__(self, *raised: object) -> None:
        del raised
        thread = threading.get_ident()
        with uninterruptible:
            _threads.depths.pop(thread, None)
            _threads.postponed.pop(thread, None)


_allowance = _Allowance()


def interruptible() -> AbstractContextManager[None]:
    """A context in which `interrupt` may interrupt the running thread."""
    return _allowance


def interrupt(thread: int, exception: type[BaseException], is_wanted: Callable[[], bool]) -> None:
    """Raises `exception` in the thread `thread` between two of its instructions, if it allows it and `is_wanted()`."""
    with uninterruptible:
        depth = _threads.depths.get(thread)
        if depth is None or not is_wanted():
            return
        if depth:
            _threads.postponed[thread] = exception
        else:
            _raise_in_thread(ctypes.c_ulong(thread), ctypes.py_object(exception))


@contextmanager
def postponed(immediate: Handler | None = None) -> Generator[None]:
    """A context in which signal handlers and interrupts are postponed to its end.

    Signals whose handler is `immediate` are handled at once.
    """
    if threading.get_ident() != threading.main_thread().ident:
        with _uninterrupted(threading.get_ident()):
            yield
        return
    caught: dict[int, Handler] = {}
    try:
        with noted(caught, immediate):
            yield
    finally:
        # A signal that has arrived several times is handled once, as if Python had not looked for it meanwhile.
        deliver(list(caught.items()))


@contextmanager
def noted(caught: dict[int, Handler], immediate: Handler | None = None) -> Generator[None]:
    """A context of the main thread in which signals are noted in `caught` with their handlers, which do not run.

    Signals whose handler is `immediate` are handled at once.
    """
    handlers: dict[int, Handler] = {}
    try:
        _require_stack(_RESTORING)
        for number in _SIGNALS:
            handler = _signal.getsignal(number)
            if callable(handler) and handler is not immediate:
                handlers[number] = handler
                _signal.signal(number, lambda number, _: caught.setdefault(number, handlers[number]))
        yield
    finally:
        _restore(list(handlers.items()))


@contextmanager
def _uninterrupted(thread: int) -> Generator[None]:
    """A context in which interrupts of the running thread, `thread`, are postponed to its end."""
    with uninterruptible:
        if thread in _threads.depths:
            _threads.depths[thread] += 1
    try:
        yield
    finally:
        exception = None
        with uninterruptible:
            if thread in _threads.depths:
                _threads.depths[thread] -= 1
                exception = None if _threads.depths[thread] else _threads.postponed.pop(thread, None)
        if exception is not None:
            raise exception


def _require_stack(frames: int) -> None:
    """Raises RecursionError unless as many calls as `frames` can be nested."""
    if frames:
        _require_stack(frames - 1)


def _restore(handlers: Sequence[tuple[int, Any]]) -> None:
    """Installs `handlers`: the rest too, if a handler that is installed already raises."""
    if handlers:
        try:
            _signal.signal(*handlers[0])
        finally:
            _restore(handlers[1:])


def deliver(caught: Sequence[tuple[int, Handler]]) -> None:
    """Runs the handlers of the signals `caught`: the rest too, if one of them raises.

    The signals are not raised again: an event loop has read them already (see `signal.set_wakeup_fd`).
    """
    if caught:
        number, handler = caught[0]
        try:
            handler(number, sys._getframe())
        finally:
            deliver(caught[1:])
