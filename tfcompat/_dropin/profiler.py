"""`tf.profiler.experimental`, by JAX's profiler; TensorBoard shows its profiles."""

from __future__ import annotations

import shutil
import tempfile
from types import TracebackType
from typing import Any, NamedTuple

import jax

from tfcompat._core.system.error import AlreadyExistsError, UnavailableError
from tfcompat._core.tracing.trace import here, sync
from tfcompat._data.format.file_system import is_local, system_of


class ProfilerOptions(NamedTuple):
    """The detail of a profile: of the host and of Python. The device level is 1; a delay is not supported.

    Source: TF 2.21 `tf.profiler.experimental.ProfilerOptions`.
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class _Running:
    """The profile in progress.

    Attributes:
      is_on: whether there is one.
      folder: the folder that it is for.
      temporary: a folder that JAX writes to; None if it writes to `folder`, which is not on this machine.
    """

    is_on = False
    folder = ""
    temporary: str | None = None


_running = _Running()


def start(logdir: str, options: Any = None) -> None:
    """Starts the profiler, which writes to the folder `logdir`.

    Raises: AlreadyExistsError if it is already running; NotImplementedError for a delay.
    Source: TF 2.21 `tf.profiler.experimental.start`.
    """
    if _running.is_on:
        raise AlreadyExistsError.of("Another profiler is running.")
    given = ProfilerOptions() if options is None else ProfilerOptions(*options)
    if given.delay_ms or given.device_tracer_level != ProfilerOptions().device_tracer_level:
        raise NotImplementedError(
            f"tf.profiler.experimental.start: delays and device levels are not supported, got {given}."
        )
    ours = jax.profiler.ProfileOptions()
    ours.host_tracer_level = given.host_tracer_level
    ours.python_tracer_level = given.python_tracer_level
    here.trace.flush("profiler")
    # JAX writes the profile in any case; whether it is wanted is known at the end.
    temporary = tempfile.mkdtemp(prefix="tfcompat-profile-") if is_local(logdir) else None
    jax.profiler.start_trace(logdir if temporary is None else temporary, profiler_options=ours)
    _running.is_on, _running.folder, _running.temporary = True, logdir, temporary


def stop(save: bool = True) -> None:
    """Computes all pending ops, stops the profiler and writes the profile, if `save`.

    Raises: UnavailableError if the profiler is not running; NotImplementedError unless `save`, if the folder is not on
      this machine.
    Source: TF 2.21 `tf.profiler.experimental.stop`.
    """
    if not _running.is_on:
        raise UnavailableError.of("Cannot export profiling results. No profiler is running.")
    temporary = _running.temporary
    if not save and temporary is None:
        raise NotImplementedError(
            f"tf.profiler.experimental.stop: save=False needs a folder on this machine, got {_running.folder!r}; "
            "delete the profile."
        )
    sync()
    jax.profiler.stop_trace()
    _running.is_on = False
    if temporary is not None:
        if save:
            shutil.copytree(temporary, system_of(_running.folder)[1], dirs_exist_ok=True)
        shutil.rmtree(temporary)


class Profile:
    """A context that is profiled; the profile is written to the folder `logdir`.

    Source: TF 2.21 `tf.profiler.experimental.Profile`.
    """

    def __init__(self, logdir: str, options: Any = None) -> None:
        self._logdir = logdir
        self._options = options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stop()


class Trace:
    """A context that appears in the profile as `name`, with metadata `kwargs`; `_r=1` marks a training step.

    Source: TF 2.21 `tf.profiler.experimental.Trace`.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        is_step = kwargs.pop("_r", None)
        made: Any = jax.profiler.StepTraceAnnotation if is_step else jax.profiler.TraceAnnotation
        self._annotation = made(name, **kwargs)

    def __enter__(self) -> Trace:
        self._annotation.__enter__()
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Adds `kwargs` to the metadata.

        Source: TF 2.21 `tf.profiler.experimental.Trace.set_metadata`.
        """
        self._annotation.set_metadata(**kwargs)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sync()
        self._annotation.__exit__(kind, error, trace)


def start_server(port: int) -> None:
    """Starts a server at `port` to which a profiler can connect.

    Source: TF 2.21 `tf.profiler.experimental.server.start`.
    """
    jax.profiler.start_server(port)
