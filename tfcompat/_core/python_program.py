"""Programs that call Python functions: they run in a separate thread, and the waiting thread calls the functions.

So the functions run in the thread of their caller, with its tapes, its thread-local values, and Ctrl-C.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import starmap
from queue import SimpleQueue
from typing import Any

import jax

from tfcompat._core.config import settings
from tfcompat._core.lock import require_free
from tfcompat._jaxpr.postponement import postponed

Request = Callable[[], None] | None


# For each thread that waits for programs, their requests to call a function; the innermost program is last.
_waiting: dict[int, list[SimpleQueue[Request]]] = {}


def calling_python(run: Callable[..., Any]) -> Callable[..., Any]:
    """`run`, a compiled function that calls Python, as a function that serves these calls."""
    return functools.partial(_run, run)


def _run(run: Callable[..., Any], *args: Any) -> Any:
    results, interrupt = served(run, args)
    if interrupt is not None:
        raise interrupt
    return results


def served(run: Callable[..., Any], args: Sequence[Any]) -> tuple[Any, BaseException | None]:
    """The result of `run(*args)`, which calls Python in this thread, and the exception of a signal handler, if any.

    The program runs to its end; an interrupt inside a Python function makes it fail. Raises the error of the program.
    """
    if settings.is_checking:
        require_free()
    requests: SimpleQueue[Request] = SimpleQueue()
    program = _Running(run, args, requests)
    waiting = _waiting.setdefault(threading.get_ident(), [])
    interrupt: BaseException | None = None
    try:
        with postponed():  # an interrupt must not leave a program behind whose requests are never served
            waiting.append(requests)
            program.start()
    except BaseException as raised:
        if program.ident is None:  # it has not started
            with suppress(ValueError):  # an interrupt came before it was added
                waiting.remove(requests)
            raise
        interrupt = raised
    taken: list[Request] = []
    while True:
        try:
            if not taken:
                # Within one call of C code: an interrupt must not lose a request that a program waits for.
                taken.extend(starmap(requests.get, ((),)))
            request = taken[0]
            if request is None:
                break
            request()
            taken.clear()
        except BaseException as raised:  # from a signal handler: exceptions of the functions belong to the program
            interrupt = raised
    waiting.remove(requests)
    return program.results(interrupt), interrupt


class _Running(threading.Thread):
    """A running program. At its end it makes a last, empty request."""

    def __init__(self, run: Callable[..., Any], args: Sequence[Any], requests: SimpleQueue[Request]) -> None:
        super().__init__(daemon=True)
        self._call = functools.partial(run, *args)
        self._requests = requests
        self._results: Any = None
        self._error: BaseException | None = None

    def run(self) -> None:
        """Runs the program to its end."""
        try:
            with jax.enable_x64(True):
                self._results = jax.block_until_ready(self._call())
        except BaseException as error:
            self._error = error
        finally:
            self._requests.put(None)

    def results(self, interrupt: BaseException | None) -> Any:
        """The outputs of the program. Raises the error of the program, or the `interrupt` that made it fail."""
        if self._error is not None:
            raise interrupt or self._error
        return self._results


def call_in(thread: int, function: Callable[[], Any]) -> Any:
    """The result of `function()`, called in `thread` if that thread waits for a program."""
    waiting = _waiting.get(thread)
    if not waiting or thread == threading.get_ident():
        return function()
    found: list[Any] = []
    done = threading.Event()

    def request() -> None:
        if done.is_set():
            return
        try:
            found.append(function())
        finally:
            done.set()

    waiting[-1].put(request)
    done.wait()
    if not found:
        raise KeyboardInterrupt
    return found[0]
