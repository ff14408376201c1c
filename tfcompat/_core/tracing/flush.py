"""Runs the recorded steps: chooses the program, the buffers to donate, and the tensors for its results.

Under the lock `binding` a run is chosen and its inputs are collected. It runs without any lock.
"""

from __future__ import annotations

import sys
import sysconfig
import threading
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from operator import attrgetter, is_
from typing import TYPE_CHECKING, Any
from weakref import ref

import jax
import numpy as np

from tfcompat._core.programs.choice import continuation_of, is_worth_compiling, runs_op_by_op, varying
from tfcompat._core.programs.continuation import Continuing
from tfcompat._core.programs.divided_program import DividedProgram
from tfcompat._core.programs.executor import Executor
from tfcompat._core.programs.op_by_op import OpByOp, planned
from tfcompat._core.programs.program import NO_LEAVES, WHOLE, Extent, Program
from tfcompat._core.programs.program_cache import cache
from tfcompat._core.programs.reason import report_compilation
from tfcompat._core.structure.check_outcome import (
    CheckOutcome,
    examine,
    raise_failed_checks,
    register,
    unexamined,
    unverified,
)
from tfcompat._core.structure.failure import from_runtime
from tfcompat._core.structure.node import Node, tree
from tfcompat._core.structure.recording import SMALL_BUFFER, Recording
from tfcompat._core.structure.sharding import divides, placed, placement_of
from tfcompat._core.structure.tensor import Tensor, finished, pending
from tfcompat._core.system.config import settings
from tfcompat._core.system.counter import counts
from tfcompat._core.system.device import copied
from tfcompat._core.system.lock import binding, require_free

if TYPE_CHECKING:
    from tfcompat._core.programs.family.variants import Variants

_array_of, _slot_of = attrgetter("_array"), attrgetter("_slot")
_is_none = partial(is_, None)
# Seconds between two checks whether another thread has chosen its run.
_PAUSE = 0.0005
# The flags of checks are examined after this many programs at the latest.
MOST_UNEXAMINED = 64


class PythonRefused(Exception):
    """A run would call Python functions although it is not allowed to."""


class Choosing:
    """Takes the place of a run while the run is being chosen."""

    calls_python = False

    def wait(self) -> None:
        """Pauses, so that the thread that chooses can continue."""
        time.sleep(_PAUSE)

    def bind(self) -> None:
        """There are no results yet."""


CHOOSING = Choosing()


class Run:
    """One computation of a part of a trace.

    Attributes:
      outputs: the slots that it computes; `targets`: the tensors that receive their values.
      calls_python: whether it is known to call Python functions; `may_call_python`: whether it may.
      unshared: of a program for several devices, the leaves whose buffers it may take.
      passes: whether its structure is not kept, since it may never return.
    """

    __slots__ = (
        *("_arrays", "_executor", "_floats", "_gate", "_ints", "_kept", "_twins", "calls_python", "may_call_python"),
        *("outcome", "outputs", "passes", "targets", "unshared"),
    )

    def __init__(
        self, recording: Recording, node: Node, executor: Executor, live: Sequence[Tensor], *, is_alone: bool
    ) -> None:
        """Collects the inputs of `executor`, for the trace up to `node`; the caller holds `binding`.

        If `is_alone`, it assigns no variables.
        """
        self._gate = threading.Lock()
        self._gate.acquire()
        self._executor = executor
        self.outputs = executor.outputs
        self.outcome = _outcome(recording, live, executor, is_alone=is_alone) if executor.messages else None
        self.calls_python = executor.calls_python
        self.may_call_python = True
        self._arrays = list(map(_array_of, map(recording.leaves.__getitem__, executor.leaves)))
        self._kept = list(recording.kept.values())
        self._floats, self._ints = recording.floats[: node.floats], recording.ints[: node.ints]
        self.targets, self._twins = targets_of(executor.outputs, live)
        self.unshared = NO_LEAVES
        self.passes = False

    def __call__(self) -> None:
        """Runs the computation."""
        if settings.is_checking:
            require_free()
        targets = self.targets if self.outcome is None else [*self.targets, self.outcome.flags]
        given = (self._floats, self._ints, self._arrays, self._kept, targets, self.open)
        if self.unshared and isinstance(self._executor, Program):
            self._executor(*given, unshared=self.unshared)
        else:
            self._executor(*given)

    def copy_undonatable(self, donatable: frozenset[int]) -> None:
        """Copies the buffers that the executor would take but that are not `donatable`."""
        donated = self._executor.donated
        if donated and not donated <= donatable:
            self._arrays = [
                copied(array) if k in donated and k not in donatable else array
                for k, array in zip(self._executor.leaves, self._arrays, strict=True)
            ]

    def has_results(self) -> bool:
        """Whether the tensors have received the results. A signal handler may have computed some of them alone."""
        return not any(map(_is_none, map(_array_of, self.targets)))

    def open(self) -> None:
        """Releases waiting threads before Python functions are called. Raises PythonRefused if that is not allowed."""
        if not self.may_call_python:
            raise PythonRefused
        self.calls_python = True
        self.close()

    def close(self) -> None:
        """Releases waiting threads."""
        if self._gate.locked():
            self._gate.release()

    def wait(self) -> None:
        """Waits, in another thread, until the results are bound or Python functions are about to be called.

        These functions may in turn wait for that thread. Their program takes no donated buffers.
        """
        if settings.is_checking:
            require_free()
        with self._gate:
            pass

    def bind(self) -> None:
        """Gives the results, if they exist, to all tensors."""
        if self.targets[0]._array is not None:
            for tensor, twin in self._twins:
                tensor._array = twin._array

    def conclude(self) -> None:
        """Binds the remaining results after the run; may be called again after an interrupt."""
        self.bind()
        if self.outcome is not None:
            register(self.outcome)


