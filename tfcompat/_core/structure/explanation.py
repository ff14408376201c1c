"""Reports on stderr with `TFCOMPAT_EXPLAIN=1`: where and why a trace was flushed, and how it ran."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from tfcompat._core.structure.node import Node
from tfcompat._core.system.counter import counts
from tfcompat._core.system.device import computing_device, full_name
from tfcompat._core.system.location import user_line

_reported: set[str] = set()
# The structures whose programs were dropped from the cache most recently.
_dropped: deque[tuple[Node, Any]] = deque(maxlen=512)


def clear() -> None:
    """Forgets which reports were printed."""
    _reported.clear()
    _dropped.clear()


def note_dropped(node: Node, extent: Any) -> None:
    """Notes that the program of `node` for `extent` was dropped to make room for another."""
    _dropped.append((node, extent))


def was_dropped(node: Node, extent: Any) -> bool:
    """Whether the program of `node` for `extent` was dropped recently."""
    return (node, extent) in _dropped


def flush_counts() -> tuple[int, int, int]:
    """The numbers of programs compiled so far, of flushes that ran op by op, and of flushes by padded programs."""
    return counts.compiles, counts.op_by_op, counts.padded


def report_flush(node: Node, start: int, cause: str, before: tuple[int, int, int]) -> None:
    """Writes one line about the flush from slot `start` to `node`. `before` is the result of `flush_counts` before it.

    A flush that compiles nothing is reported once for each line, cause and length: a loop that repeats writes nothing.
    """
    compiled, op_by_op, padded = (now > then for now, then in zip(flush_counts(), before, strict=True))
    outcome = "compiled" if compiled else "ran op by op" if op_by_op else "ran padded" if padded else "ran again"
    steps = sum(step.op is not None and step.first >= start for step in node.path())
    line = f"tfcompat: flush at {user_line()} ({cause}): {steps} steps, {outcome}\n"
    if compiled or line not in _reported:
        _reported.add(line)
        sys.stderr.write(line)


def report_size_class(largest: Mapping[str, int]) -> None:
    """Writes one line about a padded program that is compiled for sizes up to the `largest` ones."""
    sizes = ", ".join(map(str, largest.values()))
    sys.stderr.write(f"tfcompat: compiling a padded program, flushed at {user_line()}: for sizes up to {sizes}\n")


def report_refusal(reason: str) -> None:
    """Writes one line about the `reason` why padded programs cannot serve a step whose sizes vary."""
    sys.stderr.write(f"tfcompat: no padded program for the flush at {user_line()}: {reason}\n")


def report_replicas(reason: str) -> None:
    """Writes one line about the `reason` why the replicas of a strategy are computed on one device."""
    sys.stderr.write(f"tfcompat: replicas on one device, flushed at {user_line()}: {reason}\n")


def report_numbers() -> None:
    """Writes one line about a program that is compiled again because numbers differ that were equal."""
    sys.stderr.write(f"tfcompat: compiling again, flushed at {user_line()}: numbers that were equal differ\n")


def report_devices(ops: Iterable[object]) -> None:
    """Writes the device of each of `ops`, which are about to run."""
    name = full_name(computing_device())
    sys.stderr.write("".join(f"Executing op {op!r} in device {name}\n" for op in ops))
