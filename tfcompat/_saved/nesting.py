"""Checkpoints that signal handlers save while a checkpoint is being saved."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager

from tfcompat._jaxpr.postponement import Handler, deliver, noted, postponed

# Seconds that the program continues before signals are handled that came while handlers of others saved.
_PAUSE = 0.05


class _Saves:
    """The saves of the main thread that are in progress.

    Attributes:
      depth: how many.
      deferred: the signals to handle at the end of the outermost one, with their handlers.
      is_delivering: whether the handlers of deferred signals run.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.deferred: dict[int, Handler] = {}
        self.is_delivering = False


_saves = _Saves()


@contextmanager
def saving() -> Generator[None]:
    """The context of a save.

    A signal that comes while a handler saves within another save is handled at the end of that one, once: a handler
    that takes longer than the time between its signals would else interrupt itself again and again. An interrupt by
    the user, as Python handles it by default, is raised at once.
    """
    if threading.get_ident() != threading.main_thread().ident:
        yield
    elif _saves.depth or _saves.is_delivering:
        with noted(_saves.deferred, immediate=signal.default_int_handler):
            yield
    else:
        try:
            _saves.depth = 1
            yield
        finally:
            _saves.depth = 0
            _deliver()


def _deliver() -> None:
    """Runs the handlers of deferred signals, one after the other."""
    if not _saves.deferred:
        return
    try:
        _saves.is_delivering = True
        caught, _saves.deferred = list(_saves.deferred.items()), {}
        deliver(caught)
    finally:
        _saves.is_delivering = False
        later, _saves.deferred = _saves.deferred, {}
        if later:
            _raise_later(later)


def _raise_later(caught: dict[int, Handler]) -> None:
    """Raises the signals `caught` after a pause, in which the program continues.

    Not those whose handler the program has replaced meanwhile: by default they would end the process.
    """

    def raise_all() -> None:
        for number, handler in caught.items():
            if signal.getsignal(number) is handler:
                signal.raise_signal(number)

    with postponed():
        timer = threading.Timer(_PAUSE, raise_all)
        timer.daemon = True
        timer.start()
