"""Strands: functions in threads of their own that run only while their caller waits, and record into its trace.

A thread that a strand no longer needs serves later strands for a while: starting one takes longer than a short strand.

Strands take turns. When they are resumed, each runs until it pauses with a request, or until its function ends; then
the next one runs, and after the last one the caller. So of a caller and its strands exactly one runs. What belongs to
the recording goes along with the control (see `thread_state.py`); it goes from strand to strand, because a change of
threads takes as long as the recording of several ops.

Python runs signal handlers in the main thread. If a handler raises while the main thread waits for strands, the one
that runs is interrupted: the exception reaches the caller's line when it has stopped.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from itertools import starmap
from queue import Empty, SimpleQueue
from typing import Any

from tfcompat._core.system.thread_state import (
    Own,
    State,
    begin_anew,
    carried,
    inherit,
    inherited,
    kept,
    receive,
    restore,
)
from tfcompat._core.tracing.trace import here
from tfcompat._jaxpr.postponement import interrupt, interruptible, postponed, uninterruptible

# Seconds between two interrupts of a strand that does not stop.
_PAUSE = 0.05
# Seconds that a thread waits for another strand before it ends.
_PATIENCE = 1.0


class StrandEnded(BaseException):
    """Raised where a strand runs or has paused, to end it."""


def _nothing() -> None:
    """The function of a strand that has ended."""


class _Running(threading.local):
    strand: Strand | None = None


_running = _Running()


class _Worker(threading.Thread):
    """A thread that strands live in, one after another.

    Attributes:
      strands: those that it is to run; `process`: the process that it runs in, not a fork of that.
      state: its own, which it has while it waits for a strand; `kept`: the attributes of it that do not travel.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.strands: SimpleQueue[Strand] = SimpleQueue()
        self.process = os.getpid()
        self.state: State = []
        self.kept: Own = []

    def run(self) -> None:
        """Lives the strands that it is given, until there has been none for a while."""
        patience, self.state, self.kept = None, carried(), kept()
        while True:
            try:
                strand = self.strands.get(timeout=patience)
                patience = _PATIENCE
                strand.live(self)
                del strand
            except Empty:
                if _remove(_idle, self):
                    return
                patience = None  # there will be a strand
            except StrandEnded:  # an interrupt that came late
                pass


# The threads that wait for strands, or are about to.
_idle: list[_Worker] = []


def _remove(workers: list[_Worker], worker: _Worker) -> bool:
    """Removes `worker` from `workers`; returns whether it was there."""
    try:
        workers.remove(worker)
    except ValueError:
        return False
    return True


def idle_threads() -> int:
    """The number of threads that wait for strands, and run nothing."""
    return len(_idle) if _idle and _idle[0].process == os.getpid() else 0


class Strand:
    """A function that runs in turns with others.

    Attributes:
      is_done: whether the function has ended.
      result: its result, then.
      request: the argument of the `pause` at which it waits.
    """

    def __init__(self, turns: Turns, number: int, function: Callable[[], Any]) -> None:
        """`number` is its place in `turns`."""
        self._turns = turns
        self._number = number
        self._function = function
        # The thread that it lives in, once it has one.
        self._workers: list[_Worker] = []
        self._is_ending = self._is_interruptible = False
        self._error: BaseException | None = None
        self._answer: Any = None
        self.is_done = False
        self.result: Any = None
        self.request: Any = None

    @property
    def _is_running(self) -> bool:
        return self._turns.running is self

    def _prepare(self) -> None:
        """Chooses the thread that it will live in. After an interrupt it continues."""
        while not self._workers:
            try:
                # In one call of C code: an interrupt must not lose a thread.
                self._workers.extend(starmap(_idle.pop, ((),)))
            except IndexError:
                with postponed():  # an interrupted start leaves a thread that waits forever
                    worker = _Worker()
                    worker.start()
                    self._workers.append(worker)
            if self._workers[0].process != os.getpid():  # forks have no threads
                self._workers.clear()

    def _wake(self) -> None:
        """Lets its thread find out that it is to run. It does no harm to do this twice."""
        self._workers[0].strands.put(self)

    def interrupt(self) -> None:
        """Interrupts it if it runs."""
        self._wake()  # an interrupt may have prevented it before
        thread = self._workers[0].ident
        if thread is not None:
            interrupt(thread, StrandEnded, lambda: self._is_running and self._is_interruptible)

    def live(self, worker: _Worker) -> None:
        """Its life in the thread `worker`, which waits for another strand afterwards."""
        if self.is_done:  # it was woken twice
            return
        self._wait()
        try:
            with interruptible():
                self._call()
        except StrandEnded:  # an interrupt that came late
            self._is_ending = True
        _running.strand = None
        self._stop(worker)

    def _call(self) -> None:
        """Calls the function."""
        try:
            self._is_interruptible = True
            if self._is_ending:
                raise StrandEnded
            _running.strand = self
            inherit(self._turns.inherited)
            receive(self._turns.state)
            here.tapes = list(self._turns.tapes)
            self.result = self._function()
        except BaseException as error:
            self._error = error

    def _wait(self) -> None:
        """Waits until it is to run."""
        turns, take = self._turns, self._workers[0].strands.get
        while turns.running is not self:
            try:
                take()
            except StrandEnded:
                self._is_ending = True

    def _stop(self, ended: _Worker | None = None) -> None:
        """Gives the recording to the next strand, or to the caller. At its end, its thread `ended` becomes free."""
        turns, following = self._turns, None
        while True:
            try:
                with uninterruptible:
                    if turns.running is self:
                        turns.state = carried()
                        if ended is not None:
                            receive(ended.state)
                            restore(ended.kept)
                            self.is_done = True
                            _idle.append(ended)
                        following = turns.after(self)
                        turns.running = following
                break
            except StrandEnded:  # an interrupt that came late
                self._is_ending = True
        while True:
            try:
                turns.wake(following)
                break
            except StrandEnded:
                self._is_ending = True

    def pause(self, request: Any) -> Any:
        """Lets the caller continue, with `request`; returns the answer of the next `Turns.resume`.

        Raises: StrandEnded if the strand is to end.
        """
        if self._is_ending:
            raise StrandEnded
        self.request = request
        self._stop()
        self._wait()
        receive(self._turns.state)
        if self._is_ending:
            raise StrandEnded
        return self._answer


