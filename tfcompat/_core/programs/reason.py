"""Why a program is compiled, for `TFCOMPAT_EXPLAIN=1`: its first difference from the nearest known program."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from tfcompat._core.programs.program import Program
from tfcompat._core.programs.program_cache import cache
from tfcompat._core.structure.difference import alikeness, first_difference, listed, place_of
from tfcompat._core.structure.explanation import was_dropped
from tfcompat._core.structure.node import Node, tree
from tfcompat._core.structure.recording import Recording
from tfcompat._core.system.location import user_line

# Traces that are flushed at different lines are compared if at least this share of their lines is the same.
_MOSTLY = 0.5
# Traces that end at the same line and are flushed at the same line are always compared.
_BOTH = 2
# The lines of the user's code at which programs were compiled.
_lines: WeakKeyDictionary[Program, str] = WeakKeyDictionary()


def clear() -> None:
    """Forgets the lines at which programs were compiled."""
    _lines.clear()


def report_compilation(recording: Recording, slots: Sequence[int], known: Program | None, program: Program) -> None:
    """Writes one line about `program`, new in the cache, for `slots` of `recording`. It replaces `known`."""
    node, line = program.owner, user_line()
    if known is None:
        others = [other for other in cache.latest() if other is not program]
        why = _of_structure(recording, program, line, others)
    else:
        why = _of_values(recording, node, slots, known) or _of_buffers(recording, program, known)
    _lines[program] = line
    sys.stderr.write(f"tfcompat: compiling {node.slot} values ending at {node.line}, flushed at {line}: {why}\n")


def _of_values(recording: Recording, node: Node, slots: Sequence[int], known: Program) -> str:
    """The values among `slots` that the program `known` does not compute; "" if it computes all."""
    missing = sorted(set(slots).difference(known.outputs))
    if not missing:
        return ""
    held = {variable._held._slot: variable for variable, _ in _assigned(recording)}
    values = [
        f"the new value of variable {held[slot]._name!r}" if slot in held else f"the value of {place}"
        for slot, place in _places(node, missing)
    ]
    return f"{_agreeing(values, 'kept alive, and {} not in')} {_called(known)}"


def _of_buffers(recording: Recording, program: Program, known: Program) -> str:
    """The variables whose buffers are donated to `program` but not to `known`."""
    leaves = {id(recording.leaves[k]) for k in program.donated - known.donated}
    names = [f"variable {variable._name!r}" for variable, old in recording.replaced.values() if id(old) in leaves]
    return f"it takes over the buffer of {listed(names)}, unlike {_called(known)}"


def _of_structure(recording: Recording, program: Program, line: str, programs: Sequence[Program]) -> str:
    """The difference of `program`, the first of its structure, from the nearest one of `programs`."""
    node, start = program.owner, program.extent.start
    if was_dropped(node, program.extent):
        return "its program was dropped, as tf.config.settings.max_programs or max_steps was reached"
    other = next((other for other in programs if other.owner is node), None)
    if other is not None:
        return _of_extent(recording, program, other)
    path = node.path()
    nearest = _nearest(path, line, programs)
    earlier = [other for other in programs if other.owner.slot == start and other.owner in path]
    if earlier and (nearest is None or nearest in earlier):
        why = f"it continues where {_called(earlier[0])} ended"
    elif nearest is None:
        why = "no known program is like it"
    else:
        why = first_difference(path, nearest.owner.path(), _called(nearest))
    return f"it ran op by op at its first run, and runs again; {why}" if tree.remembers(node) else why


def _of_extent(recording: Recording, program: Program, other: Program) -> str:
    """The difference of `program` from `other`, a program of the same steps."""
    start, given, guards, placement = program.extent
    if start != other.extent.start:
        return f"it runs the steps from {start} on, and {_called(other)} ran those from {other.extent.start} on"
    for now, before, change in (
        (given, other.extent.given, "known from an earlier run, and {} not in"),
        (other.extent.given, given, "not known from an earlier run, and {} in"),
    ):
        missing = sorted(set(now).difference(before))
        if places := [f"the value of {place}" for _, place in _places(program.owner, missing)]:
            return f"{_agreeing(places, change)} {_called(other)}"
    if placement != other.extent.placement:
        return f"its values are on other devices, or divided in another way, than those of {_called(other)}"
    if set(guards) == set(other.extent.guards):
        return f"values known from an earlier run come in another order than in {_called(other)}"
    names = [
        f"variable {variable._name!r}"
        for variable, old in _assigned(recording)
        if (variable._held._slot, recording.leaf_slots.get(id(old))) in set(guards).difference(other.extent.guards)
    ]
    if names:
        return f"where a check fails it keeps the value of {listed(names)}, unlike {_called(other)}"
    return f"where a check fails it keeps the values of fewer variables than {_called(other)}"


def _nearest(path: Sequence[Node], line: str, programs: Sequence[Program]) -> Program | None:
    """The one of `programs` whose trace is most similar to `path`, flushed at `line`; None if none is similar."""
    best, found = (0.0, 0, 0), None
    recorded = {step.line for step in path}
    for program in programs:
        other = program.owner.path()
        lines = (_lines.get(program) == line) + (program.owner.line == path[-1].line)
        if lines or len(recorded.intersection(step.line for step in other)) > _MOSTLY * len(recorded):
            shared = sum(one is another for one, another in zip(path, other, strict=False))
            score = (alikeness(path, other), shared, lines)
            if score > best and (score[0] > 0 or lines == _BOTH):
                best, found = score, program
    return found


def _assigned(recording: Recording) -> list[tuple[Any, Any]]:
    """The variables whose values `recording` computes, with their previous values."""
    return [pair for pair in list(recording.replaced.values()) if pair[0]._held._trace is recording]


def _places(node: Node, slots: Iterable[int]) -> list[tuple[int, str]]:
    """Descriptions of `slots` and the steps that compute them."""
    steps = {slot: step for step in node.path() for slot in range(step.first, step.slot)}
    return [(slot, place_of(steps[slot], slot)) for slot in slots]


def _agreeing(values: Sequence[str], change: str) -> str:
    """A sentence on a change of `values`, in the singular or plural."""
    now, before = ("is", "was") if len(values) == 1 else ("are", "were")
    return f"{listed(values)} {now} {change.format(before)}"


def _called(program: Program) -> str:
    line = _lines.get(program)
    return f"the program compiled at {line}" if line else f"the program that ends at {program.owner.line}"
