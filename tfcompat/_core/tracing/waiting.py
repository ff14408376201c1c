"""A recording that may wait to be run: it is a training step, which is not read yet (see `deferral.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain, compress, repeat
from operator import attrgetter, call, is_, is_not
from typing import Any

import jax

from tfcompat._core.programs.program import Program
from tfcompat._core.structure.failure import from_runtime
from tfcompat._core.structure.interruption import Changes
from tfcompat._core.structure.recording import Recording
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.flush import missing_leaves, targets_of

_array_of, _slot_of, _is_there = attrgetter("_array"), attrgetter("_slot"), partial(is_not, None)
replaced_of = attrgetter("replaced")


class WaitingRecording(Recording):
    """A recording that may wait to be run.

    Attributes:
      run: the run of pending steps that is in progress, or a placeholder while the recording waits.
      waiting: the program that it waits to run; None if it does not wait.
      alive: the tensors that the program is to compute, while it waits.
      are_outputs: whether `alive` are the outputs of the program, in order.
      has_failed: whether a run of it failed, or computed only what seemed to be needed. Its tensors without a value are
        then computed one at a time, when they are read.
    """

    __slots__ = ("alive", "are_outputs", "has_failed", "run", "waiting")

    def __init__(self) -> None:
        super().__init__()
        self.run: Any = None
        self.waiting: Program | None = None
        self.alive: Sequence[Tensor] = ()
        self.are_outputs = False
        self.has_failed = False

    def still_referenced(self) -> list[Tensor]:
        """The tensors made by steps that are still referred to."""
        return list(filter(_is_there, map(call, self.pending)))  # pyright: ignore[reportReturnType]

    def wait(self, program: Program, alive: Sequence[Tensor]) -> bool:
        """Begins to wait to run `program` for the tensors `alive`. Returns whether the program computes them."""
        slots = tuple(map(_slot_of, alive))
        self.are_outputs = slots == program.outputs
        if not alive or not (self.are_outputs or program.serves(slots)) or any(map(_is_there, map(_array_of, alive))):
            return False
        self.alive = alive
        self.waiting = program
        return True

    def run_deferred(self) -> None:
        """Runs the program and binds its results; may be called again after an interrupt, or by a signal handler."""
        # In this order: both are removed at once, by a signal handler perhaps.
        alive = self.alive
        program = self.waiting
        if program is None:
            return
        # The node may be a later one: a signal handler may have made the trace wait in the middle of a step.
        node = program.owner
        while missing := missing_leaves(self):
            for leaf in missing:
                self._compute_leaf(leaf)
        arrays = list(map(_array_of, map(self.leaves.__getitem__, program.leaves)))
        # A signal handler may have computed some alone, just before the wait.
        live = list(compress(alive, map(is_, map(_array_of, alive), repeat(None))))
        if self.waiting is None:  # a signal handler has run it
            return
        twins: Sequence[tuple[Tensor, Tensor]] = ()
        if live:
            targets, twins = targets_of(program.outputs, live)
            try:
                program.run_brief(self.floats[: node.floats], self.ints[: node.ints], arrays, targets)
            except jax.errors.JaxRuntimeError as failed:
                self.give_up()
                raise from_runtime(failed, "tape", node.path()) from failed
        self._end_wait(program, alive, twins)

    def _compute_leaf(self, leaf: Tensor) -> None:
        """Computes `leaf`, which had no value."""
        owner = leaf._trace
        if isinstance(owner, WaitingRecording) and self.awaits(leaf):
            owner.run_deferred()  # a signal handler has made this recording wait before that one was added
        else:
            leaf._value()

    def give_up(self) -> None:
        """Called if the program has failed."""

    def _end_wait(self, program: Program, alive: Sequence[Tensor], twins: Sequence[tuple[Tensor, Tensor]]) -> None:
        """Ends the wait for `program`, whose results are stored: the tensors `alive` have their values, or `twins`."""
        freed = self.replaced.copy()
        same, values = [tensor for tensor, _ in twins], [twin for _, twin in twins]
        bound = Changes(same, repeat("_array", len(same)), map(_array_of, values))
        joined(bound, end_of_wait([self], program, alive, alive)).make()
        del freed


def end_of_wait(
    recordings: Sequence[WaitingRecording], program: Program, computed: Sequence[Tensor], last: Sequence[Tensor]
) -> Changes:
    """The changes that end the wait of `recordings` for `program` once the tensors `computed` have their values.

    Those of the last recording, `last`, are among these. Nothing seems to need the other tensors of those before it: a
    read computes them alone. The caller refers to the tensors in `replaced` until the changes are made: Python code may
    run when a tensor is freed.
    """
    count = len(recordings)
    ended = recordings[-1]
    kept = map(dict, (zip(map(_slot_of, last), map(_array_of, last), strict=True),))
    return joined(
        Changes(computed, repeat("_trace", len(computed)), repeat(None, len(computed))),
        Changes(recordings[:-1], repeat("has_failed", count - 1), repeat(True, count - 1)),
        Changes((ended, ended), ("start", "kept"), chain((program.owner.slot,), kept)),
        Changes(recordings, repeat("alive", count), repeat((), count)),
        # `clear` returns None.
        Changes(recordings, repeat("run", count), map(dict.clear, map(replaced_of, recordings))),
        Changes(recordings, repeat("waiting", count), repeat(None, count)),
    )


def joined(*changes: Changes) -> Changes:
    """All `changes`, to be made in one call of C code."""
    return Changes(*map(chain.from_iterable, zip(*changes, strict=True)))
