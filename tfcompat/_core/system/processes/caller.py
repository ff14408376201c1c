"""A thread that makes calls one after another, for which other threads wait with an eye on something else.

JAX may run a program within the call that starts it, so a thread that started an exchange itself could neither be
interrupted nor give up.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import jax

from tfcompat._jaxpr.postponement import postponed

# Seconds between two looks at something else.
_PAUSE = 0.25


class _Call:
    """A call, its result or its error, and whether it has ended."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self._result: Any = None
        self._error: Exception | None = None
        self.done = threading.Event()

    def run(self) -> None:
        """Makes the call."""
        try:
            with jax.enable_x64(True):
                self._result = self._function()
        except Exception as error:
            self._error = error
        finally:
            self.done.set()

    def result(self) -> Any:
        """The result. Raises the error."""
        if self._error is not None:
            raise self._error
        return self._result


class Caller(threading.Thread):
    """The thread. An interrupt of a thread that waits does not end the call."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._calls: SimpleQueue[_Call] = SimpleQueue()
        self._latest: _Call | None = None
        with postponed():
            self.start()

    def run(self) -> None:
        """Makes the calls."""
        while True:
            self._calls.get().run()

    def call(self, function: Callable[[], Any], look: Callable[[], None]) -> Any:
        """The result of `function()`, after all earlier calls. `look`, called meanwhile, may raise an error instead."""
        call = self._latest = _Call(function)
        self._calls.put(call)
        while not call.done.wait(_PAUSE):
            look()
        return call.result()

    def has_ended(self, seconds: float) -> bool:
        """Whether the latest call has ended; waits for that for up to `seconds`."""
        return self._latest is None or self._latest.done.wait(seconds)
