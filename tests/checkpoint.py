"""The places in tfcompat's code where Python runs signal handlers, so that tests can act there."""

from __future__ import annotations

import gc
import itertools
import opcode
import pathlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

import tfcompat
from tfcompat._core.system import lock

ROOT = str(pathlib.Path(tfcompat.__file__).parent)


def is_watched(filename: str) -> bool:
    """Whether this file has checkpoints: with TFCOMPAT_CHECK=1 locks are Python code, which is excluded."""
    return filename.startswith(ROOT) and filename != lock.__file__


class Monitored:
    """Calls `passed` at each checkpoint of the running thread, from Python 3.12 on."""

    TOOL = 4

    def __init__(self, passed: Callable[[], None]) -> None:
        self._passed = passed
        self._thread = threading.get_ident()

    def begin(self) -> None:
        monitoring = sys.monitoring
        events = monitoring.events
        monitoring.use_tool_id(self.TOOL, "checkpoint")
        # Without jumps: what their callback raises passes by the handlers of the function.
        for event in (events.PY_START, events.PY_RESUME, events.C_RETURN):
            monitoring.register_callback(self.TOOL, event, self._looked)
        monitoring.set_events(self.TOOL, events.PY_START | events.PY_RESUME | events.CALL)

    def end(self) -> None:
        sys.monitoring.set_events(self.TOOL, sys.monitoring.events.NO_EVENTS)
        sys.monitoring.free_tool_id(self.TOOL)

    def _looked(self, code: CodeType, *_place: object) -> None:
        if is_watched(code.co_filename) and threading.get_ident() == self._thread:
            self._passed()


class Traced:
    """Calls `passed` at each checkpoint of the running thread, on Python 3.11."""

    CALLS = frozenset(map(opcode.opmap.get, ("CALL", "CALL_FUNCTION_EX")))
    # A loop jumps back by `JUMP_BACKWARD`, or by `POP_JUMP_BACKWARD_IF_TRUE` and others of this kind.
    JUMPS = frozenset(
        number for name, number in opcode.opmap.items() if "JUMP_BACKWARD" in name and "NO_INTERRUPT" not in name
    )

    def __init__(self, passed: Callable[[], None]) -> None:
        self._passed = passed
        # The instruction and its place, by the `id` of their frames: references to frames would keep values alive.
        self._latest: dict[int, tuple[int, int]] = {}
        self._before = sys.gettrace()

    def begin(self) -> None:
        sys.settrace(self._called)

    def end(self) -> None:
        sys.settrace(self._before)

    def _called(self, frame: FrameType, _event: str, _value: object) -> Any:
        # The caller's instruction was a call of Python code, after which Python does not look for signals.
        self._latest[id(frame.f_back)] = (-1, -1)
        if not is_watched(frame.f_code.co_filename):
            return None
        self._latest.pop(id(frame), None)
        frame.f_trace_opcodes = True
        return self._followed

    def _followed(self, frame: FrameType, event: str, _value: object) -> Any:
        if event == "opcode":
            latest, place = self._latest.get(id(frame)), frame.f_lasti
            self._latest[id(frame)] = frame.f_code.co_code[place], place
            if latest is None or latest[0] in self.CALLS or (latest[0] in self.JUMPS and place < latest[1]):
                self._passed()
        return self._followed


class Checkpoint:
    """A context that calls `act` at the `number`-th checkpoint that the thread reaches in it, counted from 0.

    Checkpoints are where a function begins, where C code that was called returns and, in Python 3.11, where a loop
    jumps back. No garbage is collected meanwhile: what ran before would determine where finalizers run, and Python
    loses the exceptions that are raised in them.

    Attributes:
      is_reached: whether the thread reached it.
    """

    def __init__(self, number: int, act: Callable[[], object]) -> None:
        self.is_reached = False
        self._left = number
        self._act = act
        self._observer = Monitored(self._pass) if sys.version_info >= (3, 12) else Traced(self._pass)

    def __enter__(self) -> Checkpoint:
        self._was_collecting = gc.isenabled()
        gc.disable()
        self._observer.begin()
        return self

    def __exit__(self, *_raised: object) -> None:
        if not self.is_reached:
            self._observer.end()
        if self._was_collecting:
            gc.enable()

    def _pass(self) -> None:
        self._left -= 1
        if self._left < 0:
            self._observer.end()
            self.is_reached = True
            self._act()


def checkpoints(act: Callable[[], object], stride: int = 1) -> Iterator[Checkpoint]:
    """A context for each checkpoint of the code in it, or one of `stride`; ends after the first that is not reached."""
    for number in itertools.count(0, stride):
        place = Checkpoint(number, act)
        yield place
        if not place.is_reached:
            return


def interrupted(call: Callable[[], object], stride: int, prepare: Callable[[], object]) -> Iterator[bool]:
    """Calls `call` again and again, each time with an interrupt at another checkpoint, one of `stride`.

    Before each call, `prepare` is called. Yields whether the interrupt was raised by the call.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for number in itertools.count(0, stride):
            prepare()
            place = Checkpoint(number, lambda: signal.raise_signal(signal.SIGINT))
            is_raised = False
            try:
                with place:
                    call()
            except KeyboardInterrupt:
                is_raised = True
            if not place.is_reached:
                return
            yield is_raised
    finally:
        signal.signal(signal.SIGINT, before)
