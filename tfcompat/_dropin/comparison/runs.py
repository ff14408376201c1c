"""Runs a script under TensorFlow and under tfcompat, side by side, and reads their records."""

from __future__ import annotations

import json
import os
import selectors
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tfcompat._dropin.child_process import without_alias
from tfcompat._dropin.comparison import recorder
from tfcompat._dropin.comparison.alignment import OURS, THEIRS, Alignment, Difference

_LENGTH = struct.Struct("<I")
_BLOCK = 1 << 20
# Seconds between two looks at the processes.
_PAUSE = 0.2
# A run may take this many times as long as the other, and this many seconds at least.
_PATIENCE = 10
_LEAST_PATIENCE = 120.0
_TAIL = 4000


class Ended(NamedTuple):
    """The end of a run.

    Attributes:
      status: the exit status; negative for a signal.
      stopped: why it was stopped; empty if it ended by itself.
      seconds: its duration.
      complaint: the end of its standard error.
    """

    status: int
    stopped: str
    seconds: float
    complaint: str


class _Run:
    """A process and its records."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        readable, writable = os.pipe()
        self.descriptor = readable
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed in `end`
        self.began = time.monotonic()
        self.ended: float | None = None
        self.stopped = ""
        self._buffer = bytearray()
        self.process = subprocess.Popen(
            command,
            env={**environment, recorder.DESCRIPTOR: str(writable), "PYTHONHASHSEED": "0"},
            pass_fds=[writable],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self.errors,
            start_new_session=True,
        )
        os.close(writable)

    def read(self) -> list[dict[str, Any]] | None:
        """The records that have arrived; None at the end of the stream."""
        block = os.read(self.descriptor, _BLOCK)
        if not block:
            return None
        self._buffer += block
        found: list[dict[str, Any]] = []
        while len(self._buffer) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer)
            end = _LENGTH.size + length
            if len(self._buffer) < end:
                break
            found.append(json.loads(self._buffer[_LENGTH.size : end]))
            del self._buffer[:end]
        return found

    def seconds(self) -> float:
        """The seconds that it has run, or ran."""
        return (self.ended or time.monotonic()) - self.began

    def stop(self, reason: str) -> None:
        """Kills it, with its child processes."""
        self.stopped = reason
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            self.process.kill()

    def end(self) -> Ended:
        """Its end, once its stream has ended."""
        status = self.process.wait()
        self.errors.seek(0, os.SEEK_END)
        self.errors.seek(max(0, self.errors.tell() - _TAIL))
        complaint = self.errors.read().decode("utf-8", "replace")
        self.errors.close()
        os.close(self.descriptor)
        return Ended(status, self.stopped, self.seconds(), complaint)


def commands(python: str, seed: int | None, program: Sequence[str]) -> tuple[list[str], list[str]]:
    """The command under the interpreter `python`, which has TensorFlow, and that for tfcompat."""
    script = [str(recorder.__file__), "" if seed is None else str(seed), *program]
    return [python, *script], [sys.executable, "-m", "tfcompat", *script]


def run_both(
    pair: tuple[Sequence[str], Sequence[str]],
    alignment: Alignment,
    on_difference: Callable[[Difference], bool],
    timeout: float | None,
) -> tuple[Ended, Ended]:
    """Runs both commands and compares their records as they come.

    `on_difference` is called with the first difference of each place; if it returns True, both runs are stopped. A run
    that takes longer than `timeout` seconds, or much longer than the other, is stopped.
    """
    environment = without_alias(os.environ)
    runs = [_Run(command, environment) for command in pair]
    try:
        with selectors.DefaultSelector() as selector:
            for number, run in enumerate(runs):
                selector.register(run.descriptor, selectors.EVENT_READ, number)
            _read_both(runs, selector, alignment, on_difference, timeout)
    except BaseException:
        for run in runs:
            run.stop("interrupted")
        raise
    return runs[THEIRS].end(), runs[OURS].end()


def _read_both(
    runs: Sequence[_Run],
    selector: selectors.BaseSelector,
    alignment: Alignment,
    on_difference: Callable[[Difference], bool],
    timeout: float | None,
) -> None:
    is_stopping = False
    while any(run.ended is None for run in runs):
        for number, run in enumerate(runs):
            other = runs[1 - number]
            is_waiting = alignment.is_ahead(number) and not alignment.is_ahead(1 - number) and other.ended is None
            _listen(selector, run, number, wanted=run.ended is None and not is_waiting)
            _stop_if_late(run, other, timeout)
        for key, _ in selector.select(_PAUSE):
            run = runs[key.data]
            records = run.read()
            if records is None:
                selector.unregister(run.descriptor)
                run.ended = time.monotonic()
                continue
            for record in records:
                found = alignment.add(key.data, record)
                is_stopping |= found is not None and on_difference(found)
            alignment.drop()
        if is_stopping:
            for run in runs:
                run.stop("at the first difference")


def _listen(selector: selectors.BaseSelector, run: _Run, number: int, *, wanted: bool) -> None:
    """Reads the stream of `run`, or lets it wait: its pipe fills, and the program stops where it writes a record."""
    is_known = run.descriptor in selector.get_map()
    if wanted and not is_known:
        selector.register(run.descriptor, selectors.EVENT_READ, number)
    elif not wanted and is_known:
        selector.unregister(run.descriptor)


def _stop_if_late(run: _Run, other: _Run, timeout: float | None) -> None:
    if run.ended is not None or run.stopped:
        return
    if timeout is not None and run.seconds() > timeout:
        run.stop(f"after {timeout:g} s, the timeout")
    elif other.ended is not None:
        allowed = max(_LEAST_PATIENCE, _PATIENCE * other.seconds())
        if timeout is None and run.seconds() > allowed:
            run.stop(f"after {run.seconds():.0f} s; the other run took {other.seconds():.0f} s")