def targets_of(
    outputs: tuple[int, ...], live: Sequence[Tensor]
) -> tuple[Sequence[Tensor], Sequence[tuple[Tensor, Tensor]]]:
    """The tensor among `live` for each of `outputs`, and the remaining ones, each paired with one of the same slot.

    A slot without a live tensor gets a temporary one.
    """
    if outputs == tuple(map(_slot_of, live)):
        return live, ()
    wanted: dict[int, list[Tensor]] = {}
    for tensor in live:
        wanted.setdefault(tensor._slot, []).append(tensor)
    targets = [wanted[slot].pop() if wanted.get(slot) else pending(None, slot, live[0]._aval) for slot in outputs]
    found = dict(zip(outputs, targets, strict=True))
    return targets, [(tensor, found[slot]) for slot, left in wanted.items() for tensor in left]


def choose(
    recording: Recording, node: Node, live: Sequence[Tensor], donatable: frozenset[int], *, is_alone: bool = False
) -> Run:
    """The run that computes `live` of the trace up to `node`, by a program or op by op. The caller holds `binding`.

    If `is_alone`, it assigns no variables.
    """
    slots = tuple(map(_slot_of, live))
    node.visits += 1
    kept = recording.kept
    guards = _renewed(recording, node) if node.checks and not is_alone else ()
    extent = WHOLE
    if kept or recording.start or guards:
        extent = Extent(recording.start, tuple(kept), guards)
    if placed.is_used:
        extent = extent._replace(placement=placement_of(recording, is_alone=is_alone))
    is_free = extent.placement is None
    # A recording that runs once has values only for the leaves of its own outputs: programs of others don't fit.
    program = None if recording.runs_once else node.programs.get(extent)
    passes = False
    if program is not None and program.serves(slots) and not (donatable and program.should_take(donatable)):
        counts.cache_hits += 1
        cache.touch(program)
    else:
        variants = varying(recording, node, extent, slots) if program is None and is_free else None
        shared = None if variants is None else _shared(node, extent, slots, donatable, recording, variants)
        if variants is not None and shared is not None:
            program = shared
            passes = not recording.is_recurring and variants.are_new(node.path())
        elif program is None and (executor := _uncompiled(recording, node, extent, slots, donatable)) is not None:
            tree.remember(node)
            return Run(recording, node, executor, live, is_alone=is_alone)
        else:
            program = _compiled(program, recording, node, extent, slots, donatable)
    run = Run(recording, node, program, live, is_alone=is_alone)
    run.passes = passes
    if node.is_marked:
        run.unshared = donatable
    else:
        run.copy_undonatable(donatable)
    return run


