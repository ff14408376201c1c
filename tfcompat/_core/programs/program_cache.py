"""The cache of compiled programs."""

from __future__ import annotations

from collections import OrderedDict

from tfcompat._core.programs.program import Program
from tfcompat._core.structure.explanation import note_dropped
from tfcompat._core.system.config import settings

# At least this many programs are kept, however long they are.
_AT_LEAST = 8


class ProgramCache:
    """The compiled programs, the least recently used first.

    Attributes:
      ran_once: the number of compiled programs, dropped ones included, that ran only once.
    """

    def __init__(self) -> None:
        self._order: OrderedDict[Program, None] = OrderedDict()
        self.ran_once = 0

    @property
    def steps(self) -> int:
        """The number of steps of all programs."""
        return sum(program.size for program in list(self._order))

    def __len__(self) -> int:
        return len(self._order)

    def clear(self) -> None:
        """Removes every program and resets the counts."""
        for program in list(self._order):
            self.drop(program)
        self.ran_once = 0

    def touch(self, program: Program) -> None:
        """Marks `program` as used most recently."""
        if program not in self._order:  # an interrupt came after it was added to its node
            self.add(program)
        self._order.move_to_end(program)
        if not program.has_recurred:
            program.has_recurred = True
            self.ran_once -= 1

    def add(self, program: Program) -> None:
        """Adds `program`, and drops the least recently used programs beyond the bounds.

        Programs may use half of the steps that are kept; the other half is for those that are being recorded.
        """
        self._order[program] = None
        program.is_kept = True
        self.ran_once += not program.has_recurred
        while len(self._order) > settings.max_programs or (
            self.steps > settings.max_steps // 2 and len(self._order) > _AT_LEAST
        ):
            oldest = next(iter(self._order))
            if settings.is_explaining:
                note_dropped(oldest.owner, oldest.extent)
            self.drop(oldest)

    def __contains__(self, program: Program) -> bool:
        return program in self._order

    def latest(self) -> list[Program]:
        """The programs, most recently used first."""
        return list(reversed(self._order))

    def drop(self, program: Program) -> None:
        """Removes `program`, which an interrupt may have left in its node alone."""
        self._order.pop(program, None)
        program.is_kept = False
        if program.owner.programs.get(program.extent) is program:
            del program.owner.programs[program.extent]
        # Prepared calls may still refer to it.
        program.release()


cache = ProgramCache()
