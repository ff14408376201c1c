"""The recordings of one skeleton. If their sizes vary, a family serves them: on the host, and with padded programs.

All decisions depend on counts and sizes, never on time, so two runs of a script compute the same results.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence

from tfcompat._core.programs.family.difference import Coincides, Differs, NeedsSize
from tfcompat._core.programs.family.family import Family, Sizes, generalised
from tfcompat._core.programs.family.programs import FamilyPrograms
from tfcompat._core.programs.program import MOST_MISSED_DONATIONS, Extent, Program
from tfcompat._core.structure.explanation import report_refusal
from tfcompat._core.structure.node import Node
from tfcompat._core.system.config import settings
from tfcompat._jaxpr.postponement import postponed

# Nanoseconds: of the host for the trace of an op, and for an op whose sizes are new; and of a family for each step, its
# trace included. (Two CPU cores; steps of training loops.)
_TRACE, _NEW_SIZES, _FAMILY = 4.2e6, 0.1e6, 2.5e6
# The part of a family's cost that the host spends on single ops before there is a family. Sizes that have varied once
# mostly continue to vary.
_PATIENCE = 0.5
# A shape that returns after this number of different ones is one of a family.
_MANY = 3
# The number of recordings that are remembered from the time before the family: their sizes are likely to return.
_REMEMBERED = 32
# How often a family is made again because more sizes vary than it has symbols for.
_ATTEMPTS = 4
_MOST_VARIANTS = 64
# For as many combinations of outputs and donated buffers programs are made like others.
_MOST_MODELS = 16
# As many sizes are remembered, to find out which return.
_MOST_SIZES = 4096


# The slots that a program computes, and the leaves, by number, whose buffers are donated to it.
Form = tuple[tuple[int, ...], frozenset[int]]


def _is_prepared(step: Node) -> bool:
    """Whether the host prepares the op of `step` for new sizes; a function of NumPy needs no preparation."""
    return step.op is not None and step.op.on_host is None


class Variants:
    """The recordings of one skeleton.

    Attributes:
      refusal: why padded programs can't serve them; "" if no reason is known.
      is_apart: whether only a coincidence of its sizes kept the latest recording out of the family.
    """

    def __init__(self, path: Sequence[Node]) -> None:
        self._latest = path
        self._earlier = [path]
        # Up to `_MANY` of the different recordings.
        self._shapes: set[Node] = set()
        self._spent = 0.0
        self._family: Family | None = None
        self._attempts = 0
        self._programs: dict[Hashable, FamilyPrograms] = {}
        # By their arguments, the first programs: those for other sizes are like them.
        self._models: dict[Hashable, Program] = {}
        self._forms: list[Form] = []
        self._missed_donations = 0
        self._met: set[tuple[int, ...]] = set()
        self.is_apart = False
        self.refusal = ""

    def have(self, path: Sequence[Node]) -> bool:
        """Whether `path` belongs to the existing family, and is not one of a few shapes."""
        if self._family is None or len(self._shapes) < _MANY or not self._is_member(path, self._family):
            return False
        self._latest = path
        return True

    def is_only(self, path: Sequence[Node]) -> bool:
        """Whether there is no recording but `path`, whose sizes differ from those of no other. Notes that it ran."""
        if any(known[-1] is not path[-1] for known in (self._latest, *self._earlier)):
            return False
        self.is_apart = False
        self._shapes.add(path[-1])
        return True

    def are_served(self, path: Sequence[Node], estimate: float, untraced: int, *, is_cheap: bool) -> bool:
        """Whether the programs of a family serve the recording `path`.

        `estimate` is the estimated time on the host in nanoseconds, `untraced` the number of its ops that the host has
        to trace, `is_cheap` whether it may run there.
        """
        self.is_apart = False
        if len(self._shapes) < _MANY:
            self._shapes.add(path[-1])
            if self.are_few(path):
                return False
        if self._family is None or not self._is_member(path, self._family):
            if self.is_apart:
                return False
            other = next((known for known in (self._latest, *self._earlier) if known[-1] is not path[-1]), None)
            if other is None:
                return False
            self._spent += estimate + _NEW_SIZES * sum(map(_is_prepared, path)) + _TRACE * untraced
            is_patient = self._spent < _PATIENCE * _FAMILY * len(path) and not self._is_one_of_many(path)
            if is_cheap and self._family is None and is_patient:
                self._latest = path
                return False
            # An interrupt during a trace would leave JAX in the tracing state.
            with postponed():
                self._generalise(other, path)
        self._latest = path
        return self._family is not None

    def are_few(self, path: Sequence[Node]) -> bool:
        """Whether `path` returns and is one of a few shapes, which have programs of their own."""
        return path[-1].visits > 1 and len(self._shapes) < _MANY

    @property
    def have_varied(self) -> bool:
        """Whether there is more than one recording."""
        return len(self._shapes) > 1

    def _is_member(self, path: Sequence[Node], family: Family) -> bool:
        """Whether `path` belongs to `family`. Notes whether only a coincidence of its sizes keeps it out."""
        try:
            family.checked(path)
        except Coincides:
            self.is_apart = True
        except Differs:
            pass
        else:
            return True
        return False

    def _is_one_of_many(self, path: Sequence[Node]) -> bool:
        """Whether `path` has run before, and several recordings of other sizes, too."""
        if len(self._earlier) < _REMEMBERED and all(path[-1] is not known[-1] for known in self._earlier):
            self._earlier.append(path)
        return len(self._earlier) >= _MANY and path[-1].visits > 1

    def _generalise(self, other: Sequence[Node], path: Sequence[Node]) -> None:
        self._attempts += 1
        if self._attempts > _ATTEMPTS:
            self.refuse("its sizes follow no rule that was found")
            return
        try:
            self._family = generalised(other, path)
        except Differs as differs:
            self.refuse(str(differs))
        self._programs, self._forms = {}, []

    def refuse(self, reason: str) -> None:
        """Notes that each recording needs a program of its own from now on, and why."""
        self._family, self.refusal = None, reason
        if settings.is_explaining:
            report_refusal(reason)

    def earlier(self, family: Family) -> list[Sizes]:
        """The sizes of the recordings of `family` that ran before there was one."""
        return [sizes for path in self._earlier if (sizes := family.sizes_of(path)) is not None]

    def form_for(self, slots: tuple[int, ...], donatable: frozenset[int]) -> Form:
        """The outputs and the donated leaves of a program for `slots`: those of an existing program if they suffice.

        If more buffers could have been donated several times, a new program is made.
        """
        for outputs, donated in reversed(self._forms):
            if set(slots) <= set(outputs):
                if not donatable <= donated:
                    self._missed_donations += 1
                    if self._missed_donations == MOST_MISSED_DONATIONS:
                        self._missed_donations = 0
                        break
                return outputs, donated
        if (slots, donatable) not in self._forms:
            self._forms.append((slots, donatable))
        return slots, donatable

    def are_new(self, path: Sequence[Node]) -> bool:
        """Whether the sizes of `path`, one of many of the family, are new. Notes that they have occurred."""
        assert self._family is not None
        if len(self._shapes) < _MANY:
            return False
        sizes = tuple(self._family.checked(path).values())
        if sizes in self._met:
            return False
        if len(self._met) >= _MOST_SIZES:
            self._met.clear()
        self._met.add(sizes)
        return True

    def program(
        self,
        node: Node,
        extent: Extent,
        outputs: tuple[int, ...],
        donated: frozenset[int],
        renewed: tuple[tuple[int, int], ...],
    ) -> Program:
        """A new `Program` with these arguments, for a recording up to `node`."""
        key = (extent, outputs, donated, renewed)
        model = self._models.get(key)
        if model is not None:
            return model.for_sizes(node)
        if len(self._models) >= _MOST_MODELS:
            self._models.clear()
        found = self._models[key] = Program(node, *key)
        return found

    def programs_for(self, program: Program) -> FamilyPrograms | None:
        """The programs that run in place of `program`, which is of a recording of the family; None if they cannot."""
        family = self._family
        assert family is not None
        key = (program.form, family)
        found = self._programs.get(key)
        try:
            if found is None:
                with postponed():
                    found = self._programs[key] = FamilyPrograms(self, family, program)
            # Tested again, because tracing may have restricted the family.
            sizes = family.sizes_of(program.owner.path())
        except NeedsSize as differs:
            return self._for_narrowed(family, program, differs)
        return found if sizes is not None else None

    def _for_narrowed(self, family: Family, program: Program, differs: NeedsSize) -> FamilyPrograms | None:
        """As `programs_for`, by a family of larger sizes than `family`, which cannot be traced."""
        try:
            with postponed():
                narrowed = family.narrowed()
        except Differs:
            narrowed = None
        if narrowed is None:
            self.refuse(str(differs))
            return None
        self._family = narrowed
        return self.programs_for(program) if narrowed.sizes_of(program.owner.path()) is not None else None


_known: OrderedDict[Hashable, Variants] = OrderedDict()


def clear() -> None:
    """Removes all recordings."""
    _known.clear()


def variants_of(node: Node, extent: Extent) -> Variants:
    """The recordings with the same skeleton as the one that ends at `node`."""
    key = (node.skeleton(), extent)
    found = _known.get(key)
    if found is None:
        found = _known[key] = Variants(node.path())
        if len(_known) > _MOST_VARIANTS:
            _known.popitem(last=False)
    else:
        _known.move_to_end(key)
    return found
