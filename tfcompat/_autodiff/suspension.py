"""Computing where no tape looks."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from tfcompat._autodiff.context import RecordingContext
from tfcompat._core.trace import here


@contextmanager
def init_scope() -> Generator[None]:
    """A context in which no tape and no accumulator records what is computed; name scopes go on.

    Source: TF 2.21 `tf.init_scope`.
    """
    paused = [tape for tape in here.tapes if isinstance(tape, RecordingContext)]
    for tape in paused:
        tape._pause()
    try:
        yield
    finally:
        for tape in paused:
            tape._resume()
