"""Small programs of consecutive training steps, which start together.

On a CPU, JAX runs all but the smallest programs in a thread of its own, which sleeps while it has nothing to do. Waking
it takes longer than a small program, so a step that is not read yet waits for the steps after it. Its values count as
pending until then: a read, in any thread, starts everything that waits.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress

import jax

from tfcompat._core.structure.interruption import restore_types
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.config import settings
from tfcompat._core.system.lock import require_free
from tfcompat._core.tracing.series import LONGEST, MOST_LEAVES, of_one_program, run_series
from tfcompat._core.tracing.waiting import WaitingRecording


class Deferral:
    """The traces of one thread whose programs wait, in order.

    A program that is interrupted continues to wait, and so do those after it: the next read starts them. If one fails,
    variables have the values from before it, and tensors are computed one at a time when they are read.
    """

    __slots__ = ("_leaves", "_lock", "traces")

    def __init__(self) -> None:
        self.traces: deque[WaitingRecording] = deque()
        self._leaves = 0
        # Reentrant: a signal handler may read a value while the programs start.
        self._lock = threading.RLock()

    def add(self, trace: WaitingRecording) -> None:
        """Makes `trace` wait."""
        if trace not in self.traces:
            self.traces.append(trace)
            self._leaves += len(trace.leaves)

    def is_full(self) -> bool:
        """Whether no further trace should wait."""
        return len(self.traces) >= LONGEST or self._leaves >= MOST_LEAVES

    def compute(self, trace: WaitingRecording) -> None:
        """Runs `trace`, which waits, and everything that waits here."""
        self.start(None if trace in self.traces else trace)

    def start(self, apart: WaitingRecording | None = None) -> None:
        """Runs everything that waits, one after the other; or `apart`, if an interrupt came before it was added."""
        if settings.is_checking:
            require_free()
        is_wide = jax.config.jax_enable_x64  # pyright: ignore[reportAttributeAccessIssue]
        try:
            with self._lock, jax.enable_x64(True):
                if apart is not None:
                    apart.run_deferred()
                    return
                self._leaves = 0
                while same := of_one_program(self.traces):
                    count = run_series(same)
                    for trace in same[: count or None]:
                        if not count:
                            trace.run_deferred()
                        with suppress(ValueError):  # a signal handler has started it and removed it
                            self.traces.remove(trace)
        except BaseException:
            restore_types(is_wide)
            raise


def is_computed(tensor: Tensor) -> bool:
    """Whether `tensor` has its value, so that it can be checked at once. A step that waits is run for this."""
    if tensor._array is None and getattr(tensor._trace, "waiting", None) is not None:
        tensor._value("check")
    return tensor._array is not None
