"""The values of some elements while a user's function is computed for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._data.blocks.block import Block, Column, entries
from tfcompat._data.blocks.host_value import arrays_of
from tfcompat._data.function.block_program import Draw, captured
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.graph import HostSource
from tfcompat._data.function.size import Shape, bind
from tfcompat._data.function.stage import leaves_of
from tfcompat._data.function.stream import Streams
from tfcompat._function.graphs.source import Argument, Hosted, Part
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._state.position import Position

Array = np.ndarray[Any, Any]


class RowValues:
    """The known values of the elements of `block`, which `calls` compute with random numbers from `streams`.

    Attributes:
      errors: the errors of elements, by row; nothing more is computed for these.
      others: the rows whose sizes the trace does not serve; values that it cannot compute for them are None.
      hosted: the columns of values of the host; `slots` are those of slots of the trace.
      done: the numbers of the steps that were computed; `known` are the results of steps that need not be computed.
      drawn: the positions in streams, by the number of the stream and by row.
      symbols: the values of symbols: of all rows alike while they are in one dictionary.
    """

    def __init__(self, calls: Calls, streams: Streams, block: Block, values: Mapping[str, int]) -> None:
        self.calls = calls
        self.streams = streams
        self.trace = calls.trace
        self.block = block
        self.errors: dict[int, Exception] = {}
        self.others: set[int] = set()
        self.hosted: dict[HostSource, Column] = {}
        self.slots: dict[int, Column] = {}
        self.done: set[int] = set()
        self.known: dict[int, list[Array]] = {}
        self.symbols: dict[str, int] | list[dict[str, int]] = dict(values)
        self.drawn: dict[int, dict[int, Array]] = {}
        if self.trace.sizes is not None:
            # A branch has no arguments of its own: an enclosing function has found the values of their symbols.
            for place, aval in zip(calls.function.numeric, self.trace.sizes.avals, strict=False):
                self.bind(aval.shape, block.columns[place])
        for source, shape in self.trace.shapes.items():
            if isinstance(source, Part):
                self.hosted[source] = column = self._part(source)
                self.bind(shape, column)

    def _part(self, source: Part) -> Column:
        """The arrays of a part of a component."""
        column = self.block.columns[source.place]
        spec = self.calls.function.components[source.place].spec
        if isinstance(column, np.ndarray) and not isinstance(spec, RaggedTensorSpec):
            return column
        return [arrays_of(entry)[source.part] for entry in entries(column)]

    def bind(self, shape: Shape | None, column: Column) -> None:
        """Gives the symbols of `shape` their values for the rows of `column`."""
        if shape is None:
            return
        if isinstance(column, np.ndarray) and isinstance(self.symbols, dict):
            if not bind(shape, column.shape[1:], self.symbols):
                self._refuse(range(self.block.count), shape, column.shape[1:])
            return
        values = self.apart()
        for row, entry in enumerate(entries(column)):
            if entry is not None and row not in self.errors and not bind(shape, entry.shape, values[row]):
                self._refuse([row], shape, entry.shape)

    def _refuse(self, rows: Iterable[int], shape: Shape, given: Sequence[int]) -> None:
        """Leaves `rows` to a trace of their own, as sizes differ from those of the trace."""
        if self.trace.sizes is not None:
            self.others.update(rows)
            return
        refused = InvalidArgumentError.of(
            f"{self.calls.function.label}: expected a value of shape {list(shape)}, got {list(given)}."
        )
        self.errors.update(dict.fromkeys(rows, refused))

    def apart(self) -> list[dict[str, int]]:
        """The values of symbols of each row."""
        if isinstance(self.symbols, dict):
            self.symbols = [dict(self.symbols) for _ in range(self.block.count)]
        return self.symbols

    def groups(self, number: int) -> list[tuple[range, Mapping[str, int]]]:
        """Rows without errors that program number `number` can compute together, and the values of its symbols."""
        count, values = self.block.count, self.symbols
        columns = [self.column(source) for source, _ in self.calls.plan_of(number).leaves]
        uneven = [column for column in columns if isinstance(column, list)]
        if isinstance(values, dict) and not uneven and not self.errors and not self.others:
            return [(range(count), values)]
        found: list[tuple[range, Mapping[str, int]]] = []
        last: Any = None
        for row in range(count):
            if row in self.errors:
                last = None
                continue
            own = values if isinstance(values, dict) else values[row]
            if row in self.others:
                found.append((range(row, row + 1), own))
                last = None
                continue
            own = self.calls.deciding(number, own)
            key = (own, [column[row].shape for column in uneven])
            if last == key:
                found[-1] = (range(found[-1][0].start, row + 1), own)
            else:
                found.append((range(row, row + 1), own))
            last = key
        return found

    def column(self, source: Any) -> Column | None:
        """The column of a leaf that has a value for each row."""
        if type(source) is Argument:
            return self.block.columns[self.calls.function.numeric[source.index]]
        return self.hosted[source] if isinstance(source, Hosted | Part) else None

    def array(self, source: Any, rows: range, values: Mapping[str, int]) -> Array:
        """The array of a leaf for `rows`."""
        column = self.column(source)
        if column is not None:
            return _stacked(column, rows)
        if type(source) is Draw:
            return self._draws(source, rows, values)
        if isinstance(source, Position):
            return self.streams.positions[source._number]
        bound = self.calls.bound.get(id(source))
        return captured(source, values) if bound is None else bound

    def _draws(self, draw: Draw, rows: range, values: Mapping[str, int]) -> Array:
        """The positions in a stream for `rows`, those of an earlier program if it has drawn them."""
        known = self.drawn.setdefault(draw.place, {})
        if rows[0] not in known:
            known.update(zip(rows, self.streams.draws(draw, len(rows), values), strict=True))
        return np.stack([known[row] for row in rows])

    def has_inputs(self, number: int) -> bool:
        """Whether the inputs of a step of the host are known."""
        leaves = leaves_of(self.trace.stored)
        return all(
            source in self.slots or source in leaves
            if type(source) is int
            else not isinstance(source, Hosted) or source in self.hosted
            for source in self.trace.steps[number].inputs
        )

    def input_of(self, source: Any) -> tuple[Any, bool]:
        """The column of an input of a step, or its array, and whether it has a value for each row."""
        if isinstance(source, np.ndarray):
            return source, False
        if isinstance(source, Tensor):
            return self.calls.bound[id(source)], False
        if type(source) is not int:
            return entries(self.hosted[source]), True
        if source in self.slots:
            return self.slots[source], True
        leaf: Any = leaves_of(self.trace.stored)[source]
        if type(leaf) is Sizes:
            return [
                None if row in self.errors or row in self.others else captured(leaf, values)
                for row, values in enumerate(self.apart())
            ], True
        column = self.column(leaf)
        if column is not None:
            return entries(column), True
        return self.array(leaf, range(1), {}), False


def _stacked(column: Column, rows: range) -> Array:
    """The entries of `rows`, which have one shape, as one array."""
    if isinstance(column, np.ndarray):
        return column[rows.start : rows.stop]
    return np.stack(column[rows.start : rows.stop])
