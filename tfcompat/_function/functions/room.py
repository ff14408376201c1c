"""Traces that find sizes and serve arguments of other sizes, too: these are sizes that the program finds.

The arguments are padded to the largest sizes of a class, and their true sizes are further arguments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from tfcompat._core.programs.family.size_class import rounded_up
from tfcompat._core.structure.sharding import placed
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.config import settings
from tfcompat._core.system.error import UntraceableError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import int64
from tfcompat._function.arguments.open_size import Axes, OpenSizes
from tfcompat._function.arguments.signature import Call
from tfcompat._function.functions.open_traces import differing_axes
from tfcompat._function.graphs.untraced import kind_of, values_of
from tfcompat._function.running.body import Body
from tfcompat._function.running.bounded_body import bounded
from tfcompat._function.sizes.bounded_graph import Earlier
from tfcompat._function.sizes.padding_waste import MARGIN
from tfcompat._jaxpr.padded.bound import bounds
from tfcompat._jaxpr.padded.evaluation import padded_array
from tfcompat._jaxpr.size import is_open, value_of
from tfcompat._ops.array.layout import transpose
from tfcompat._ops.elementwise.rounding import cast

# The most classes of sizes for calls of one kind.
_MOST = 64
# If calls take hardly longer, a trace also serves smaller sizes than those of its class, and a new one has room for
# sizes some times as large as those at hand.
_HARDLY = 1.25
_LARGER = (16, 8, 4, 2)


class Room:
    """The room that the arguments of a trace have.

    Attributes:
      largest: by symbol, the largest size; empty if no size is open.
    """

    def __init__(self, flat: Sequence[Any], axes: Axes) -> None:
        """The room for a call with the leaves `flat`, in which the sizes of `axes` are open."""
        self._sizes = OpenSizes(flat, axes)
        self.largest = self.rounded(flat) or {}

    def rounded(self, flat: Sequence[Any], times: int = 1) -> dict[str, int] | None:
        """By symbol, the largest sizes of the class of those in a call, `times` as large; None if they don't fit."""
        values = self._sizes.values(flat)
        return None if values is None else {name: rounded_up(times * value) for name, value in values.items()}

    @property
    def pattern(self) -> tuple[str, ...]:
        """Equal if the same sizes are open and equal."""
        return self._sizes.pattern

    def filled(self, flat: Sequence[Any]) -> list[Any]:
        """The leaves `flat`, padded, and their sizes."""
        values = self._sizes.values(flat)
        assert values is not None
        padded = [
            value if aval is None or not any(map(is_open, aval.shape)) else self._padded(value, aval)
            for value, aval in zip(flat, self._sizes.avals, strict=True)
        ]
        return padded + [Tensor(np.array(values[name], np.int32)) for name in self._sizes.symbols]

    def _padded(self, value: Tensor, aval: Any) -> Tensor:
        return Tensor(padded_array(np.asarray(value), [value_of(size, self.largest) for size in aval.shape]))

    def narrowed(self, given: Sequence[Any]) -> list[Any]:
        """The leaves of a call in a trace that finds their sizes, from those that are padded and the sizes."""
        count = len(self._sizes.symbols)
        leaves, sizes = list(given[:-count]), given[-count:]
        for name, argument in zip(self._sizes.symbols, sizes, strict=True):
            number = cast(argument, int64)  # a step of the trace, as the sizes are that a program finds
            for k, aval in enumerate(self._sizes.avals):
                for axis, size in enumerate(() if aval is None else aval.shape):
                    if is_open(size) and str(size) == name:
                        leaves[k] = _first_along(leaves[k], axis, number)
        return leaves


def _first_along(array: Tensor, axis: int, number: Tensor) -> Tensor:
    """As many of `array` along `axis` as `number` says."""
    if axis:
        order = list(range(array.ndim))
        order[0], order[axis] = axis, 0
        return transpose(_first_along(transpose(array, order), 0, number), order)
    return here.graph.first_rows([array], number, "the size of an argument")[0]


def _kind_of(call: Call) -> Hashable:
    return kind_of(call), values_of(call)


