"""Counters of compilations and flushes, with which programs and tests can check that a loop compiles once."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field, fields, replace


@dataclass
class Counters:
    """Event counts since the process started, or since `clear`.

    Attributes:
      compiles: compiled programs, one for each structure.
      op_compiles: single ops compiled, for structures that don't run again.
      host_ops: single ops that NumPy evaluated, without compiling anything.
      padded: flushes served by a padded program, which is made for all sizes up to a maximum.
      spread: flushes that computed each replica of a strategy on its device.
      exchanges: exchanges of values with the other processes of a cluster.
      cache_hits: flushes served by a compiled program.
      op_by_op: flushes that ran one op after another.
      flushes: all flushes.
      compile_seconds: time spent in first calls of programs.
      causes: flushes by cause: "read", "tape", "limit", "sync", "immediate", ...
    """

    compiles: int = 0
    op_compiles: int = 0
    host_ops: int = 0
    padded: int = 0
    spread: int = 0
    exchanges: int = 0
    cache_hits: int = 0
    op_by_op: int = 0
    flushes: int = 0
    compile_seconds: float = 0.0
    causes: Counter[str] = field(default_factory=Counter)

    def clear(self) -> None:
        """Sets every count back to zero."""
        self.__init__()

    def copy(self) -> Counters:
        """The counts as they are now."""
        return replace(self, causes=Counter(self.causes))


_NUMBERS = tuple([each.name for each in fields(Counters) if each.name != "causes"])
counts = Counters()


def counters() -> Counters:
    """A copy of the counts."""
    return counts.copy()


@contextlib.contextmanager
def counted() -> Generator[Counters]:
    """Yields counters that, when the context ends, hold what happened inside it."""
    before = counts.copy()
    during = Counters()
    try:
        yield during
    finally:
        for name in _NUMBERS:
            setattr(during, name, getattr(counts, name) - getattr(before, name))
        during.causes = counts.causes - before.causes
