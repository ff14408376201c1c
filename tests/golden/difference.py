"""Says in which entries two records of one subject differ, and by how much."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from tests.golden.text import Leaf, leaves, shown

# How many differing values of an array are printed.
SHOWN = 3

Record = dict[str, object]


def report(subject: str, old: Record, new: Record) -> list[str]:
    """A line on each key, part and value that differs, below a line that counts the keys; empty for equal records."""
    found: list[str] = []
    count = 0
    for key in [*old, *(key for key in new if key not in old)]:
        below = list(_entry_lines(key, old, new))
        if below:
            count += 1
            found += [f"  {key}", *below]
    total = len(old.keys() | new.keys())
    return [f"{subject}: {count} of {total} entries differ", *found] if count else []


def _entry_lines(key: str, old: Record, new: Record) -> Iterator[str]:
    if key not in new:
        yield "    removed"
    elif key not in old:
        yield "    added"
    elif old[key] != new[key]:
        before, after = dict(leaves(old[key])), dict(leaves(new[key]))
        for path in [*before, *(path for path in after if path not in before)]:
            label = f"    {path}: " if path else "    "
            if path not in after:
                yield f"{label}removed: {_summary(before[path])}"
            elif path not in before:
                yield f"{label}added: {_summary(after[path])}"
            else:
                yield from _leaf_lines(label, before[path], after[path])


def _leaf_lines(label: str, before: Leaf, after: Leaf) -> Iterator[str]:
    if (
        isinstance(before, np.ndarray)
        and isinstance(after, np.ndarray)
        and (before.dtype, before.shape) == (after.dtype, after.shape)
    ):
        yield from _array_lines(label, before, after)
    elif isinstance(before, np.ndarray) or isinstance(after, np.ndarray) or before != after:
        yield f"{label}{_summary(before)} -> {_summary(after)}"


def _array_lines(label: str, before: np.ndarray, after: np.ndarray) -> Iterator[str]:
    """How many values differ, by how much at most, and the first of them."""
    differs = np.atleast_1d(_differs(before, after))
    if differs.any():
        distance = _distance(np.atleast_1d(before)[differs], np.atleast_1d(after)[differs])
        yield f"{label}{_summary(before)}: {differs.sum()} of {before.size} values differ{distance}"
    elif before.dtype != object and before.tobytes() != after.tobytes():
        yield f"{label}{_summary(before)}: only the bits of nan differ"
    for place in np.argwhere(differs)[:SHOWN].tolist():
        index = tuple(place[: before.ndim])
        yield f"      {list(index)}: {shown(before[index])} -> {shown(after[index])}"
    if differs.sum() > SHOWN:
        yield "      ..."


def _differs(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Where two arrays of one dtype and shape differ: nan equals nan, and 0.0 differs from -0.0."""
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
