"""Partitions of open dimensions: those of one class have the same size in every call."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

# For each open dimension of specs, in order, the number of its class.
Classes = tuple[int, ...]


def finest(axes: tuple[int, ...], is_valid: Callable[[Classes], bool]) -> Classes | None:
    """The finest partition of dimensions of `axes` that `is_valid`; None if not even that with one class is.

    A partition that is coarser than a valid one is assumed to be valid. So the search begins with a coarse one, of the
    dimensions of each axis if possible, and takes parts out of its classes.
    """
    apart, together = tuple(range(len(axes))), (0,) * len(axes)
    start = next((classes for classes in dict.fromkeys((apart, axes, together)) if is_valid(classes)), None)
    if start is None or start == apart:
        return start
    found = start
    for part in _parts(start):
        classes = _without(found, part)
        if classes is not None and is_valid(classes):
            found = classes
    return found


def _parts(classes: Classes) -> Iterator[tuple[int, ...]]:
    """The sets of dimensions of one class that contain at most half of it, small ones first.

    A valid part is a union of classes of the finest partition, so each one is tried once.
    """
    members = [[place for place, each in enumerate(classes) if each == number] for number in dict.fromkeys(classes)]
    for size in range(1, max(map(len, members)) // 2 + 1):
        for each in members:
            yield from itertools.combinations(each, size)


def _without(classes: Classes, part: tuple[int, ...]) -> Classes | None:
    """`classes` with `part` as a class of its own; None if it isn't the smaller part of a class, or the first half."""
    number = classes[part[0]]
    left = classes.count(number) - len(part)
    is_half = left == len(part) and part[0] == classes.index(number)
    if any(classes[place] != number for place in part) or not (left > len(part) or is_half):
        return None
    new = max(classes) + 1
    return tuple(new if place in part else number for place, number in enumerate(classes))
