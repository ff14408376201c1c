"""`tf.profiler.experimental`: JAX's profiler, whose records TensorBoard shows."""

from __future__ import annotations

from types import TracebackType
from typing import Any, NamedTuple

import jax

from tfcompat._core.error import AlreadyExistsError, UnavailableError
from tfcompat._core.trace import here, sync


class ProfilerOptions(NamedTuple):
    """How much is recorded of the host and of Python. The device's level is 1; a delay is not supported.

    Source: TF 2.21 `tf.profiler.experimental.ProfilerOptions`.
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class _Running:
    """Whether a record is being made."""

    is_on = False


_running = _Running()


def start(logdir: str, options: Any = None) -> None:
    """Begins a record of what is computed, in the folder `logdir`.

    Raises: AlreadyExistsError if one is being made; NotImplementedError for a delay.
    Source: TF 2.21 `tf.profiler.experimental.start`.
    """
    if _running.is_on:
        raise AlreadyExistsError.of("Another profiler is running.")
    told = ProfilerOptions() if options is None else ProfilerOptions(*options)
    if told.delay_ms or told.device_tracer_level != ProfilerOptions().device_tracer_level:
        raise NotImplementedError(
            f"tf.profiler.experimental.start: delays and device levels are not known, got {told}."
        )
    ours = jax.profiler.ProfileOptions()
    ours.host_tracer_level = told.host_tracer_level
    ours.python_tracer_level = told.python_tracer_level
    here.trace.flush("profiler")
    jax.profiler.start_trace(logdir, profiler_options=ours)
    _running.is_on = True


def stop(save: bool = True) -> None:
    """Ends the record, once all that was called is computed, and writes it.

    Raises: UnavailableError if none is being made; NotImplementedError unless `save`.
    Source: TF 2.21 `tf.profiler.experimental.stop`.
    """
    if not _running.is_on:
        raise UnavailableError.of("Cannot export profiling results. No profiler is running.")
    if not save:
        raise NotImplementedError("tf.profiler.experimental.stop: save=False is not supported; delete the record.")
    sync()
    jax.profiler.stop_trace()
    _running.is_on = False


class Profile:
    """A context of which a record is made, in the folder `logdir`.

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
    """A context that stands in the record as `name`, with `kwargs` beside it; `_r=1` marks a training step.

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
        """Adds `kwargs`.

        Source: TF 2.21 `tf.profiler.experimental.Trace.set_metadata`.
        """
        self._annotation.set_metadata(**kwargs)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sync()
        self._annotation.__exit__(kind, error, trace)


def start_server(port: int) -> None:
    """Lets a profiler connect to this process at `port`.

    Source: TF 2.21 `tf.profiler.experimental.server.start`.
    """
    jax.profiler.start_server(port)
