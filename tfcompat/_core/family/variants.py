"""The recordings of one skeleton. If their sizes vary, a family serves them with a few padded programs.

All decisions depend on counts and sizes, never on time, so two runs of a script compute the same results.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any

from tfcompat._core.config import settings
from tfcompat._core.explanation import report_refusal, report_size_class
from tfcompat._core.family.difference import Differs, NeedsSize
from tfcompat._core.family.family import Family, Sizes, generalised
from tfcompat._core.family.size_class import SizeClass, rounded_up
from tfcompat._core.family.skeleton import skeleton
from tfcompat._core.hosting import compilation
from tfcompat._core.node import Node
from tfcompat._core.program import MOST_MISSED_DONATIONS, Extent, Program
from tfcompat._jaxpr.padded.cost import cost_of
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.postponement import postponed

# Once runs of new sizes on the host have cost this share of a compilation, the sizes are considered to vary.
_PATIENCE = 0.5
# The nanoseconds that the host takes to prepare an op for sizes that are new to it.
_NEW_SIZES = 0.1e6
# A padded program takes longer to compile than an exact one by this factor, because it has masks.
_MASKED = 2.0
# A shape that returns after this number of different ones is padded.
_MANY = 3
# The number of recordings that are remembered from the time before the family: their sizes are likely to return.
_REMEMBERED = 32
# How often a family is made again because more sizes vary than it has symbols for.
_ATTEMPTS = 4
_MOST_CLASSES = 12
_MOST_VARIANTS = 64


# The slots that a program computes, and the leaves, by number, whose buffers are donated to it.
Form = tuple[tuple[int, ...], frozenset[int]]
# The largest size of a padded program, which takes the true sizes as 32-bit numbers.
_LARGEST = (1 << 31) - 1


class Variants:
    """The recordings of one skeleton.

    Attributes:
      refusal: why padded programs can't serve them; "" if no reason is known.
    """

    def __init__(self, path: Sequence[Node]) -> None:
        self._latest = path
        self._earlier = [path]
        self._spent = 0.0
        self._family: Family | None = None
        self._attempts = 0
        self._padded: dict[Hashable, PaddedPrograms] = {}
        self._forms: list[Form] = []
        self._missed_donations = 0
        self.refusal = ""

    def are_served(self, path: Sequence[Node], estimate: float, *, is_cheap: bool) -> bool:
        """Whether padded programs serve the recording `path`.

        `estimate` is the estimated time on the host in nanoseconds, `is_cheap` whether it may run there.
        """
        if self._family is None or self._family.sizes_of(path) is None:
            other = next((known for known in (self._latest, *self._earlier) if known[-1] is not path[-1]), None)
            if other is None:
                return False
            self._spent += estimate + _NEW_SIZES * len(path)
            is_patient = self._spent < _PATIENCE * compilation(len(path)) and not self._is_one_of_many(path)
            if is_cheap and self._family is None and is_patient:
                self._latest = path
                return False
            # An interrupt during a trace would leave JAX in the tracing state.
            with postponed():
                self._generalise(other, path)
        self._latest = path
        return self._family is not None

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
        self._padded, self._forms = {}, []

    def refuse(self, reason: str) -> None:
        """Notes that each recording needs a program of its own from now on, and why."""
        self._family, self.refusal = None, reason
        if settings.is_explaining:
            report_refusal(reason)

    def largest(self, family: Family) -> Sizes:
        """The largest sizes of the recordings of `family` that ran before there was one."""
        known = [sizes for path in self._earlier if (sizes := family.sizes_of(path)) is not None]
        return {name: max([sizes[name] for sizes in known], default=0) for name in family.symbols}

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

    def padded(self, program: Program) -> PaddedPrograms | None:
        """The padded programs to run in place of `program`, that of a recording of the family; None if impossible."""
        family = self._family
        assert family is not None
        key = (program.form, family)
        found = self._padded.get(key)
        try:
            if found is None:
                with postponed():
                    found = self._padded[key] = PaddedPrograms(self, family, program)
            # Tested again, because tracing may have restricted the family.
            sizes = family.sizes_of(program.owner.path())
        except NeedsSize as differs:
            return self._padded_narrowed(family, program, differs)
        return found if sizes is not None else None

    def _padded_narrowed(self, family: Family, program: Program, differs: NeedsSize) -> PaddedPrograms | None:
        """As `padded`, by a family of larger sizes than `family`, which cannot be traced."""
        try:
            with postponed():
                narrowed = family.narrowed()
        except Differs:
            narrowed = None
        if narrowed is None:
            self.refuse(str(differs))
            return None
        self._family = narrowed
        return self.padded(program) if narrowed.sizes_of(program.owner.path()) is not None else None


class PaddedPrograms:
    """The padded programs for a family and one form of arguments and outputs."""

    def __init__(self, variants: Variants, family: Family, program: Program) -> None:
        """Traces the `family` of `variants`. Raises Differs if an op needs to know a size."""
        self.variants = variants
        self._family = family
        extent, slots = program.extent, program.slots
        self._jaxpr = family.jaxpr(program.outputs, extent.start, extent.given, extent.guards)
        plan = family.plan(program.outputs, extent.start, extent.given, extent.guards)
        order = (*[leaf.first for leaf in plan.leaves], *extent.given)
        vectors = len(self._jaxpr.in_avals) - len(order)
        places = {slot: vectors + k for k, slot in enumerate(slots)}
        # The place among a program's arguments of each input of the jaxpr.
        self._places = (*range(vectors), *[places[slot] for slot in order])
        taken = {places[leaf] for leaf in program.donated_slots}
        self._donated = [k for k, place in enumerate(self._places) if place in taken and self._is_closed(k)]
        self._cost_of_compiling = _MASKED * compilation(len(family.path))
        self._cost = cost_of(self._jaxpr, family.symbols)
        self._room = {name: rounded_up(size) for name, size in variants.largest(family).items()}
        self._classes: list[SizeClass] = []

    def _is_closed(self, k: int) -> bool:
        return all(isinstance(size, int) for size in self._jaxpr.in_avals[k].shape)

    def __call__(self, path: Sequence[Node], args: Sequence[Any]) -> list[Any]:
        """The outputs for the arguments of a program of `path`. Raises NoRule, from then on, if that is impossible."""
        sizes = self._family.checked(path)
        if max(sizes.values(), default=0) > _LARGEST:
            raise NoRule("size", "a size exceeds 32 bits")
        chosen = self._class_for(sizes)
        try:
            return chosen(sizes, [args[place] for place in self._places])
        except NoRule as refused:
            self.variants.refuse(f"JAX's {refused} on padded arrays")
            raise

    def _class_for(self, sizes: Sizes) -> SizeClass:
        """The cheapest class that covers `sizes`; a smaller one if it would have paid for its compilation."""
        tight = {name: rounded_up(size) for name, size in sizes.items()}
        covering = [known for known in self._classes if known.covers(sizes)]
        if not covering or settings.is_deterministic:
            exact = next((known for known in covering if known.largest == tight), None)
            return exact or self._added(tight if settings.is_deterministic else self._with_room_for(tight))
        best = min(covering, key=lambda known: self._cost(*known.largest.values()))
        best.wasted += self._cost(*best.largest.values()) - self._cost(*tight.values())
        if best.wasted > self._cost_of_compiling and len(self._classes) < _MOST_CLASSES:
            best.wasted = 0.0
            return self._added(tight)
        return best

    def _with_room_for(self, tight: Sizes) -> dict[str, int]:
        """The sizes of a class that covers `tight`, all existing classes, and the recordings before there was one."""
        rooms = [tight, self._room, *[known.largest for known in self._classes]]
        return {name: max(room[name] for room in rooms) for name in tight}

    def _added(self, largest: Sizes) -> SizeClass:
        if settings.is_explaining:
            report_size_class(largest)
        self._classes.append(SizeClass(self._jaxpr, self._family.symbols, largest, self._donated))
        return self._classes[-1]


_known: OrderedDict[Hashable, Variants] = OrderedDict()


def clear() -> None:
    """Removes all recordings."""
    _known.clear()


def variants_of(node: Node, extent: Extent) -> Variants:
    """The recordings with the same skeleton as the one that ends at `node`."""
    path = node.path()
    key = (skeleton(path), extent)
    found = _known.get(key)
    if found is None:
        found = _known[key] = Variants(path)
        if len(_known) > _MOST_VARIANTS:
            _known.popitem(last=False)
    else:
        _known.move_to_end(key)
    return found
