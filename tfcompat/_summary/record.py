"""Records: events that are not written yet, with tensors whose values may not be known."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import Trace, here
from tfcompat._summary.event import event

# A function of values that returns the content of an event.
Content = Callable[..., bytes]


class Record:
    """An event that is not written yet.

    Attributes:
      wall_time: the time of the call that made it, in seconds.
      step: the step, a number or a tensor.
      content: the function that makes its content from the values of `inputs`.
      inputs: tensors, and values of other kinds.
      condition: a boolean tensor; the record is not written if it is False.
      size: the bytes of the tensors, for a bound on waiting records; 0 for a few.
    """

    __slots__ = ("condition", "content", "inputs", "size", "step", "wall_time")

    def __init__(self, step: Any, content: Content, inputs: Sequence[Any], condition: Tensor | None = None) -> None:
        self.wall_time = time.time()
        self.step = step
        self.content = content
        self.inputs = inputs
        self.condition = condition
        self.size = 0

    def tensors(self) -> Iterator[Tensor]:
        """The tensors that it waits for."""
        for value in (self.step, self.condition, *self.inputs):
            if type(value) is Tensor:
                yield value

    def is_on_host(self) -> bool:
        """Whether the values of all tensors are known without a device."""
        return all(type(tensor._array) is np.ndarray for tensor in self.tensors())

    def is_pending(self) -> bool:
        """Whether a tensor is pending in a trace, which may still grow."""
        return any(tensor._array is None and not _has_failed(tensor._trace) for tensor in self.tensors())

    def compute_pending(self) -> None:
        """Computes the tensors that are pending in the trace of the running thread, by a flush of the trace."""
        for tensor in self.tensors():
            if tensor._array is None and tensor._trace is here.trace:
                here.trace.flush("summary")
                return

    def encoded(self) -> bytes | None:
        """The event; waits for the values. None if the condition is False.

        Raises: the errors of the programs that compute the values.
        """
        if self.condition is not None and not _value(self.condition).all():
            return None
        content = self.content(*map(_value, self.inputs))
        return event(self.wall_time, int(np.asarray(_value(self.step)).reshape(())), content)


def _has_failed(trace: Any) -> bool:
    """Whether a read of a tensor of `trace` raises the error of its program."""
    return bool(getattr(trace, "has_failed", False))


def _value(value: Any) -> Any:
    if type(value) is not Tensor:
        return value
    trace = value._trace
    if value._array is None and isinstance(trace, Trace) and _has_ended(trace.thread):
        # All of its values at once: the thread that recorded them has ended.
        trace.flush("summary")
    return value.__array__(copy=False)


def _has_ended(thread: int) -> bool:
    return all(running.ident != thread for running in threading.enumerate())
