"""Threads that write checkpoints, one after the other, while the program continues.

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
    """Runs functions in threads, one after the other. The program ends after the last one has ended.

    A child process that was forked meanwhile has no such threads; it leaves the functions to its parent.
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._latest: _Job | None = None
        # Taken while signals are postponed.
        self._submitting = threading.Lock()

    def __deepcopy__(self, memo: dict[int, object]) -> Background:
        """That of a copied checkpoint, which writes nothing yet."""
        del memo
        return Background()

    def submit(self, function: Callable[[], None]) -> None:
        """Runs `function` after those before have ended. Raises the error of the last one.

        Raises: RuntimeError if no thread can start.
        """
        self.wait()
        with postponed():
            if os.getpid() != self._process:
                self._begin()
            with self._submitting:
                # A signal handler, or another thread, may have submitted a function since the wait.
                job = _Job(function, self._latest)
                threading.Thread(target=job.run, name="tfcompat-checkpoint").start()
                self._latest = job

    def wait(self) -> None:
        """Waits for the functions that run. Raises the error of the last one, once."""
        latest = self._latest
        if latest is None:
            return
        if os.getpid() == self._process:
            latest.wait()
        # No signal handler and no other thread runs in between, as nothing is called.
        if self._latest is latest:
            self._latest = None
        if latest.error is not None:
            raise latest.error


class _Job:
    """A call of a function, after the job `before` has ended.

    Attributes:
      error: the error that it has raised.
    """

    def __init__(self, function: Callable[[], None], before: _Job | None) -> None:
        self._function = function
        self._before = before
        self._running = threading.Lock()
        self._running.acquire()
        self.error: BaseException | None = None

    def run(self) -> None:
        """Calls the function. Logs an error at once: the program may never wait for the result."""
        try:
            if self._before is not None:
                self._before.wait()
                self._before = None
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
