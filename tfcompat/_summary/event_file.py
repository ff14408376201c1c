"""Files of events, which TensorBoard reads: records with a length and checksums."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import posixpath
import socket
import time
from typing import Any

from tfcompat._core.system.error import NotFoundError
from tfcompat._data.format.checksum import masked_one, of_bytes
from tfcompat._data.format.file_error import translated
from tfcompat._data.format.file_system import is_local, system_of
from tfcompat._data.format.gfile import makedirs
from tfcompat._data.format.record_reader import CHECKSUM, LENGTH
from tfcompat._summary.event import first_event

_numbers = itertools.count()


class EventFile:
    """A file of events in the folder `folder`, whose name ends with `suffix`. It is made at once.

    It belongs to the process that made it: a child process writes to a file of its own. One thread calls the methods.

    Attributes:
      path: the file.
      count: how many events are not in the file yet.

    Raises: NotFoundError, FailedPreconditionError, PermissionDeniedError, ... if it cannot be made.
    """

    def __init__(self, folder: str, suffix: str) -> None:
        self._folder = folder
        self._suffix = suffix
        self._checksum = of_bytes()
        self._waiting: list[bytes] = []
        self._open()

    def _open(self) -> None:
        now = int(time.time())
        name = f"events.out.tfevents.{now}.{socket.gethostname()}.{os.getpid()}.{next(_numbers)}{self._suffix}"
        if self._folder:
            makedirs(self._folder)
        self.path = posixpath.join(self._folder, name)
        self._process = os.getpid()
        self._waiting.clear()
        system, inside = system_of(self.path)
        self._local = inside if is_local(self.path) else None
        with translated(self.path):
            # Without a buffer: after an error it would keep a part of an event.
            self._file: Any = system.open(inside, "wb") if self._local is None else io.FileIO(self._local, "w")
        self._end = 0
        self._write_framed(first_event(now))

    @property
    def count(self) -> int:
        """See the class."""
        return len(self._waiting)

    def add(self, event: bytes) -> None:
        """Adds an event, which is in the file after the next flush."""
        if self._process != os.getpid():
            self._open()
        self._waiting.append(event)

    def flush(self) -> None:
        """Writes all events. If that fails they are lost, and the file ends after the events before them.

        Raises: ResourceExhaustedError for a full disk, NotFoundError if the file was removed, ...
        """
        if not self._waiting:
            return
        events, self._waiting = self._waiting, []
        if self._local is not None and not os.path.exists(self._local):
            raise NotFoundError.of(f"{self.path}; the file of events was removed; {len(events)} events are lost.")
        self._write_framed(*events)

    def _write_framed(self, *events: bytes) -> None:
        data = b"".join([part for event in events for part in self._framed(event)])
        with translated(self.path):
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[self._file.write(rest) :]
                self._file.flush()
            except OSError:
                if self._local is not None:
                    with contextlib.suppress(OSError):  # the first error is the one to report
                        self._file.seek(self._end)
                        self._file.truncate()
                raise
        self._end += len(data)

    def _framed(self, event: bytes) -> tuple[bytes, bytes, bytes]:
        length = LENGTH.pack(len(event))
        head = length + CHECKSUM.pack(masked_one(self._checksum(length)))
        return head, event, CHECKSUM.pack(masked_one(self._checksum(event)))

    def close(self) -> None:
        """Closes the file; events that are not in the file are lost. A second call has no effect."""
        if self._file is not None and self._process == os.getpid():
            file, self._file = self._file, None
            with translated(self.path):
                file.close()