def _uncompiled(
    recording: Recording, node: Node, extent: Extent, slots: tuple[int, ...], donatable: frozenset[int]
) -> Executor | None:
    """The executor for a recording that gets no program of its own; None if it gets one."""
    plan = planned(node, extent, slots)
    found = None if donatable else continuation_of(recording, node, plan, extent, slots)
    if found is not None and is_worth_compiling(found[0], plan):
        return Continuing(*found, plan, extent.given, slots)
    if found is None and not runs_op_by_op(recording, node, plan, extent):
        return None
    counts.op_by_op += 1
    return OpByOp(plan, extent.given, slots, extent.placement)


def compute_alone(
    trace: Any, tensor: Tensor, cause: str, run: Run | Choosing | None, *, may_call_python: bool = True
) -> bool:
    """Computes `tensor` of `trace` and nothing else, unless another run than `run` has begun.

    Returns False if that would call Python functions although it may not.
    """
    if run is not None:
        # A signal handler may read the tensor behind the run, which may have taken the buffers of leaves.
        run.bind()
    alone: Run | None = None
    node = trace.node
    target = pending(trace, tensor._slot, tensor._aval)
    while alone is None:
        missing = missing_leaves(trace)
        for leaf in missing:
            leaf._value()
        with binding:
            if trace.run is not run or tensor._array is not None:
                return True
            if missing_leaves(trace):
                continue
            node = trace.node
            while node.first > tensor._slot and node.parent is not None:
                node = node.parent
            alone = choose(trace, node, [target], NO_LEAVES, is_alone=True)
            alone.may_call_python = may_call_python
            if alone.outcome is not None:
                alone.outcome.computed = tuple([(ref(tensor), numbers) for _, numbers in alone.outcome.computed])
    try:
        alone()
    except PythonRefused:
        return False
    except jax.errors.JaxRuntimeError as failed:
        raise from_runtime(failed, cause, node.path()) from failed
    alone.conclude()
    with binding:
        if tensor._array is None and tensor._trace is trace:
            tensor._array = target._array
    return True


def waiting_program(recording: Recording) -> Program | None:
    """The program of `recording`, a training step, if it may start later, with those of the next steps."""
    program = recording.node.programs.get(WHOLE)
    if program is None or not program.is_brief or recording.start or recording.kept or recording.runs_once:
        return None
    if unexamined.outcomes or unverified.entries or placed.is_used or recording.smallest < SMALL_BUFFER:
        return None
    return None if settings.is_explaining or settings.is_immediate or settings.is_checking_numerics else program


def note_wait(program: Program) -> None:
    """Counts a flush whose `program` will run later. The caller holds `binding`."""
    program.owner.visits += 1
    counts.flushes += 1
    counts.causes["tape"] += 1
    counts.cache_hits += 1
    cache.touch(program)


def forget(node: Node) -> None:
    """Removes the structure of a trace that ended at `node`, with its programs. The caller holds `binding`."""
    for program in list(node.programs.values()):
        cache.drop(program)
    tree.forget(node)


def refuse_failed(recording: Recording) -> None:
    """Raises the error of a leaf of `recording` that derives from a bad value in an earlier program."""
    if len(unexamined.outcomes) > MOST_UNEXAMINED:
        raise_failed_checks()
    if unverified.entries:
        examine(recording.leaf_slots)


def missing_leaves(recording: Recording) -> list[Tensor]:
    """The leaves of `recording` without a value: another thread is computing them, or they have failed."""
    return [tensor for tensor in recording.leaves if tensor._array is None]


def _outcome(recording: Recording, live: Sequence[Tensor], executor: Executor, *, is_alone: bool) -> CheckOutcome:
    """The outcome of the checks in a run of `executor`, which restores the old values of guarded variables itself."""
    kept = {new for new, _ in executor.guards}
    replaced = [] if is_alone else [(variable._held, old) for variable, old in recording.replaced.values()]
    cells = {id(new) for new, _ in replaced}
    computed = [(ref(x), executor.derivations.get(x._slot, frozenset())) for x in live if id(x) not in cells]
    overwritten = [
        (new, old)
        for new, old in replaced
        if new._trace is recording and new._slot not in kept and new._aval is old._aval
    ]
    flags = pending(None, -1, live[0]._aval)
    return CheckOutcome(flags, executor.messages, computed, overwritten)


