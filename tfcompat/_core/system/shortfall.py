"""The unsupported things that a program has asked for, with its lines, for reports at its end."""

from __future__ import annotations

import pathlib
import sys
from collections import Counter
from types import FrameType

_PACKAGE = f"{pathlib.Path(__file__).parents[2]}/"
_counts: Counter[tuple[str, str]] = Counter()


def note(what: str) -> None:
    """Notes that the program asked for `what`, which is not supported, at its current line."""
    frame: FrameType | None = sys._getframe(1)
    # The frames of an import are Python's.
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_PACKAGE, "<frozen ")):
        frame = frame.f_back
    note_at(f"{frame.f_code.co_filename}:{frame.f_lineno}", what)


def note_at(line: str, what: str) -> None:
    """Notes that `what`, which is not supported, was asked for at `line`, written `file:line`."""
    _counts[line, what] += 1


def noted() -> Counter[tuple[str, str]]:
    """How often each line of the program asked for each unsupported thing."""
    return Counter(_counts)


def clear() -> None:
    """Forgets everything that was noted."""
    _counts.clear()
