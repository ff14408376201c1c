"""The locks of the recorder, and the order in which a thread may take them.

1. A function's own lock, held while one thread traces it. A thread that is already tracing does not wait for it.
2. The lock of a `Deferral`, held by a thread that starts the programs that wait in it.
3. A program's `starting`, held while one thread compiles it. No user code runs meanwhile.
4. `turns` (`sharding.py`), held by the thread that runs a program on several devices that a CPU simulates. It is taken
   before that program's `starting`, since the program may be compiled meanwhile.
5. A run's `gate`, held by the thread that runs it until the results are bound; threads that read them wait for it.
6. `binding`, held for microseconds: to choose a run and collect its inputs, to replace the value of a variable, and to
   bind results. (When recordings are generalised it is held once for about a tenth of a second.) Its holder takes no
   other lock, and does not compile, run or wait.

With `TFCOMPAT_CHECK=1`, code that compiles, runs or waits asserts that its thread does not hold `binding`.
"""

from __future__ import annotations

import threading

from tfcompat._core.system.config import settings


class CheckedLock:
    """A reentrant lock that knows whether the running thread holds it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._held = threading.local()

    def __enter__(self) -> bool:
        self._lock.acquire()
        self._held.count = getattr(self._held, "count", 0) + 1
        return True

    def __exit__(self, *_raised: object) -> None:
        self._held.count -= 1
        self._lock.release()

    def is_mine(self) -> bool:
        """Whether the running thread holds it."""
        return getattr(self._held, "count", 0) > 0


binding = CheckedLock() if settings.is_checking else threading.RLock()


def require_free() -> None:
    """Under `TFCOMPAT_CHECK=1` raises AssertionError if the running thread holds `binding`."""
    if isinstance(binding, CheckedLock) and binding.is_mine():
        raise AssertionError("A thread compiles, runs or waits while it holds the lock `binding`.")
