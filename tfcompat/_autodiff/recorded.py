"""Whether the tapes that are recording follow a tensor. Libraries choose their way to differentiate by it."""

from __future__ import annotations

from collections.abc import Iterable

from tfcompat._autodiff.connection import Connections, Following
from tfcompat._autodiff.watching import WatchingContext
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import here


def could_possibly_record() -> bool:
    """Whether a tape is recording.

    Source: TF 2.21, private `tensorflow.python.eager.record.could_possibly_record`.
    """
    return bool(here.tapes)


def should_record_backprop(tensors: Iterable[Tensor]) -> bool:
    """Whether a tape that is recording watches one of `tensors`, or one that it derives from.

    Source: TF 2.21, private `tensorflow.python.eager.record.should_record_backprop`.
    """
    given = list(tensors)
    tapes = [tape for tape in here.tapes if isinstance(tape, WatchingContext)]
    return any(_follows(tape, given) for tape in tapes)


def _follows(tape: WatchingContext, tensors: list[Tensor]) -> bool:
    trace = tape._trace
    assert trace is not None
    following = Following(trace.node.path(), tape._span(trace), Connections(tape.customs))
    return any(tape._find(tensor) in following.reached for tensor in tensors)
