"""The tensors and variables that a tape watches: tensors from a position on, variables with every value read."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

from tfcompat._autodiff import relocation
from tfcompat._autodiff.context import RecordingContext
from tfcompat._autodiff.gradient import Span
from tfcompat._autodiff.warning import warn
from tfcompat._core.operation.op import differentiable
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.structure.watched import note_watched
from tfcompat._core.tracing.trace import Trace, here
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import TRAINABLE, as_dtype
from tfcompat._state.variable import Variable


class WatchingContext(RecordingContext):
    """A context in which steps are recorded, together with the tensors watched in it."""

    _watches_accessed = True

    def _forget(self) -> None:
        RecordingContext._forget(self)
        # (slot, position): the slot is watched by the steps from that position on. `_reads`: the same for variables.
        self._watched: list[tuple[int, int]] = []
        self._reads: list[tuple[int, int]] = []
        # For each variable, by number: the variable, and the slots that it was read from.
        self._variables: dict[int, tuple[Variable, tuple[int, ...]]] = {}
        # The tensors that variables were read as, by id; and the numbers of variables that are watched explicitly.
        self._touched: dict[int, Tensor] = {}
        self._followed: set[int] = set()

    def _relocate(self, copy: relocation.Copy) -> None:
        super()._relocate(copy)
        self._watched = [(copy.slots[slot], copy.position(position)) for slot, position in self._watched]
        self._reads = [(copy.slots[slot], copy.position(position)) for slot, position in self._reads]
        self._variables = {
            number: (variable, tuple(copy.slots[slot] for slot in slots))
            for number, (variable, slots) in self._variables.items()
        }

    def _needed(self, trace: Trace) -> int:
        slots = [slot for _, slots in self._variables.values() for slot in slots]
        slots += [slot for slot, _ in (*self._watched, *self._reads)]
        return max(super()._needed(trace), 1 + max(slots, default=0))

    def touch(self, variable: Variable, tensor: Tensor) -> None:
        """Watches `tensor`, as which `variable` is being read."""
        key, touched = id(tensor), self._touched
        # The same as `_watches`, inlined: this runs for each read of a variable.
        if key in touched or not (
            (self._watches_accessed and variable._trainable) or variable._number in self._followed
        ):
            return
        slot = self._slot_of(tensor)
        touched[key] = tensor
        self._watch_read(variable, slot, self._trace.node.slot)  # pyright: ignore[reportOptionalMemberAccess]

    def observe(self, variable: Variable) -> None:
        """Registers a read of the value of `variable` outside of ops."""
        if self._watches(variable):
            self._variables.setdefault(variable._number, (variable, ()))

    def touch_at(self, variable: Variable, slot: int) -> None:
        """Watches `slot`, in which a called function reads `variable`."""
        if self._watches(variable):
            self._watch_read(variable, slot, slot + 1)

    def _watches(self, variable: Variable) -> bool:
        return (self._watches_accessed and variable._trainable) or variable._number in self._followed

    def _watch_read(self, variable: Variable, slot: int, position: int) -> None:
        number, variables = variable._number, self._variables
        known = variables.get(number)
        if known is None:
            variables[number] = (variable, (slot,))
        elif slot not in known[1]:
            variables[number] = (variable, (*known[1], slot))
        if variable._dtype in TRAINABLE:
            self._reads.append((slot, position))

    def watch(self, tensor: Any) -> None:
        """Makes the tape record the ops on `tensor`, a tensor, a variable or a nested structure of them, from now on.

        Nothing is watched while no tape is recording, as in TensorFlow.

        Raises: ValueError for anything else; AttributeError if the tape was never entered.
        """
        for leaf in nest.flatten(tensor, expand_composites=True):
            if not isinstance(leaf, (Tensor, Variable)):
                raise ValueError(
                    f"Passed in object {leaf} of type {type(leaf).__name__!r}, not tf.Tensor or tf.Variable or "
                    "ExtensionType."
                )
            if as_dtype(leaf.dtype) not in TRAINABLE:
                message = "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r"
                warn(message, leaf.dtype, at_most=5)
            if self._trace is None:
                raise AttributeError(
                    "tf.GradientTape.watch: the tape holds no trace, as it was not entered or is used up; watch inside "
                    "of its context."
                )
            if not here.tapes:
                continue
            if isinstance(leaf, Variable):
                self._followed.add(leaf._number)
                self.touch(leaf, leaf._entered())
            elif differentiable(leaf._aval):
                note_watched(leaf)
                slot = self._slot_of(leaf)
                self._watched.append((slot, self._trace.node.slot))

    @contextlib.contextmanager
    def stop_recording(self) -> Generator[None]:
        """Pauses recording within its context.

        Raises: RuntimeError if nothing has been recorded yet; ValueError if the tape is not recording.
        """
        if self._trace is None:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        self._require_recording()
        self._pause()
        try:
            yield
        finally:
            self._resume()

    def reset(self) -> None:
        """Forgets everything recorded and watched so far. Raises ValueError if the tape is not recording."""
        self._require_recording()
        assert self._trace is not None
        self._forget()
        self._start = self._trace.node.slot

    def _require_recording(self) -> None:
        if not self._is_recording:
            raise ValueError("Tape is not recording.")

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables watched, in the order in which they were made."""
        return tuple(self._variables[number][0]._whole() for number in sorted(self._variables))

    def _span(self, trace: Trace) -> Span:
        intervals = (*self._intervals, (self._start, trace.node.slot)) if self._is_recording else tuple(self._intervals)
        return Span(intervals, tuple(self._watched), tuple(self._reads), tuple(self._twins.items()))

    def _slots(self, source: Tensor | Variable) -> tuple[int, ...]:
        """The slots of `source`: for a variable, one for each value that was read."""
        if isinstance(source, Variable):
            entry = self._variables.get(source._number)
            if entry is not None:
                return entry[1]
            source = source._tensor
        slot = self._find(source)
        return () if slot is None else (slot,)
