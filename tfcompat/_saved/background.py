"""A thread that writes checkpoints, one after the other, while the program continues.

Locks of C code and postponed signals are used where a thread starts and where it is waited for: an interrupt in the
Python code of `threading.Event` or of an executor would leave a lock behind that is never released.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable

from tfcompat._jaxpr.postponement import postponed

_logger = logging.getLogger("tensorflow")


class Background:
    """Runs one function at a time in a thread. The program ends after the last one has ended.

    A child process that was forked meanwhile has no such thread; it leaves the function to its parent.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        self._latest: _Job | None = None

    def submit(self, function: Callable[[], None]) -> None:
        """Runs `function` after the one before has ended. Raises the error of that one."""
        self.wait()
        with postponed():
            self._process = os.getpid()
            self._latest = _Job(function)
            threading.Thread(target=self._latest.run, name="tfcompat-checkpoint").start()

    def wait(self) -> None:
        """Waits for the function that runs. Raises its error, once."""
        latest = self._latest
        if latest is None:
            return
        if os.getpid() == self._process:
            latest.wait()
        self._latest = None
        if latest.error is not None:
            raise latest.error


class _Job:
    """A call of a function.

    Attributes:
      error: the error that it has raised.
    """

    def __init__(self, function: Callable[[], None]) -> None:
        self._function = function
        self._running = threading.Lock()
        self._running.acquire()
        self.error: BaseException | None = None

    def run(self) -> None:
        """Calls the function. Logs an error at once: the program may never wait for the result."""
        try:
            self._function()
        except BaseException as error:
            self.error = error
            _logger.error("An asynchronous checkpoint was not written: %s", error)
        finally:
            self._running.release()

    def wait(self) -> None:
        """Waits until the function has ended."""
        with self._running:
            pass
