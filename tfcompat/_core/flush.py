"""Running what was recorded: which program serves, what it may take over, and what a failed check leaves as it was."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tfcompat._core.alarm import Alarm, alarms, are_suspect, failures, raise_alarms, watch
from tfcompat._core.config import settings
from tfcompat._core.counter import counts
from tfcompat._core.device import copied
from tfcompat._core.location import user_line
from tfcompat._core.node import Node
from tfcompat._core.program import Program, cache, run_op_by_op, runs_op_by_op
from tfcompat._core.recording import Recording
from tfcompat._core.replay import Plan

# References to a variable's old tensor and to its array while a flush looks at them, when nobody else has any.
_TENSOR_REFERENCES = 4
_ARRAY_REFERENCES = 2
# So many programs may have run unread before what their checks found is looked at.
_UNREAD_ALARMS = 64
NO_LEAVES: frozenset[int] = frozenset()
# The family of the programs that run a whole trace: from its first slot on, from its leaves alone, without guards.
WHOLE: tuple[int, tuple[int, ...], tuple[tuple[int, int], ...]] = (0, (), ())


def execute(recording: Recording, node: Node, slots: tuple[int, ...], donatable: frozenset[int]) -> tuple[Any, Any]:
    """Computes `slots` of the trace up to `node`, by a program or op by op; returns slots, perhaps more, and values."""
    if alarms or failures:
        _refuse_failed(recording)
    node.visits += 1
    kept = recording.kept
    family = WHOLE
    if kept or recording.start or node.checks:
        family = (recording.start, tuple(kept), _renewed(recording) if node.checks else ())
    program = node.programs.get(family)
    if program is not None and program.serves(slots) and not (donatable and program.should_take(donatable)):
        counts.cache_hits += 1
        cache.touch(program)
    elif program is None and runs_op_by_op(node, plan := Plan(node.path(), family[1], slots, node.slot)):
        counts.op_by_op += 1
        return slots, _op_by_op(recording, plan, slots)
    else:
        program = _compiled(program, recording, node, family, slots, donatable)
    leaves = recording.leaves
    arrays = [leaves[k]._array for k in program.leaves]
    if program.donated and not program.donated <= donatable:
        arrays = [
            copied(array) if k in program.donated and k not in donatable else array
            for k, array in zip(program.leaves, arrays, strict=True)
        ]
    answers = program(recording.floats, recording.ints, arrays, kept)
    if program.complaints:
        watch(_alarm(recording, answers[-1], program, family[2]))
    return program.outputs, answers


def _refuse_failed(recording: Recording) -> None:
    """Raises InvalidArgumentError if `recording` reads what a program computed that met a bad value."""
    if len(alarms) > _UNREAD_ALARMS or are_suspect(recording.leaf_slots):
        raise_alarms()
    if failures:
        for tensor in recording.leaves:
            tensor._value()


def _alarm(recording: Recording, flags: Any, program: Program, guards: tuple[tuple[int, int], ...]) -> Alarm:
    """What to look at after a program has run that kept the old values of `guards` by itself."""
    kept = {new for new, _ in guards}
    replaced = [(variable._tensor, old) for variable, old in recording.replaced.values()]
    cells = {id(new) for new, _ in replaced}
    missing = [(r, tensor) for r in recording.pending if (tensor := r()) is not None and tensor._array is None]
    computed = tuple((r, program.doubts.get(x._slot, frozenset())) for r, x in missing if id(x) not in cells)
    spoilt = tuple(
        (new, old)
        for new, old in replaced
        if new._trace is recording and new._slot not in kept and new._aval is old._aval
    )
    return Alarm(flags, program.complaints, computed, spoilt)


def _op_by_op(recording: Recording, plan: Plan, slots: tuple[int, ...]) -> list[Any]:
    known = {step.first: recording.leaves[step.leaves - 1]._array for step in plan.leaves} | recording.kept
    return run_op_by_op(plan, known, recording.floats, recording.ints, slots)


def _compiled(
    known: Program | None,
    recording: Recording,
    node: Node,
    family: tuple[Any, ...],
    slots: tuple[int, ...],
    donatable: frozenset[int],
) -> Program:
    """A new program for `slots`, and for all that the one `known` so far answered, whose place it takes."""
    outputs = slots
    if known is not None:
        outputs = tuple(sorted({*slots, *known.outputs}))
        donatable |= known.donated
        cache.drop(known)
    start, given, guards = family
    program = node.programs[family] = Program(node, start, given, outputs, donatable, guards, _renewed(recording))
    cache.add(program, family)
    if settings.is_explaining:
        why = (
            "a new structure"
            if known is None
            else "other tensors are alive than when it was compiled, or more buffers can be taken over"
        )
        sys.stderr.write(
            f"tfcompat: compiling {node.slot} values ending at {node.line}, flushed at {user_line()}: {why}\n"
        )
    return program


def _renewed(recording: Recording) -> tuple[tuple[int, int], ...]:
    """The slots of the variables' new and old values."""
    pairs: list[tuple[int, int]] = []
    for variable, old in recording.replaced.values():
        new, slot = variable._tensor, recording.leaf_slots.get(id(old))
        if slot is not None and new._trace is recording and new._aval is old._aval:
            pairs.append((new._slot, slot))
    return tuple(pairs)


def donatable(recording: Recording) -> frozenset[int]:
    """The leaves (by number) that were the values of variables since assigned, and that nobody else refers to."""
    replaced = recording.replaced.values()
    smallest = recording.smallest
    for _, tensor in replaced:
        if tensor._aval.nbytes >= smallest:
            break
    else:
        return NO_LEAVES
    number = {id(tensor): k for k, tensor in enumerate(recording.leaves)}
    found: list[int] = []
    for variable, tensor in replaced:
        k = number.get(id(tensor))
        if k is None or variable._tensor._trace is not recording:
            continue
        if tensor._aval.nbytes < smallest or type(tensor._array) is np.ndarray:
            continue
        if sys.getrefcount(tensor) == _TENSOR_REFERENCES and sys.getrefcount(tensor._array) == _ARRAY_REFERENCES:
            found.append(k)
    return frozenset(found)
