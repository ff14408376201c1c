"""Computes the replicas of a recording on several devices, as one program that each device runs for its replica.

A value is shared or own: the same in all replicas, or one for each. This follows from the leaves: an array that
all replicas have is shared, and so are the results of steps that read only shared values, and sums over the replicas.
There is a program for each combination of shared and own leaves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import compress
from operator import is_, is_not, itemgetter
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.programs.replicas.body import Body, Layout, Source, slot_of
from tfcompat._core.programs.replicas.folding import Part
from tfcompat._core.programs.replicas.placement import placement_on, use
from tfcompat._core.structure.interruption import Rebinding, store_arrays, store_results
from tfcompat._core.structure.sharding import running, turns
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.config import settings
from tfcompat._core.system.counter import counts
from tfcompat._jaxpr.postponement import postponed

# The buffers of smaller variables are not donated, in accordance with `Recording.smallest`.
_SMALL_BUFFER = 4096
NO_POSITIONS: frozenset[int] = frozenset()

# Takes the arrays of all replicas from the arguments.
Pick = Callable[[Sequence[Any]], Any]


class _Leaf(NamedTuple):
    """How the programs of a layout read a leaf.

    Attributes:
      positions: those of its array, or of its arrays in all replicas, among the arguments; `pick` takes these.
      is_own: whether each replica has its own.
      is_replaced: whether it is the old value of a variable, whose buffer is large enough to be taken.
    """

    positions: tuple[int, ...]
    pick: Pick
    is_own: bool
    is_replaced: bool


class _Form(NamedTuple):
    """The arguments and the results of the programs of a layout.

    Attributes:
      layout: the layout; `leaves`: the leaves.
      shared, own: take the arrays of the shared leaves, and for each own leaf its arrays, from the arguments.
      arranged: brings these, the shared ones first, in the order of the leaves.
      replaced: the positions, and the numbers, of the leaves that are old values of variables; `kept`: the places of
        the other shared leaves among these.
      compared: by slot, how to take the arrays that have to be equal.
      firsts, others: take each array that has to be equal to the first of its slot, and that first one; None if
        nothing is compared; `slots`: their slots.
      order: takes the array of each tensor from the results, then that of the flags and of the last result; None if
        some are parts of results.
    """

    layout: Layout
    leaves: list[_Leaf]
    shared: Pick
    own: list[Pick]
    arranged: Pick
    replaced: tuple[frozenset[int], list[int]]
    kept: frozenset[int]
    compared: list[tuple[int, Pick]]
    firsts: Pick | None
    others: Pick | None
    slots: list[int]
    order: Callable[[Sequence[Any]], Sequence[Any]] | None


class Spread:
    """The function that a program runs if replicas are computed on several devices."""

    def __init__(self, body: Body, *, has_floats: bool, has_ints: bool) -> None:
        self._body = body
        self._place = placement_on(body.devices)
        self._has_numbers = {"has_floats": has_floats, "has_ints": has_ints}
        self._count = has_floats + has_ints
        self._is_serial = body.devices[0].platform == "cpu"
        self._differing = frozenset(slot for slot, source in body.sources.items() if source == Source())
        self._forms: dict[frozenset[int], _Form] = {}
        # The compiled functions, and those that have run.
        self._functions: dict[tuple[frozenset[int], tuple[int, ...]], Callable[..., Any]] = {}
        self._has_run: set[tuple[frozenset[int], tuple[int, ...]]] = set()
        # The latest vectors of numbers, their bytes, and the vectors on all devices.
        self._vectors: tuple[Sequence[Any], Sequence[bytes], Sequence[Any]] = (), (), ()

    def __call__(
        self,
        args: Sequence[Any],
        targets: Sequence[Tensor],
        rebinding: Rebinding,
        taken: frozenset[int] = NO_POSITIONS,
    ) -> None:
        """Runs the program of the numbers and arrays `args`, and stores the arrays of the outputs in `targets`.

        The flags follow if there are checks. It does nothing unless `rebinding` is possible. It may take the buffers of
        the arrays at the positions `taken`.
        """
        use.has_begun = True
        counts.spread += 1
        count = self._count
        arrays = args[count:]
        vectors = self._numbers(args[:count])
        form = self._form(arrays)
        given, donated = self._given(form, arrays, taken)
        key = form.layout.differing, _used_once(donated, given)
        function = self._functions.get(key) or self._function(form.layout, key)
        given = [*vectors, *given]
        with turns:
            if self._is_serial:
                running.settle()
            if key in self._has_run and form.order is not None and not settings.is_checking:
                store_results(function, given, [*targets, running.latest], rebinding, form.order)
                return
            with postponed():
                if rebinding.is_possible():
                    *results, last = function(*given)
                    store_arrays([*targets, running.latest], [*self._unpacked(form.layout, results), last], rebinding)
                    self._has_run.add(key)

    def _given(self, form: _Form, arrays: Sequence[Any], taken: frozenset[int]) -> tuple[Sequence[Any], list[int]]:
        """The array on all devices for each leaf, and the numbers of the leaves whose buffers may be taken."""
        place = self._place
        shared = list(form.shared(arrays))
        positions, replaced = form.replaced
        others = [k for k, is_known in enumerate(place.are_known_common(shared)) if not is_known]
        if positions <= taken and form.kept.issuperset(others):  # the same as below, in less time
            for k in others:
                shared[k] = place.common(shared[k])
            return form.arranged([*shared, *[place.own(pick(arrays)) for pick in form.own]]), replaced
        given: list[Any] = []
        donated: list[int] = []
        for number, leaf in enumerate(form.leaves):
            if leaf.is_own:
                given.append(place.own(leaf.pick(arrays)))
                continue
            array = arrays[leaf.positions[0]]
            is_common = place.is_common(array)
            if leaf.is_replaced and (not is_common or taken.issuperset(leaf.positions)):
                array = array if is_common else place.fresh(array)
                donated.append(number)
            elif not is_common:
                array = place.common(array)
            given.append(array)
        return given, donated

    def _require_shared(self, layout: Layout, found: dict[int, Any]) -> None:
        """Raises AssertionError if the devices have computed different values for one that all replicas share."""
        for slot, result in found.items():
            if slot not in layout.own and not self._place.is_equal_everywhere(result):
                raise AssertionError(f"replicas differ in a value that they share: {self._body.described(slot)}")

    def _unpacked(self, layout: Layout, results: Sequence[Any]) -> list[Any]:
        """The arrays for the tensors of the program, and the flags if there are checks, from `results`."""
        body, place = self._body, 0
        found: dict[int, Any] = {}
        for slot, is_listed in zip(body.outputs, body.listed(layout), strict=True):
            size = len(body.devices) if is_listed else 1
            found[slot] = list(results[place : place + size]) if is_listed else results[place]
            place += size
        if settings.is_checking:
            self._require_shared(layout, found)
        for slot, is_listed in zip(body.outputs, body.listed(layout), strict=True):
            if slot in layout.own and not is_listed:
                found[slot] = self._place.parts(found[slot])
        answers: list[Any] = []
        for result in body.results:
            value = found[slot_of(result)]
            answers.append(value[result.replica] if isinstance(result, Part) and isinstance(value, list) else value)
        return [*answers, *results[place:]]

    def _form(self, arrays: Sequence[Any]) -> _Form:
        """The form of the programs for `arrays`. What differed once is never regarded as shared again."""
        while True:
            form = self._forms.get(self._differing) or self._new_form()
            if form.firsts is None or form.others is None:
                return form
            others = set(compress(form.slots, map(is_not, form.firsts(arrays), form.others(arrays))))
            new = [slot for slot, pick in form.compared if slot in others and not self._place.are_equal(pick(arrays))]
            if not new:
                return form
            self._differing |= frozenset(new)

    def _new_form(self) -> _Form:
        """The form of the programs for the values that differ now."""
        body = self._body
        layout = body.layout(self._differing)
        self._differing = layout.differing
        old = body.old_values(layout)
        leaves = [
            _Leaf(
                body.arguments[leaf.first],
                itemgetter(*body.arguments[leaf.first]),
                leaf.first in layout.differing,
                number in old and leaf.aval.nbytes >= _SMALL_BUFFER,
            )
            for number, leaf in enumerate(body.plan.leaves)
        ]
        shared = [(slot, source) for slot, source in body.sources.items() if slot not in layout.differing]
        compared: list[tuple[int, Pick]] = [
            (slot, itemgetter(*source.positions)) for slot, source in shared if source.positions
        ]
        picked = [(source.positions[0], position) for _, source in shared for position in source.positions[1:]]
        firsts, others = (itemgetter(*places, 0) for places in zip(*picked, strict=True)) if picked else (None, None)
        replaced = [number for number, leaf in enumerate(leaves) if leaf.is_replaced and not leaf.is_own]
        of_shared = [number for number, leaf in enumerate(leaves) if not leaf.is_own]
        of_own = [number for number, leaf in enumerate(leaves) if leaf.is_own]
        place = {number: k for k, number in enumerate([*of_shared, *of_own])}
        found = self._forms[layout.differing] = _Form(
            layout,
            leaves,
            _taking([leaves[number].positions[0] for number in of_shared]),
            [leaves[number].pick for number in of_own],
            _taking([place[number] for number in range(len(leaves))]),
            (frozenset([position for number in replaced for position in leaves[number].positions]), replaced),
            frozenset([k for k, number in enumerate(of_shared) if number not in replaced]),
            compared,
            firsts,
            others,
            [slot for slot, source in shared for _ in source.positions[1:]],
            self._order(layout),
        )
        return found

    def _order(self, layout: Layout) -> Callable[[Sequence[Any]], Sequence[Any]] | None:
        """See `_Form`."""
        body, listed = self._body, self._body.listed(layout)
        if any(slot in layout.own and not is_listed for slot, is_listed in zip(body.outputs, listed, strict=True)):
            return None
        first: dict[int, tuple[int, bool]] = {}
        place = 0
        for slot, is_listed in zip(body.outputs, listed, strict=True):
            first[slot] = place, is_listed
            place += len(body.devices) if is_listed else 1
        places: list[int] = []
        for result in body.results:
            start, is_listed = first[slot_of(result)]
            places.append(start + result.replica if is_listed and isinstance(result, Part) else start)
        return itemgetter(*places, *range(place, place + bool(body.flags) + 1))

    def _function(self, layout: Layout, key: tuple[frozenset[int], tuple[int, ...]]) -> Callable[..., Any]:
        """The new function, which JAX compiles, that takes the buffers of the leaves in `key`."""
        found = self._functions[key] = self._body.compiled(layout, self._place, key[1], **self._has_numbers)
        return found

    def _numbers(self, vectors: Sequence[Any]) -> Sequence[Any]:
        """The `vectors` of numbers on all devices. Notes which numbers differ between the replicas."""
        latest, before, placed = self._vectors
        if len(latest) == len(vectors) and all(map(is_, vectors, latest)):
            return placed
        host: list[Any] = [np.asarray(vector) for vector in vectors]
        packed = [vector.tobytes() for vector in host]
        if packed != before:
            differing = [
                slot
                for slot, source in self._body.sources.items()
                if source.numbers and len({number.of(host[0], host[-1]).tobytes() for number in source.numbers}) > 1
            ]
            self._differing |= frozenset(differing)
            placed = list(map(self._place.common, host))
        self._vectors = vectors, packed, placed
        return placed


def _taking(places: Sequence[int]) -> Pick:
    """Takes the elements at `places`, as a sequence."""
    if len(places) > 1:
        return itemgetter(*places)
    return itemgetter(slice(places[0], places[0] + 1) if places else slice(0))


def _used_once(donated: Sequence[int], given: Sequence[Any]) -> tuple[int, ...]:
    """Those of the leaves `donated` whose array in `given` no other leaf has.

    A variable that replicas change may be read for all of them, too.
    """
    if not donated or len(set(map(id, given))) == len(given):
        return tuple(donated)
    uses = Counter(map(id, given))
    return tuple([number for number in donated if uses[id(given[number])] == 1])