def _estimated(body: Body, largest: Mapping[str, int]) -> tuple[float, float]:
    """The nanoseconds of a call of `body` with room for `largest`: of steps with sizes that it finds, and of all."""
    most: dict[str, int] = {}
    given = list(largest.values())
    for k, bound in enumerate(body.stored.node.bounds):  # the first ones are the sizes of arguments
        most[bound.name] = given[k] if k < len(given) else bounds(bound.within, most)[1]
    assert body.waste is not None
    found = body.waste.cost(most)
    return found, found + body.waste.fixed


def _is_hardly_longer(body: Body, largest: Mapping[str, int], tight: Mapping[str, int]) -> bool:
    """Whether a call of `body` takes hardly longer with room for `largest` sizes than for `tight` ones."""
    if settings.is_deterministic:  # classes follow from sizes alone
        return False
    found, whole = _estimated(body, largest)
    return found <= MARGIN and whole <= _HARDLY * _estimated(body, tight)[1]


def _serves(body: Body, flat: Sequence[Any]) -> bool:
    tight, largest = body.room.rounded(flat), body.room.largest
    if tight is None or any(size > largest[name] for name, size in tight.items()):
        return False
    return tight == largest or _is_hardly_longer(body, largest, tight)


class Rooms:
    """The traces of one function with room for several sizes."""

    def __init__(self) -> None:
        # The sizes of calls whose traces find sizes and have no room (see `differing_axes`).
        self._first: dict[Hashable, Any] = {}
        self._bodies: defaultdict[Hashable, list[Body]] = defaultdict(list)
        self._refused: set[Hashable] = set()

    def body(self, call: Call) -> Body | None:
        """The body of an existing trace for `call`; None if no trace serves it."""
        return next((body for body in self._bodies[_kind_of(call)] if _serves(body, call.flat)), None)

    def may_serve(self, call: Call, axes: Axes | None) -> bool:
        """Whether a trace with room serves `call`, of which `axes` are open, or a new one may do so."""
        kind = _kind_of(call)
        if kind not in self._first:
            return False
        found = self.body(call)
        return self._room(kind, call.flat, axes) is not None if found is None else not found.is_wasteful

    def bounded(
        self,
        name: str,
        call: Call,
        axes: Axes | None,
        earlier: Earlier,
        record: Callable[..., Body],
        *,
        creates: bool,
    ) -> Body:
        """As `bounded`, for `call`, of which `axes` are open. The trace has room if sizes have differed.

        `record` takes a call, symbols for sizes (None), the graph, and the room.
        """
        kind = _kind_of(call)
        room = self._room(kind, call.flat, axes)
        if room is not None:
            filled = call._replace(flat=room.filled(call.flat))
            known = earlier._replace(is_met=None, shapes=None)
            try:
                body = bounded(name, filled.flat, known, partial(record, filled, None, room=room), creates=creates)
                if not body.has_created:
                    self._bodies[kind].append(body)
                    return body
            except UntraceableError:
                pass
            self._refused.add((kind, room.pattern))
        body = bounded(name, call.flat, earlier, partial(record, call, None), creates=creates)
        if body.stored.node.bounds and not body.has_created:
            differing_axes(self._first, kind, call.flat)
        return body

    def _room(self, kind: Hashable, flat: Sequence[Any], axes: Axes | None) -> Room | None:
        """The room for a call of `kind`, of which `axes` are open, if it has other sizes than earlier ones.

        None with arrays on several devices: padding would bring them to one.
        """
        bodies = self._bodies[kind]
        if axes is None or kind not in self._first or placed.is_used:
            return None
        if len(bodies) >= _MOST or any(body.is_wasteful for body in bodies):
            return None
        differing = differing_axes(self._first, kind, flat)
        both = tuple([tuple(set(one) & set(other)) for one, other in zip(axes, differing, strict=True)])
        room = Room(flat, both)
        if not room.largest or (kind, room.pattern) in self._refused:
            return None
        like = next((body for body in bodies if body.room.pattern == room.pattern), None)
        larger = [room.rounded(flat, times) or {} for times in _LARGER]
        tight = room.largest
        if like is not None:
            room.largest = next((each for each in larger if _is_hardly_longer(like, each, tight)), tight)
        return room