def _shared(
    node: Node,
    extent: Extent,
    slots: tuple[int, ...],
    donatable: frozenset[int],
    recording: Recording,
    variants: Variants,
) -> Program | None:
    """A new program for `slots` that runs together with those of other sizes, `variants`; None if it can't."""
    outputs, donatable = variants.form_for(slots, donatable)
    program = variants.program(node, extent, outputs, donatable, _renewed(recording, node))
    program.shared = variants.programs_for(program)
    if program.shared is None:
        return None
    node.programs[extent] = program
    program.has_recurred = True
    cache.add(program)
    return program


def _compiled(
    known: Program | None,
    recording: Recording,
    node: Node,
    extent: Extent,
    slots: tuple[int, ...],
    donatable: frozenset[int],
) -> Program:
    """A new program for `slots` and for the outputs of the program `known`, if any, which it replaces.

    If `known` runs on the host or on padded arrays, so does the new one.
    """
    outputs = slots
    if known is not None:
        outputs = tuple(sorted({*slots, *known.outputs}))
        variants = known.shared.variants if known.shared is not None else None
        donatable |= known.donated
        cache.drop(known)
        if variants is not None:
            shared = _shared(node, extent, outputs, donatable, recording, variants)
            if shared is not None:
                return shared
    is_divided = extent.placement is not None or (placed.is_used and divides(node.path()))
    kind = DividedProgram if is_divided else Program
    program = node.programs[extent] = kind(node, extent, outputs, donatable, _renewed(recording, node))
    cache.add(program)
    if settings.is_explaining:
        report_compilation(recording, slots, known, program)
    return program


def _renewed(recording: Recording, node: Node) -> tuple[tuple[int, int], ...]:
    """Pairs of slots, the new and the old value of each variable that `recording` assigns up to `node`."""
    pairs: list[tuple[int, int]] = []
    for variable, old in list(recording.replaced.values()):
        new, slot = variable._held, recording.leaf_slots.get(id(old))
        if slot is None or max(slot, new._slot) >= node.slot:  # the latter if a signal handler has assigned it since
            continue
        if new._trace is recording and new._aval is old._aval:
            pairs.append((new._slot, slot))
    return tuple(pairs)


def donatable(recording: Recording) -> frozenset[int]:
    """The leaves, by number, that are replaced values of variables and have no other references."""
    if _UNSHARED is None:
        return NO_LEAVES
    replaced = list(recording.replaced.values())
    smallest = recording.smallest
    for _, tensor in replaced:
        if tensor._aval.nbytes >= smallest:
            break
    else:
        return NO_LEAVES
    number = {id(tensor): k for k, tensor in enumerate(recording.leaves)}
    # The variables of replicas share an array.
    owners = Counter([id(tensor._array) for _, tensor in replaced] if recording.node.is_marked else ())
    found: list[int] = []
    for variable, tensor in replaced:
        k = number.get(id(tensor))
        if k is None or variable._held._trace is not recording:
            continue
        if tensor._aval.nbytes < smallest or type(tensor._array) is np.ndarray:
            continue
        others = max(owners[id(tensor._array)] - 1, 0)
        if (sys.getrefcount(tensor), sys.getrefcount(tensor._array) - others) == _UNSHARED:
            found.append(k)
    return frozenset(found)


def _unshared() -> tuple[int, int] | None:
    """The reference counts that Python reports in `donatable` for a tensor and its array without other references.

    None if Python has no global interpreter lock: another thread may be about to take a reference.
    """
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    recording = Recording()
    recording.leaves.append(finished(object(), None))  # pyright: ignore[reportArgumentType]  # its aval is not used
    recording.replaced[0] = (None, recording.leaves[0])
    alone = _counted(recording)
    others = [recording.leaves[0], recording.leaves[0]._array]
    shared = _counted(recording)
    del others
    return alone if shared == (alone[0] + 1, alone[1] + 1) else None


def _counted(recording: Recording) -> tuple[int, int]:
    for _, tensor in recording.replaced.values():
        return sys.getrefcount(tensor), sys.getrefcount(tensor._array)
    raise AssertionError


_UNSHARED = _unshared()
DONATES = _UNSHARED is not None
