"""Ops that no tape records: those of `tf.init_scope`, and of functions that TensorFlow calls in other threads."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from tfcompat._autodiff.context import RecordingContext
from tfcompat._core.tracing.trace import here


def unrecorded() -> AbstractContextManager[None]:
    """A context in which the tapes and accumulators of this thread record no ops."""
    return _paused() if here.tapes else nullcontext()


@contextmanager
def _paused() -> Generator[None]:
    paused = [tape for tape in here.tapes if isinstance(tape, RecordingContext)]
    for tape in paused:
        tape._pause()
    try:
        yield
    finally:
        for tape in paused:
            tape._resume()


@contextmanager
def init_scope() -> Generator[None]:
    """A context in which no tape and no accumulator records ops; name scopes continue.

    If a function is being traced, the ops of the context are not part of it. They run once, while it is traced. In a
    function that runs untraced they run eagerly at each call.

    Source: TF 2.21 `tf.init_scope`.
    """
    trace, graph, tapes = here.trace, here.graph, here.tapes
    untraced, here.untraced = here.untraced, None
    answers, here.answers = here.answers, None
    if graph is not None:
        outermost = graph
        while outermost.is_symbolic:
            outermost = outermost.outer
        here.trace, here.graph, here.tapes = outermost, None, []
    try:
        with unrecorded():
            yield
    finally:
        here.untraced, here.answers = untraced, answers
        if graph is not None:
            here.trace, here.graph, here.tapes = trace, graph, tapes
