"""Whether two records of the same line agree, within a tolerance."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

_NUMBER = re.compile(r"[-+]?(?:(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?|\b(?:nan|inf)\b)", re.IGNORECASE)
# A number with a unit of time, or of speed, which differs from run to run.
_DURATION = re.compile(
    r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?\s*"
    r"(?:(?:[mun\u00b5]?s|m(?:illi)?sec(?:ond)?s?|sec(?:ond)?s?|min(?:ute)?s?|hours?)\b(?:/\w+)?|\w*/s(?:ec)?\b)",
    re.IGNORECASE,
)
_EXACT = ("string", "object", "None", "bool")


class Tolerance(NamedTuple):
    """Numbers agree if they differ by at most `absolute`, or by `relative` times their size.

    The size of an element of an array is its own size and the root mean square of the array.
    """

    relative: float = 1e-3
    absolute: float = 1e-5


class Verdict(NamedTuple):
    """The result of a comparison.

    Attributes:
      reason: the kind of difference; empty if the records agree.
      distance: the largest relative difference of numbers; nan if they can't be subtracted.
    """

    reason: str
    distance: float


def compare(theirs: dict[str, Any], ours: dict[str, Any], tolerance: Tolerance) -> Verdict:
    """The verdict on two records of the same kind."""
    if "text" in theirs:
        return compare_texts(theirs["text"], ours["text"], tolerance)
    one, other = theirs["parts"], ours["parts"]
    if len(one) != len(other):
        return Verdict(f"{len(one)} values under TensorFlow, {len(other)} here", np.nan)
    verdicts = [compare_parts(a, b, tolerance) for a, b in zip(one, other, strict=True)]
    distance = max((verdict.distance for verdict in verdicts if not np.isnan(verdict.distance)), default=0.0)
    reasons = [
        f"{f'value {place}: ' if len(one) > 1 else ''}{verdict.reason}"
        for place, verdict in enumerate(verdicts)
        if verdict.reason
    ]
    return Verdict("; ".join(reasons[:3]) + ("; ..." if len(reasons) > 3 else ""), distance)


def compare_texts(theirs: str, ours: str, tolerance: Tolerance) -> Verdict:
    """The verdict on two printed lines: words must be equal, numbers agree; durations and speeds may differ."""
    one, other = _DURATION.sub("<time>", theirs), _DURATION.sub("<time>", ours)
    if _words(one) != _words(other):
        return Verdict("other words", np.nan)
    a, b = (np.array([float(number) for number in _NUMBER.findall(text)]) for text in (one, other))
    return _compare_numbers(a, b, tolerance, np.zeros(len(a)))


def _words(text: str) -> str:
    """`text` without numbers, and without blanks, whose number depends on the width of numbers."""
    return re.sub(r"\s+", "", _NUMBER.sub("#", text))


def compare_parts(theirs: dict[str, Any], ours: dict[str, Any], tolerance: Tolerance) -> Verdict:
    """The verdict on two values."""
    for name in ("dtype", "shape"):
        if theirs.get(name) != ours.get(name):
            return Verdict(f"{name} {theirs.get(name)} under TensorFlow, {ours.get(name)} here", np.nan)
    if theirs["dtype"] in _EXACT or "int" in theirs["dtype"]:
        is_same = theirs.get("elements") == ours.get("elements")
        return Verdict("" if is_same else "other elements", 0.0 if is_same else np.nan)
    one, other = (np.array(each["elements"], np.float64) for each in (theirs, ours))
    finite = np.abs(one[np.isfinite(one)])
    typical = theirs.get("size", float(np.sqrt(np.mean(finite**2))) if finite.size else 0.0)
    size = np.full(one.shape, typical if np.isfinite(typical) else 0.0)
    verdict = _compare_numbers(one, other, tolerance, size, theirs["every"])
    if not verdict.reason and "size" in theirs:
        return _compare_numbers(np.array([theirs["size"]]), np.array([ours["size"]]), tolerance, np.zeros(1))
    return verdict


def _compare_numbers(one: Any, other: Any, tolerance: Tolerance, size: Any, every: int = 1) -> Verdict:
    """The verdict on every `every`-th element of two arrays, whose elements have at least `size`."""
    special = ~np.isfinite(one) | ~np.isfinite(other)
    for k in np.flatnonzero(special):
        if not (one[k] == other[k] or (np.isnan(one[k]) and np.isnan(other[k]))):
            return Verdict(f"element {k * every}: {one[k]:g} under TensorFlow, {other[k]:g} here", np.nan)
    one, other = np.where(special, 0.0, one), np.where(special, 0.0, other)
    apart = np.abs(one - other)
    scale = np.maximum(np.abs(one), np.abs(other)) + size
    relative = np.divide(apart, scale, out=np.zeros_like(apart), where=scale > 0)
    counted = np.where(apart > tolerance.absolute, relative, 0.0)
    distance = float(np.max(counted, initial=0.0))
    if distance <= tolerance.relative:
        return Verdict("", float(np.max(np.where(apart > 1e-12, relative, 0.0), initial=0.0)))
    k = int(np.argmax(counted))
    return Verdict(f"element {k * every}: {one[k]:.7g} under TensorFlow, {other[k]:.7g} here", distance)
