"""Traces that find sizes and serve arguments of other sizes, too: these are sizes that the program finds.

The arguments are padded to the largest sizes of a class, and their true sizes are further arguments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tfcompat._core.dtype import int64
from tfcompat._core.error import UntraceableError
from tfcompat._core.family.size_class import rounded_up
from tfcompat._core.sharding import placed
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here
from tfcompat._function.body import Body
from tfcompat._function.bounded_body import bounded
from tfcompat._function.bounded_graph import Earlier
from tfcompat._function.open_size import Axes, OpenSizes
from tfcompat._function.open_traces import differing_axes
from tfcompat._function.signature import Call
from tfcompat._function.untraced import kind_of, values_of
from tfcompat._jaxpr.padded.evaluation import padded_array
from tfcompat._jaxpr.size import is_open, value_of
from tfcompat._ops.array.layout import transpose
from tfcompat._ops.elementwise.rounding import cast

# The most classes of sizes for calls of one kind.
_MOST = 64


class Room:
    """The room that the arguments of a trace have."""

    def __init__(self, flat: Sequence[Any], axes: Axes) -> None:
        """The room for a call with the leaves `flat`, in which the sizes of `axes` are open."""
        self._sizes = OpenSizes(flat, axes)
        values = self._sizes.values(flat)
        self._largest = {name: rounded_up(value) for name, value in (values or {}).items()}

    @property
    def is_open(self) -> bool:
        """Whether it serves several sizes."""
        return bool(self._largest)

    @property
    def pattern(self) -> tuple[str, ...]:
        """Equal if the same sizes are open and equal."""
        return self._sizes.pattern

    def serves(self, flat: Sequence[Any]) -> bool:
        """Whether a call with the leaves `flat` is of the class."""
        values = self._sizes.values(flat)
        return values is not None and {name: rounded_up(value) for name, value in values.items()} == self._largest

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
        return Tensor(padded_array(np.asarray(value), [value_of(size, self._largest) for size in aval.shape]))

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


class Rooms:
    """The traces of one function with room for several sizes."""

    def __init__(self) -> None:
        # The sizes of calls whose traces find sizes and have no room (see `differing_axes`).
        self._first: dict[Hashable, Any] = {}
        self._bodies: defaultdict[Hashable, list[Body]] = defaultdict(list)
        self._refused: set[Hashable] = set()

    def body(self, call: Call) -> Body | None:
        """The body of an existing trace for `call`; None if no trace serves it."""
        return next((body for body in self._bodies[_kind_of(call)] if body.room.serves(call.flat)), None)

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
        return room if room.is_open and (kind, room.pattern) not in self._refused else None
