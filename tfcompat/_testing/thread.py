"""Threads whose errors fail the test, and capture of output to a stream."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from collections.abc import Callable, Generator
from typing import IO, Any


class CheckedThread:
    """A thread that runs `target`; joining it fails if `target` raised."""

    def __init__(self, target: Callable[..., Any], args: tuple[Any, ...] | None, kwargs: dict[str, Any] | None) -> None:
        self._call = (target, args or (), kwargs or {})
        self._thread = threading.Thread(target=self._run)
        self._error: BaseException | None = None
        self.is_joined = False

    def _run(self) -> None:
        target, args, kwargs = self._call
        try:
            target(*args, **kwargs)
        except BaseException as error:
            self._error = error

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def join(self) -> None:
        """Waits for the end of the thread. Raises AssertionError if `target` raised."""
        self.is_joined = True
        self._thread.join()
        if self._error is not None:
            raise AssertionError(f"Error in checkedThread: {self._error}") from self._error

    def is_alive(self) -> bool:
        """Whether the thread is running."""
        return self._thread.is_alive()


class CapturedWrites:
    """The text written to a stream during a context, available after the context."""

    def __init__(self) -> None:
        self._text = ""

    def contents(self) -> str:
        """The text."""
        return self._text

    def read(self, file: IO[str]) -> None:
        """Reads the text from `file`."""
        file.seek(0)
        self._text = file.read()


@contextlib.contextmanager
def captured(stream: Any) -> Generator[CapturedWrites]:
    """A context that captures output to the file descriptor of `stream`, also from other languages."""
    number = stream.fileno()
    writes = CapturedWrites()
    stream.flush()
    kept = os.dup(number)
    with tempfile.TemporaryFile("w+") as file:
        os.dup2(file.fileno(), number)
        try:
            yield writes
        finally:
            stream.flush()
            os.dup2(kept, number)
            os.close(kept)
            writes.read(file)
