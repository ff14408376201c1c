"""A thread that writes checkpoints, one after the other, while the program continues."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

_logger = logging.getLogger("tensorflow")


class Background:
    """Runs one function at a time in a thread. The program ends after the last one has ended.

    A child process that was forked meanwhile has no such thread; it leaves the function to its parent.
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="tfcompat-checkpoint")
        self._latest: Future[None] | None = None

    def submit(self, function: Callable[[], None]) -> None:
        """Runs `function` after the one before has ended. Raises the error of that one."""
        self.wait()
        self._latest = self._pool.submit(function)
        self._latest.add_done_callback(_log_error)

    def wait(self) -> None:
        """Waits for the function that runs. Raises its error, once."""
        if os.getpid() != self._process:
            self._begin()
        latest, self._latest = self._latest, None
        if latest is not None:
            latest.result()


def _log_error(done: Future[None]) -> None:
    """Logs an error at once: the program may never wait for the result."""
    error = done.exception()
    if error is not None:
        _logger.error("An asynchronous checkpoint was not written: %s", error)
