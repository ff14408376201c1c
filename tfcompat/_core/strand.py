"""Strands: functions in threads of their own that run only while their caller waits, and record into its trace.

A thread that a strand no longer needs serves later strands for a while: starting one takes longer than a short strand.

A strand begins when it is resumed for the first time. It runs until it pauses with a request, or until its function
ends. Meanwhile its caller waits, so of a caller and its strands exactly one runs. What belongs to the recording goes
along with the control (see `thread_state.py`).

Python runs signal handlers in the main thread. If a handler raises while the main thread waits for a strand, the strand
is interrupted: the exception reaches the caller's line when the strand has stopped.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from itertools import starmap
from queue import Empty, SimpleQueue
from typing import Any

from tfcompat._core.thread_state import State, begin_anew, carried, inherit, inherited, receive, whole
from tfcompat._core.trace import here
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
      strands: those that it is given; `process`: the process that it runs in, not a fork of that.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.strands: SimpleQueue[Strand] = SimpleQueue()
        self.process = os.getpid()

    def run(self) -> None:
        """Lives the strands that it is given, until there has been none for a while."""
        patience = None
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
    """A function that runs in turns with its caller.

    Attributes:
      is_done: whether the function has ended.
      result: its result, then.
      request: the argument of the `pause` at which it waits.
    """

    def __init__(self, function: Callable[[], Any], tapes: Sequence[Any]) -> None:
        """`tapes` record the strand's ops; it inherits states of the running thread."""
        self._function = function
        self._tapes = tapes
        self._inherited = inherited()
        # The thread that it lives in, once it has one.
        self._workers: list[_Worker] = []
        self._go, self._stopped = threading.Lock(), threading.Lock()
        self._go.acquire()
        self._stopped.acquire()
        self._is_given = self._is_running = self._is_ending = self._is_interruptible = False
        self._carried: State = []
        self._error: BaseException | None = None
        self._answer: Any = None
        self.is_done = False
        self.result: Any = None
        self.request: Any = None

    def resume(self, answer: Any = None) -> None:
        """Runs the function until its next pause, at which `pause` has returned `answer`, or until its end.

        Raises: the exception of the function.
        """
        self._answer = answer
        before, self._carried = whole(), carried()
        try:
            try:
                if not self._is_given:
                    self._begin()
                begin_anew()
                here.tapes = []
                self._is_running = True
                self._tell_to_go()
                while self._is_running:
                    self._stopped.acquire()
            finally:
                self._take_back(before)
        except BaseException:
            self._take_back(before)  # again, because an interrupt may have occurred in it
            raise
        if self.is_done:
            # The function often refers to the strand. Until such a cycle is collected, traces would hold their arrays.
            self._carried, self._function = [], _nothing
        if self._error is not None:
            raise self._error

    def _begin(self) -> None:
        """Gives the strand to a thread. After an interrupt it continues."""
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
        self._workers[0].strands.put(self)
        self._is_given = True

    def _take_back(self, before: State) -> None:
        """Stops the strand if it runs, and continues its recording in this thread, whose state was `before`."""
        raised: BaseException | None = None
        while self._is_running:
            try:
                self._stop_early()
            except BaseException as error:  # another signal
                raised = error
        receive([own | travelling for own, travelling in zip(before, self._carried, strict=True)])
        if raised is not None:
            raise raised

    def _stop_early(self) -> None:
        """Interrupts the strand, and waits for a moment."""
        self._tell_to_go()  # an interrupt may have prevented it before
        thread = self._workers[0].ident
        if thread is not None:
            interrupt(thread, StrandEnded, lambda: self._is_running and self._is_interruptible)
        self._stopped.acquire(timeout=_PAUSE)

    def _tell_to_go(self) -> None:
        """Lets the strand continue. It has not waited if its thread has found before that it is to run."""
        if self._go.locked():
            self._go.release()

    def end(self) -> None:
        """Ends the function by an exception where it has paused, unless it has ended. Its own exceptions are lost."""
        self._is_ending = True
        interrupted: BaseException | None = None
        while self._workers and not self.is_done:
            try:
                self.resume()
            except BaseException as raised:
                if raised is not self._error:
                    interrupted = raised
        if interrupted is not None:
            raise interrupted

    def live(self, worker: _Worker) -> None:
        """The strand's life in the thread `worker`, which waits for another one afterwards."""
        if self.is_done:  # an interrupt came when the thread had been given the strand
            return
        self._wait()
        try:
            with interruptible():
                self._call()
        except StrandEnded:  # an interrupt that came late
            self._is_ending = True
        _running.strand = None
        self._stop(is_done=True, worker=worker)

    def _call(self) -> None:
        """Calls the function."""
        try:
            self._is_interruptible = True
            if self._is_ending:
                raise StrandEnded
            _running.strand = self
            inherit(self._inherited)
            receive(self._carried)
            here.tapes = list(self._tapes)
            self.result = self._function()
        except BaseException as error:
            self._error = error

    def _wait(self) -> None:
        """Waits until the strand is to run."""
        while not self._is_running:
            try:
                self._go.acquire()
            except StrandEnded:
                self._is_ending = True

    def _stop(self, *, is_done: bool, worker: _Worker | None = None) -> None:
        """Gives the recording back to the caller; at the end of the strand, also its `worker`."""
        while True:
            try:
                with uninterruptible:
                    if self._is_running:
                        self._carried = carried()
                        if is_done:  # until then the thread only waits, and then receives the recording again
                            begin_anew()
                        self.is_done = is_done
                        if worker is not None:
                            _idle.append(worker)
                        self._is_running = False
                break
            except StrandEnded:  # an interrupt that came late
                self._is_ending = True
        self._wake()

    def _wake(self) -> None:
        while self._stopped.locked():
            try:
                self._stopped.release()
            except StrandEnded:
                self._is_ending = True

    def pause(self, request: Any) -> Any:
        """Lets the caller continue, with `request`; returns the argument of the next `resume`.

        Raises: StrandEnded if the strand is to end.
        """
        if self._is_ending:
            raise StrandEnded
        own = whole()
        self.request = request
        self._stop(is_done=False)
        self._wait()
        receive([mine | travelling for mine, travelling in zip(own, self._carried, strict=True)])
        if self._is_ending:
            raise StrandEnded
        return self._answer


def running_strand() -> Strand | None:
    """The strand that is the running thread; None in other threads."""
    return _running.strand