class Turns:
    """Strands that run one after another, each until its next pause, while their caller waits.

    Attributes:
      tapes: those that record the ops of the strands.
      inherited: the states of the caller that the strands inherit.
      strands: the strands, in their order; none after the end.
      running: the one that runs; None if the caller does.
      state: the state that travels, while it is handed over.
    """

    def __init__(self, tapes: Sequence[Any]) -> None:
        self.tapes = tapes
        self.inherited = inherited()
        self.strands: list[Strand] = []
        self.running: Strand | None = None
        self.state: State = []
        self._last = 0
        self._is_halting = False
        self._stopped: SimpleQueue[None] = SimpleQueue()

    def add(self, function: Callable[[], Any]) -> Strand:
        """A new strand, which is the last one to run."""
        self.strands.append(Strand(self, len(self.strands), function))
        return self.strands[-1]

    def resume(self, answers: Sequence[Any]) -> None:
        """Runs each strand until its next pause, at which `pause` has returned its answer, or until its end.

        Raises: the exception of the first function that raises one; the strands after it have not run.
        """
        for strand, answer in zip(self.strands, answers, strict=True):
            strand._answer = answer
        self._run(self.strands)

    def _run(self, strands: Sequence[Strand]) -> None:
        before, self.state = kept(), carried()
        try:
            try:
                for strand in strands:
                    if not strand._workers:
                        strand._prepare()
                begin_anew()
                here.tapes = []
                self._is_halting, self._last = False, strands[-1]._number
                self.running = strands[0]
                strands[0]._wake()
                self._wait()
            finally:
                self._take_back(before)
        except BaseException:
            self._take_back(before)  # again, because an interrupt may have occurred in it
            raise
        self.state = []
        for strand in strands:
            if strand._error is not None:
                raise strand._error

    def _wait(self) -> None:
        """Waits until the caller continues."""
        while self.running is not None:
            self._stopped.get()

    def after(self, strand: Strand) -> Strand | None:
        """The strand that runs when `strand` has stopped; None if the caller continues."""
        if self._is_halting or strand._number == self._last or strand._error is not None:
            return None
        return self.strands[strand._number + 1]

    def wake(self, strand: Strand | None) -> None:
        """Lets `strand` find out that it is to run; the caller if it is None."""
        if strand is None:
            self._stopped.put(None)
        else:
            strand._workers[0].strands.put(strand)

    def _take_back(self, before: Own) -> None:
        """Stops the strand that runs, and continues the recording in this thread, which had kept `before`."""
        raised: BaseException | None = None
        while self.running is not None:
            try:
                self._is_halting = True
                self._stop_early()
            except BaseException as error:  # another signal
                raised = error
        receive(self.state)
        restore(before)
        if raised is not None:
            raise raised

    def _stop_early(self) -> None:
        """Interrupts the strand that runs, and waits for a moment."""
        strand = self.running
        if strand is not None:
            strand.interrupt()
            with contextlib.suppress(Empty):
                self._stopped.get(timeout=_PAUSE)

    def end(self) -> None:
        """Ends the functions by an exception where they have paused. Their own exceptions are lost.

        The strands then refer to nothing. Functions often refer to strands: until garbage is collected, traces would
        hold their arrays. And the threads refer to them for a moment after their end: the next program would compute
        results that are not needed.
        """
        interrupted: BaseException | None = None
        for strand in self.strands:
            strand._is_ending = True
            while strand._workers and not strand.is_done:
                try:
                    self._run([strand])
                except BaseException as raised:
                    if raised is not strand._error:
                        interrupted = raised
            strand._function = _nothing
            strand.result = strand.request = strand._answer = None
        self.strands = []
        if interrupted is not None:
            raise interrupted


def running_strand() -> Strand | None:
    """The strand that is the running thread; None in other threads."""
    return _running.strand
