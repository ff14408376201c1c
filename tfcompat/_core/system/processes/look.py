"""Ends the waiting for other processes when some of them have ended, or after a time limit."""

from __future__ import annotations

import time

from tfcompat._core.system.error import DeadlineExceededError
from tfcompat._core.system.processes.watch import Watch

# Seconds that an exchange may still take after another process has left: the process may have sent its part before.
_GRACE = 5.0


class Look:
    """Raises the error of a call that waits too long for other processes; called now and then while it runs."""

    def __init__(self, watch: Watch, timeout: float | None = None) -> None:
        self._watch = watch
        self._timeout = timeout
        self._began = time.monotonic()
        self._left_at: float | None = None

    def __call__(self) -> None:
        now = time.monotonic()
        if self._watch.lost and self._left_at is None:
            self._left_at = now
        if self._left_at is not None and now > self._left_at + _GRACE:
            raise self._watch.error("it does not answer")
        if self._timeout is not None and now > self._began + self._timeout:
            raise DeadlineExceededError.of(f"Collective has timed out: it took more than {self._timeout:g} seconds.")
