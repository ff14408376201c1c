"""Notes which tensors without dimensions tapes have watched.

A function takes such a tensor from outside as an array. Any other number is a part of its trace, also of its branches
and loops, and has no gradient there.
"""

from __future__ import annotations

from tfcompat._core.structure.tensor import Tensor


class Watched:
    """How many tensors are noted."""

    count = 0


watched = Watched()


def note_watched(tensor: Tensor) -> None:
    """Notes that a tape has watched `tensor`, if it has no dimensions."""
    if tensor._aval.ndim == 0 and not tensor._is_watched:
        tensor._is_watched = True
        watched.count += 1  # last, see `StoredTrace.fits`
