"""Writers of summaries: `tf.summary.create_file_writer`, and the interface that they have."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any

import numpy as np

from tfcompat._autodiff.suspension import init_scope
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, NotFoundError
from tfcompat._core.types.dtype import int32, string
from tfcompat._state.tracking.trackable import Trackable
from tfcompat._summary.channel import Channel
from tfcompat._summary.effect import at_call, is_deferred
from tfcompat._summary.event_file import EventFile
from tfcompat._summary.record import Record
from tfcompat._summary.state import state

_logger = logging.getLogger("tensorflow")
_MAX_QUEUE, _FLUSH_MILLIS, _SUFFIX = 10, 120_000, ".v2"


class SummaryWriter:
    """The interface of writers of summaries.

    Source: TF 2.21 `tf.summary.SummaryWriter`.
    """

    def set_as_default(self, step: Any = None) -> None:
        """Makes it the default writer of this thread, and `step`, unless it is None, the default step.

        Raises: RuntimeError if it is closed.
        Source: TF 2.21 `tf.summary.SummaryWriter.set_as_default`.
        """
        self.as_default(step).__enter__()

    def as_default(self, step: Any = None) -> AbstractContextManager[Any]:
        """A context in which it is the default writer, and `step`, unless it is None, the default step.

        The end of the context flushes the writer. In a loop it does not wait for values that are being computed.

        Raises: RuntimeError if it is closed; at the end, the errors of `flush`.
        Source: TF 2.21 `tf.summary.SummaryWriter.as_default`.
        """
        return _AsDefault(self, step)

    def init(self) -> Any:
        """Does nothing: a writer is initialized when it is made.

        Raises: NotImplementedError in the interface.
        Source: TF 2.21 `tf.summary.SummaryWriter.init`.
        """
        raise NotImplementedError

    def flush(self) -> Any:
        """Waits until all events are in the file.

        Raises: ResourceExhaustedError for a full disk, NotFoundError if the file was removed, ...; the errors of the
          programs that compute the values; NotImplementedError in the interface.
        Source: TF 2.21 `tf.summary.SummaryWriter.flush`.
        """
        raise NotImplementedError

    def close(self) -> Any:
        """Flushes and closes the writer; a second call has no effect.

        Raises: as `flush`.
        Source: TF 2.21 `tf.summary.SummaryWriter.close`.
        """
        raise NotImplementedError

    def _leave(self) -> None:
        """Flushes at the end of a context in which it was the default writer."""
        self.flush()


class _AsDefault:
    """The context of `SummaryWriter.as_default`."""

    def __init__(self, writer: SummaryWriter, step: Any) -> None:
        self._writer = writer
        self._step = step
        self._outer: tuple[Any, Any] = (None, None)

    def __enter__(self) -> SummaryWriter:
        self._outer = state.writer, state.step
        state.writer = self._writer
        if self._step is not None:
            state.step = self._step
        return self._writer

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        left = state.writer
        state.writer = self._outer[0]
        if self._step is not None:
            state.step = self._outer[1]
        try:
            left._leave()
        except Exception as failed:
            if error is None:
                raise
            # The error in the context is the one to raise.
            _logger.error("Summaries were not written: %s", failed)


class FileWriter(SummaryWriter):
    """A writer of a file of events, which its own thread writes."""

    def __init__(self, folder: str, max_queue: int, flush_millis: int, suffix: str) -> None:
        self._channel = Channel(EventFile(folder, suffix), max_queue, flush_millis)
        self._is_closed = False
        # As in TensorFlow, all records get into the file even if the writer is dropped.
        weakref.finalize(self, self._channel.request_close).atexit = False

    def set_as_default(self, step: Any = None) -> None:
        """See `SummaryWriter.set_as_default`."""
        self._require_open()
        super().set_as_default(step)

    def as_default(self, step: Any = None) -> AbstractContextManager[Any]:
        """See `SummaryWriter.as_default`."""
        self._require_open()
        return super().as_default(step)

    def init(self) -> None:
        """See `SummaryWriter.init`."""
        self._require_open()

    def flush(self) -> None:
        """See `SummaryWriter.flush`."""
        if is_deferred():
            at_call("summary.flush", self._channel.request_flush, ())
        elif not self._is_closed:
            self._channel.flush()

    def close(self) -> None:
        """See `SummaryWriter.close`."""
        if is_deferred():
            at_call("summary.close", self._close_later, ())
        elif not self._is_closed:
            self._is_closed = True
            self._channel.close()

    def put(self, record: Record, size: int = 0) -> None:
        """Adds a record with tensors of `size` bytes.

        Raises: NotFoundError if it is closed.
        """
        if self._is_closed:
            raise NotFoundError.of("tf.summary: the default writer is closed; its resource does not exist.")
        self._channel.put(record, size)

    def _leave(self) -> None:
        if is_deferred() or self._is_closed:
            self.flush()
        else:
            self._channel.leave()

    def _close_later(self) -> None:
        self._is_closed = True
        self._channel.request_close()

    def _require_open(self) -> None:
        if self._is_closed and not is_deferred():
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")


class TrackableFileWriter(FileWriter, Trackable):
    """A writer that may be an attribute of an object that is saved; checkpoints hold nothing of it."""


class _NoWriter(SummaryWriter):
    """The writer of `tf.summary.create_noop_writer`."""

    def set_as_default(self, step: Any = None) -> None:
        """Does nothing."""

    @contextmanager
    def as_default(self, step: Any = None) -> Generator[None]:
        """A context that changes nothing."""
        del step
        yield

    def init(self) -> None:
        """Does nothing."""

    def flush(self) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""


def create_file_writer(
    logdir: Any,
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: Any = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """A writer of a new file of events in the folder `logdir`, for TensorBoard.

    The events are in the file after each `max_queue` (10) of them, `flush_millis` (120,000) milliseconds, or a flush.
    The name of the file ends with `filename_suffix` (".v2"). With `experimental_trackable`, the writer may be an
    attribute of a `tf.Module`. A thread reads the values and writes the file: calls do not wait for the device.

    Raises: ValueError if logdir is None or has no value yet; TypeError for arguments of other types; NotFoundError,
      FailedPreconditionError or PermissionDeniedError if the file cannot be made; NotImplementedError for a mesh.
    Source: TF 2.21 `tf.summary.create_file_writer`.
    """
    del name
    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None")
    if experimental_mesh is not None:
        raise NotImplementedError(
            "tf.summary.create_file_writer: experimental_mesh is not supported; leave it out: values on a mesh are "
            "gathered and written once."
        )
    given = {"logdir": logdir, "max_queue": max_queue, "flush_millis": flush_millis, "filename_suffix": filename_suffix}
    for argument, value in given.items():
        if type(value) is Tensor and value._is_symbolic():
            raise ValueError(
                f"Invalid graph Tensor argument '{argument}={value}' to create_file_writer() inside an @tf.function: "
                "the writer is made once, while the function is traced."
            )
    with init_scope():
        kind = TrackableFileWriter if experimental_trackable else FileWriter
        return kind(
            _text("logdir", logdir),
            _count(max_queue, _MAX_QUEUE),
            _count(flush_millis, _FLUSH_MILLIS),
            _text("filename_suffix", _SUFFIX if filename_suffix is None else filename_suffix),
        )


def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing; as the default writer it does not replace the one before.

    Source: TF 2.21 `tf.summary.create_noop_writer`.
    """
    return _NoWriter()


def flush(writer: Any = None, name: str | None = None) -> None:
    """Waits until all events of `writer`, by default the default writer, are in the file.

    Raises: ValueError for anything else than a writer; the errors of `SummaryWriter.flush`.
    Source: TF 2.21 `tf.summary.flush`.
    """
    del name
    found = state.writer if writer is None else writer
    if found is None:
        return None
    if not isinstance(found, SummaryWriter):
        raise ValueError(f"Invalid argument to flush(): {found!r}")
    return found.flush()


def _text(what: str, value: Any) -> str:
    text = convert_to_tensor(value, string).numpy()
    if not isinstance(text, bytes):
        raise InvalidArgumentError.of(f"tf.summary.create_file_writer: {what} must be a scalar, got {value!r}.")
    return text.decode(errors="surrogateescape")


def _count(value: Any, otherwise: int) -> int:
    return otherwise if value is None else int(np.asarray(convert_to_tensor(value, int32)).reshape(()))
