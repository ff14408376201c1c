"""A context in which steps are recorded: the common base of tapes and forward accumulators."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from tfcompat._autodiff import relocation
from tfcompat._autodiff.gradient import CustomCall
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.thread_state import recorder
from tfcompat._core.tracing.trace import Trace, here, resume, start_step

# The reference count of an object in a list: the list's reference, and that of the argument of `getrefcount`.
_LISTED = max(map(sys.getrefcount, [object()]))


class RecordingContext:
    """A context that records intervals of a trace.

    While it is recording it is in `here.tapes`. It holds its trace, so that the trace can be replayed, until the
    context is used up or deleted.

    Attributes:
      customs: by first slot, the steps with a custom gradient.

    After a move to another trace, `_moved` has the slots of tensors by `id`, and `_twins`, by these slots, the leaves
    that the trace already had for the same tensors.

    If it is used or entered again while a function is traced, it records into the graph of the function until the graph
    is closed. For each such graph, the innermost last, `_suspended` has the attributes that the context had before.
    """

    _trace: Trace | None = None
    _is_recording = False
    _start = 0
    _suspended: tuple[dict[str, Any], ...] = ()

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._intervals: list[tuple[int, int]] = []
        self._moved: dict[int, tuple[Tensor, int]] = {}
        self._twins: dict[int, int] = {}
        self.customs: dict[int, CustomCall] = {}

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if self._is_recording:
            self._pause()

    def holds(self, trace: Trace) -> bool:
        """Whether this context may still need to replay `trace`."""
        return trace is self._trace or any(before["_trace"] is trace for before in self._suspended)

    def _resume(self) -> None:
        """Begins an interval, of the current trace if the context has none. The outermost context begins a new step."""
        if here.tapes:
            _remove_abandoned(here.tapes)
        if self._trace is None:
            if not here.tapes:
                start_step()
            # Repeated if a signal handler has flushed the trace before it was held.
            while self._trace is not here.trace:
                self._trace = here.trace
                self._trace.hold(self)
        elif self._trace is not here.trace:
            self._switch_to(self._trace)
        assert self._trace is not None
        self._start = self._trace.node.slot
        try:
            self._is_recording = True
            here.tapes.append(self)
        except BaseException:  # an interrupt: the context was not entered, so `__exit__` will not be called
            self._pause()
            raise

    def _pause(self) -> None:
        """Ends the interval."""
        if self in here.tapes:
            here.tapes.remove(self)
        self._is_recording = False
        self._end_interval()

    def _end_interval(self) -> None:
        assert self._trace is not None
        self._intervals.append((self._start, self._trace.node.slot))

    def _switch_to(self, trace: Trace) -> Trace:
        """Makes the thread record into `trace`, which this context holds, or into a copy if other contexts record.

        Returns the trace or the copy.
        """
        if not here.tapes and not recorder.is_shared and trace.thread == recorder.number:
            resume(trace)
            return trace
        will_leave = here.trace.receive(self)
        if will_leave:
            self._suspended = (*self._suspended, {**vars(self)})
        recording = [tape for tape in here.tapes if isinstance(tape, RecordingContext)]
        if self._is_recording and self not in recording:  # in another thread
            recording.append(self)
        for tape in recording:
            tape._end_interval()
        copy = relocation.Copy(trace, self._needed(trace), here.trace)
        for tape in recording:
            tape._start = here.trace.node.slot
        self._trace = here.trace
        self._trace.hold(self)
        self._relocate(copy)
        if not will_leave:
            trace.release()
        return here.trace

    def leave(self, graph: Trace) -> None:
        """Returns from `graph`, which is closed, to the previous trace. Releases that trace if no longer needed."""
        *outer, before = self._suspended
        is_used_up = self._trace is not graph
        if not is_used_up:
            vars(self).update(before)
        self._suspended = tuple(outer)
        if is_used_up:
            before["_trace"].release()

    def _needed(self, trace: Trace) -> int:
        """The slot at which the part of `trace` that this context needs ends."""
        del trace
        return max((end for _, end in self._intervals), default=0)

    def _relocate(self, copy: relocation.Copy) -> None:
        """Renumbers all slots for `copy`, in another trace."""
        self._intervals = [(copy.position(start), copy.position(end)) for start, end in self._intervals]
        twins = {copy.slots[slot]: copy.slots[leaf] for slot, leaf in self._twins.items()}
        self._moved, found = copy.found_tensors(self._moved)
        self._twins = twins | found
        self.customs = {copy.slots[slot]: _relocated(custom, copy.slots) for slot, custom in self.customs.items()}

    def _slot_of(self, tensor: Tensor) -> int:
        """The slot of `tensor`, which becomes a leaf unless it belongs to this context."""
        trace = self._trace
        assert trace is not None
        if self._moved and (moved := self._moved.get(id(tensor))) is not None:
            return moved[1]
        return tensor._slot if tensor._trace is trace else trace.leaf_slot(tensor)

    def _find(self, tensor: Tensor) -> int | None:
        """The slot of `tensor`, None if it does not belong to this context."""
        moved = self._moved.get(id(tensor))
        assert self._trace is not None
        return self._trace.find(tensor) if moved is None else moved[1]


def _remove_abandoned(tapes: list[Any]) -> None:
    """Removes from `tapes` those without other references, whose contexts were not left because of an interrupt."""
    for count, tape in zip(list(map(sys.getrefcount, tapes)), tapes.copy(), strict=True):
        if count == _LISTED:
            tapes.remove(tape)


def _relocated(custom: CustomCall, slots: Mapping[int, int]) -> CustomCall:
    return CustomCall(tuple(slots[slot] for slot in custom.inputs), custom.pull)
