"""Which calls of a function whose retracing is reduced have one trace in TensorFlow."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from tfcompat._core.types.aval import Aval
from tfcompat._jaxpr.size import is_open


class Widening:
    """The sizes that TensorFlow's traces leave open, by the kinds of calls.

    The first trace leaves none open. A call that no trace serves has a new one, in which all sizes are open that have
    differed by then.
    """

    def __init__(self) -> None:
        self._served: dict[Hashable, list[list[int | None]]] = {}

    def place(self, kind: Hashable, avals: Iterable[Aval]) -> int:
        """The number of the trace, with as few open sizes as can be, for a call of `kind` with tensors like `avals`."""
        sizes = [None if is_open(size) else size for aval in avals for size in aval.shape]
        known = self._served.setdefault(kind, [sizes])
        for place, served in enumerate(known):
            if all(one is None or one == other for one, other in zip(served, sizes, strict=True)):
                return place
        known.append([one if one == other else None for one, other in zip(known[-1], sizes, strict=True)])
        return len(known) - 1
