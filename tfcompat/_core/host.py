"""Programs that call Python: they run in a thread of their own, and Python is called in the thread that waits for them.

That one holds the locks that Python may need. Which programs these are is found out while JAX traces them.
"""

from __future__ import annotations

import functools
import signal
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

import jax

Request = Callable[[], None] | None


class _Host:
    """What is known of such programs.

    Attributes:
      is_expected: whether there may be some.
      met: how many places that call Python JAX has met.
      waiting: by the threads that wait for programs, what these want to be called; the innermost program comes last.
    """

    def __init__(self) -> None:
        self.is_expected = False
        self.met = 0
        self.waiting: dict[int, list[SimpleQueue[Request]]] = {}


host = _Host()


def first_run(run: Callable[..., Any], args: Sequence[Any]) -> tuple[Any, Callable[..., Any]]:
    """`run(*args)`, where JAX traces `run` for the first time, and how to run it from now on."""
    if not host.is_expected:
        return run(*args), run
    before = host.met
    answers = _served(run, *args)
    return answers, functools.partial(_served, run) if host.met > before else run


def _served(run: Callable[..., Any], *args: Any) -> Any:
    """`run(*args)`, which calls Python in this thread. An interrupt waits for its end."""
    requests: SimpleQueue[Request] = SimpleQueue()
    program = _Running(run, args, requests)
    waiting = host.waiting.setdefault(threading.get_ident(), [])
    waiting.append(requests)
    program.start()
    is_interrupted = False
    try:
        while True:
            try:
                request = requests.get()
                if request is None:
                    break
                request()
            except KeyboardInterrupt:
                is_interrupted = True
    finally:
        waiting.remove(requests)
    if is_interrupted:
        signal.raise_signal(signal.SIGINT)
    return program.answers()


class _Running(threading.Thread):
    """A program that runs; at the end it asks for nothing more."""

    def __init__(self, run: Callable[..., Any], args: Sequence[Any], requests: SimpleQueue[Request]) -> None:
        super().__init__(daemon=True)
        self._call = functools.partial(run, *args)
        self._requests = requests
        self._answers: Any = None
        self._error: BaseException | None = None

    def run(self) -> None:
        """Runs the program to its end."""
        try:
            with jax.enable_x64(True):
                self._answers = jax.block_until_ready(self._call())
        except BaseException as error:
            self._error = error
        finally:
            self._requests.put(None)

    def answers(self) -> Any:
        """What the program computed. Raises what it raised."""
        if self._error is not None:
            raise self._error
        return self._answers


def call_in(thread: int, function: Callable[[], Any]) -> Any:
    """`function()`, called in `thread` if that waits for a program."""
    waiting = host.waiting.get(thread)
    if not waiting or thread == threading.get_ident():
        return function()
    found: list[Any] = []
    done = threading.Event()

    def request() -> None:
        try:
            found.append(function())
        finally:
            done.set()

    waiting[-1].put(request)
    done.wait()
    if not found:
        raise KeyboardInterrupt
    return found[0]
