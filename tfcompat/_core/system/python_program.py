"""Programs that call Python functions: they run in a separate thread, and the waiting thread calls the functions.

So the functions run in the thread of their caller, with its tapes, its thread-local values, and Ctrl-C.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import starmap
from queue import Empty, SimpleQueue
from typing import Any, NoReturn

import jax

from tfcompat._core.system.config import settings
from tfcompat._core.system.lock import require_free
from tfcompat._jaxpr.postponement import postponed

Request = Callable[[], None] | None
# How many seconds a call waits for the first one, in another thread, before a function is compiled for it.
_PATIENCE = 5.0
# How many seconds a thread that has run a program waits for another one.
_IDLE = 10.0

# For each thread that waits for programs, their requests to call a function; the innermost program is last.
_waiting: dict[int, list[SimpleQueue[Request]]] = {}
# For each thread that waits for a program, the error that has ended it, in place of JAX's.
_ended: dict[int, Exception] = {}


class CallingPython:
    """A function that JAX compiles, whose program calls Python functions.

    JAX makes calls wait until the first one for such arguments has returned. That one may wait for another, which a
    Python function makes, or another thread: they get a function of their own, those of other threads after a while.
    """

    def __init__(self, run: Callable[..., Any], make: Callable[[], Callable[..., Any]]) -> None:
        """`run`, or one of the functions that `make` returns, each time another one."""
        self._run = run
        self._make = make
        # By the kinds of their arguments, first calls that run: their threads, and events that come after them.
        self._first: dict[tuple[Any, ...], tuple[int, threading.Event]] = {}
        self._known: set[tuple[Any, ...]] = set()

    def __call__(self, *args: Any) -> Any:
        """The result of a call whose Python functions run in this thread."""
        results, interrupt = self.served(args)
        if interrupt is not None:
            raise interrupt
        return results

    def served(self, args: Sequence[Any]) -> tuple[Any, BaseException | None]:
        """The result, and the exception of a signal handler, if any. See `_served`."""
        kinds = tuple([(type(array), array.shape, array.dtype) for array in args])
        if kinds in self._known:
            return _served(self._run, args)
        mine = threading.get_ident(), threading.Event()
        try:
            first = self._first.setdefault(kinds, mine)
            if first is not mine:
                is_over = first[0] != mine[0] and first[1].wait(_PATIENCE)
                return _served(self._run if is_over else self._make(), args)
            found = _served(self._run, args)
            self._known.add(kinds)
            return found
        finally:
            if self._first.get(kinds) is mine:
                del self._first[kinds]
                mine[1].set()


def _served(run: Callable[..., Any], args: Sequence[Any]) -> tuple[Any, BaseException | None]:
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
        if not program.is_started:
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
    ended = _ended.pop(threading.get_ident(), None)
    return program.results(interrupt or ended), interrupt


class _Running:
    """A program that a thread runs. At its end it makes a last, empty request.

    Attributes:
      is_started: whether it runs, or has run.
    """

    def __init__(self, run: Callable[..., Any], args: Sequence[Any], requests: SimpleQueue[Request]) -> None:
        self._call: Callable[[], Any] | None = functools.partial(run, *args)
        self._requests = requests
        self._results: Any = None
        self._error: BaseException | None = None
        self.is_started = False

    def start(self) -> None:
        """Lets an idle thread, or else a new one, run the program."""
        try:
            runner = _idle.pop()
        except IndexError:
            runner = _Runner()
            runner.start()
        self.is_started = True
        runner.programs.put(self)

    def run(self, runner: _Runner) -> None:
        """Runs the program to its end, in the thread `runner`, which is idle then."""
        call, self._call = self._call, None
        assert call is not None
        try:
            self._results = jax.block_until_ready(call())
        except BaseException as error:
            self._error = error
        finally:
            del call  # and with it the arguments, before anyone counts who holds them
            _idle.append(runner)
            self._requests.put(None)

    def results(self, cause: BaseException | None) -> Any:
        """The outputs of the program. Raises the error of the program, or the `cause` that made it fail."""
        failed = self._error
        if cause is None and type(failed) is ValueError and str(failed).startswith("INTERNAL:"):
            # That is how JAX raises an error of its runtime in all calls but the first.
            raise jax.errors.JaxRuntimeError(str(failed)) from failed
        if failed is not None:
            raise cause or failed
        found, self._results = self._results, None
        return found


class _Runner(threading.Thread):
    """A thread that runs programs, one after another, until none comes for a while."""

    def __init__(self) -> None:
        super().__init__(name="tfcompat_program", daemon=True)
        self.programs: SimpleQueue[_Running] = SimpleQueue()

    def run(self) -> None:
        """Runs the programs that come."""
        with jax.enable_x64(True):
            while True:
                try:
                    program = self.programs.get(timeout=_IDLE)
                except Empty:
                    try:
                        _idle.remove(self)
                    except ValueError:  # it has just been taken, so a program comes
                        continue
                    return
                program.run(self)
                del program


_idle: list[_Runner] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)


def end(thread: int, error: Exception) -> NoReturn:
    """Raises `error` in a function that the program calls for which `thread` waits, and there when the program ends."""
    if _waiting.get(thread):
        _ended[thread] = error
    raise error


def call_in(thread: int, function: Callable[[], Any]) -> Any:
    """The result of `function()`, called in `thread` if that thread waits for a program."""
    waiting = _waiting.get(thread)
    if not waiting or thread == threading.get_ident():
        return function()
    begun: list[bool] = []
    found: list[Any] = []
    ended: list[None] = []
    answer: SimpleQueue[None] = SimpleQueue()

    def request() -> None:
        if ended:
            return
        try:
            if not begun:  # else a signal has interrupted it
                begun.append(True)
                found.append(function())
        finally:
            ended.extend(starmap(answer.put, ((None,),)))  # one call of C code, which no signal divides

    waiting[-1].put(request)
    answer.get()
    if not found:
        raise KeyboardInterrupt
    return found[0]
