"""The entries in which two records of one subject differ, and the size of the differences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tests import tolerance
from tests.golden.text import Leaf, leaves, shown

# The number of differing values of an array to print.
SHOWN = 3

Record = dict[str, object]


class Line(NamedTuple):
    """A line of a report, and whether it reports a difference that the tests would not tolerate."""

    text: str
    is_beyond: bool


class Comparison(NamedTuple):
    """The differences of two records.

    Attributes:
      lines: a line that counts the keys, then a line on each key, part and value; empty for equal records.
      beyond: the number of keys with a difference that the tests would not tolerate.
    """

    lines: list[str]
    beyond: int


def compare(subject: str, old: Record, new: Record) -> Comparison:
    """Compares the records `old` and `new` of `subject`."""
    found: list[str] = []
    count = beyond = 0
    for key in [*old, *(key for key in new if key not in old)]:
        below = list(_entry_lines(key, old, new))
        if below:
            count += 1
            beyond += any(line.is_beyond for line in below)
            found += [f"  {key}", *(line.text for line in below)]
    total = len(old.keys() | new.keys())
    head = f"{subject}: {count} of {total} entries differ, {beyond} beyond the tolerance of the tests"
    return Comparison([head, *found] if count else [], beyond)


def _entry_lines(key: str, old: Record, new: Record) -> Iterator[Line]:
    if key not in new:
        yield Line("    removed", True)
    elif key not in old:
        yield Line("    added", True)
    elif old[key] != new[key]:
        before, after = dict(leaves(old[key])), dict(leaves(new[key]))
        for path in [*before, *(path for path in after if path not in before)]:
            label = f"    {path}: " if path else "    "
            if path not in after:
                yield Line(f"{label}removed: {_summary(before[path])}", True)
            elif path not in before:
                yield Line(f"{label}added: {_summary(after[path])}", True)
            else:
                table = tolerance.VALUE if path.startswith("value.") else tolerance.GRADIENT
                yield from _leaf_lines(label, before[path], after[path], table)


def _leaf_lines(label: str, before: Leaf, after: Leaf, table: tolerance.Table) -> Iterator[Line]:
    if (
        isinstance(before, np.ndarray)
        and isinstance(after, np.ndarray)
        and (before.dtype, before.shape) == (after.dtype, after.shape)
    ):
        yield from _array_lines(f"{label}{_summary(before)}: ", before, after, table)
    elif isinstance(before, np.ndarray) or isinstance(after, np.ndarray) or before != after:
        yield Line(f"{label}{_summary(before)} -> {_summary(after)}", True)


def _array_lines(label: str, before: np.ndarray, after: np.ndarray, table: tolerance.Table) -> Iterator[Line]:
    """Lines with the number of differing values, the largest difference, and the first differing values."""
    differs = np.atleast_1d(_differs(before, after))
    if differs.any():
        is_beyond = not tolerance.is_close(after, before, table).all()
        distance = _distance(np.atleast_1d(before)[differs], np.atleast_1d(after)[differs])
        verdict = "beyond" if is_beyond else "within"
        count = f"{differs.sum()} of {before.size} values differ"
        yield Line(f"{label}{count}, {verdict} tolerance{distance}", is_beyond)
    elif before.dtype != object and before.tobytes() != after.tobytes():
        yield Line(f"{label}only the bits of nan differ", False)
    for place in np.argwhere(differs)[:SHOWN].tolist():
        index = tuple(place[: before.ndim])
        yield Line(f"      {list(index)}: {shown(before[index])} -> {shown(after[index])}", False)
    if differs.sum() > SHOWN:
        yield Line("      ...", False)


def _differs(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The positions at which two arrays of one dtype and shape differ: nan equals nan, and 0.0 differs from -0.0."""
    if before.dtype == object or before.dtype.kind in "biu":
        return before != after
    if before.dtype.kind == "c":
        return _differs(before.real, after.real) | _differs(before.imag, after.imag)
    is_same = (before == after) & (np.signbit(before) == np.signbit(after))
    return ~(is_same | (np.isnan(before) & np.isnan(after)))


def _distance(before: np.ndarray, after: np.ndarray) -> str:
    """The greatest absolute and relative difference of numbers that differ; infinite for nan and infinities."""
    if before.dtype == object or before.dtype == bool:
        return ""
    wide = np.complex128 if before.dtype.kind == "c" else np.float64
    old, new = before.astype(wide), after.astype(wide)
    with np.errstate(all="ignore"):
        absolute = np.abs(new - old)
        relative = np.where(absolute == 0.0, 0.0, absolute / np.abs(old))
    largest = [np.where(np.isnan(each), np.inf, each).max() for each in (absolute, relative)]
    return f", max abs {largest[0]:.3g}, max rel {largest[1]:.3g}"


def _summary(leaf: Leaf) -> str:
    """The dtype and shape of an array; anything else as JSON."""
    return f"{leaf.dtype.name} {list(leaf.shape)}" if isinstance(leaf, np.ndarray) else json.dumps(leaf)
