"""The records of a writer on their way to its file, and the thread that writes them.

Calls of `tf.summary` append records and do not wait for values. One thread takes the records of each writer in order,
waits for their values, and writes the events.
"""

from __future__ import annotations

import atexit
import logging
import math
import os
import queue
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from tfcompat._jaxpr.postponement import postponed
from tfcompat._summary.event_file import EventFile
from tfcompat._summary.record import Record

# While more records or bytes wait than this, the call that adds one waits until they are written.
MOST_RECORDS, MOST_BYTES = 2048, 256 << 20
# The end of a block examines at most this many records.
_FEW = 64
# Seconds in which the thread lets records gather, and between two looks at pending values.
_PAUSE = 0.02
_logger = logging.getLogger("tensorflow")


class Channel:
    """The records for `file`, which get into the file after each `max_queue` events, or `flush_millis` milliseconds.

    Attributes:
      is_closing: whether the file is closed once all records are written.
      is_watched: whether the thread looks at it without being asked.
    """

    def __init__(self, file: EventFile, max_queue: int, flush_millis: int) -> None:
        self._file = file
        self._max_queue = max_queue
        self._interval = flush_millis / 1000
        self._due = time.monotonic() + self._interval
        self._has_left = False
        self.is_closing = False
        self.clear()
        _channels.add(self)

    def clear(self) -> None:
        """Forgets all records: in a child process, since its parent writes them."""
        # None among them asks for a flush of the file.
        self._records: deque[Record | None] = deque()
        self.is_watched = False
        self._errors: deque[BaseException] = deque()
        self._bytes = 0
        self._counting = threading.Lock()

    def put(self, record: Record, size: int = 0) -> None:
        """Adds a record with tensors of `size` bytes. If too many wait, waits until they are written."""
        if size:
            with self._counting:
                self._bytes += size
        record.size = size
        self._records.append(record)
        if not self.is_watched:
            _scribe.ask(_Request(self))
        if len(self._records) > MOST_RECORDS or self._bytes > MOST_BYTES:
            self._wait()

    def request_flush(self) -> None:
        """Asks that the events get into the file once their values are known."""
        self._records.append(None)
        _scribe.ask(_Request(self))

    def request_close(self) -> None:
        """Asks that the file is closed once the values of the records are known."""
        self.is_closing = True
        _scribe.ask(_Request(self))

    def leave(self) -> None:
        """Ends a block: a flush, which in a loop does not wait for values that are being computed."""
        waiting = self._waiting()
        if not self._has_left or (len(waiting) <= _FEW and all(record.is_on_host() for record in waiting)):
            self._has_left = True
            self.flush()
        else:
            self.request_flush()
            self._raise()

    def flush(self) -> None:
        """Waits until all events are in the file. Raises the first error since the last call."""
        self._wait()
        self._raise()

    def close(self) -> None:
        """Waits until all events are in the file, and closes it. Raises the first error since the last flush."""
        self.is_closing = True
        self.flush()

    def _wait(self) -> None:
        for record in self._waiting():
            record.compute_pending()
        # A lock of C code: an interrupt in the Python code of `threading.Event` would leave it locked.
        writing = threading.Lock()
        writing.acquire()
        if _scribe.ask(_Request(self, writing)):
            with writing:
                pass
        else:
            with postponed(), _scribe.starting:
                self.write(waits=True)

    def _waiting(self) -> list[Record]:
        while True:
            try:
                return [record for record in self._records.copy() if record is not None]
            except RuntimeError:  # the thread took one in the middle of the copy
                continue

    def _raise(self) -> None:
        if self._errors:
            error = self._errors.popleft()
            self._errors.clear()
            raise error

    def write(self, *, waits: bool) -> bool:
        """Writes the records up to the first that is pending, or all if it `waits`, in the thread for it.

        Returns whether nothing is left to do.
        """
        self.is_watched = False  # records that are added from here on are asked for
        records = self._records
        while records:
            record = records[0]
            if record is None:
                self._flush_file()
            elif waits or not record.is_pending() or time.time() > record.wall_time + self._interval:
                self._write(record)
            else:
                break
            records.popleft()
        if waits or self._file.count > self._max_queue or time.monotonic() > self._due:
            self._flush_file()
        if records or (self._file.count and not self.is_closing):
            return False
        if self.is_closing:
            self._flush_file()
            self._guarded(self._file.close)
        return True

    def pause(self) -> float:
        """The seconds after which there may be something to do."""
        return _PAUSE if self._records else max(0.0, self._due - time.monotonic())

    def _write(self, record: Record) -> None:
        try:
            encoded = record.encoded()
            if encoded is not None:
                self._file.add(encoded)
        except BaseException as error:
            self._errors.append(error)
        if record.size:
            with self._counting:
                self._bytes -= record.size
        if self._file.count > self._max_queue:
            self._flush_file()

    def _flush_file(self) -> None:
        self._due = time.monotonic() + self._interval
        self._guarded(self._file.flush)

    def _guarded(self, call: Callable[[], None]) -> None:
        """Calls `call`, whose error the next flush raises."""
        try:
            call()
        except BaseException as error:
            self._errors.append(error)

    def finish(self) -> None:
        """Writes all events at the end of the program, and logs errors that no flush has raised."""
        try:
            self.flush()
        except Exception as error:
            _logger.error("Summaries were not written: %s", error)


class _Request(NamedTuple):
    """Asks the thread to look at `channel`; it releases `writing` once all events of the channel are in the file."""

    channel: Channel
    writing: threading.Lock | None = None


class _Scribe:
    """The thread that writes the records of all channels. It starts with the first request."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forgets the thread and its requests: a child process has no threads."""
        # Unlike other queues it may be used by destructors, which interrupt any code.
        self._inbox: queue.SimpleQueue[_Request] = queue.SimpleQueue()
        # Held while the thread starts, and while events are written without it.
        self.starting = threading.RLock()
        self._thread: threading.Thread | None = None

    def ask(self, request: _Request) -> bool:
        """Adds a request; returns whether a thread serves it. None does if the process can start no more threads."""
        self._inbox.put(request)
        return self._thread is not None or self._start()

    def _start(self) -> bool:
        # An interrupt must not leave a thread behind that has not begun.
        with self.starting, postponed():
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="tfcompat-summary", daemon=True)
                try:
                    thread.start()
                except RuntimeError:
                    return False
                self._thread = thread
        return True

    def _run(self) -> None:
        busy: dict[Channel, float] = {}
        while True:
            request = self._next(min(busy.values()) if busy else None)
            if request is not None and request.writing is not None:
                busy.pop(request.channel, None)
                request.channel.write(waits=True)
                request.writing.release()
            elif request is not None:
                busy[request.channel] = min(busy.get(request.channel, math.inf), time.monotonic() + _PAUSE)
                request.channel.is_watched = True
            del request
            now = time.monotonic()
            for channel in [channel for channel, due in busy.items() if due <= now]:
                del busy[channel]
                if not channel.write(waits=False):
                    busy[channel] = now + channel.pause()
                    channel.is_watched = True

    def _next(self, due: float | None) -> _Request | None:
        """The next request; None if none comes until `due`."""
        try:
            return self._inbox.get(timeout=None if due is None else max(0.0, due - time.monotonic()))
        except queue.Empty:
            return None


_channels: weakref.WeakSet[Channel] = weakref.WeakSet()
_scribe = _Scribe()


def _finish() -> None:
    for channel in list(_channels):
        channel.finish()


def _forget() -> None:
    """Leaves the records and files to the parent process."""
    _scribe.reset()
    for channel in list(_channels):
        channel.clear()


atexit.register(_finish)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
