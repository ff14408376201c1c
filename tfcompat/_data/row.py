"""Elements while a user's function is computed for them, by programs and by the host in turn.

Programs compute elements of one shape together, the host one after the other. An error belongs to its element: the
others are computed all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from tfcompat._core.error import InvalidArgumentError, OpError
from tfcompat._core.sizes import Sizes
from tfcompat._data.block import Block, Column, column_of, entries, joined
from tfcompat._data.block_program import BlockProgram, Draw, captured
from tfcompat._data.calling import Calls
from tfcompat._data.element_graph import HostSource
from tfcompat._data.element_size import Shape, bind
from tfcompat._data.element_trace import Computed, FromHost, Instances, Parts, Passed
from tfcompat._data.host_value import HostRagged, HostSparse
from tfcompat._data.stage import leaves_of
from tfcompat._data.stream import Streams
from tfcompat._data.template import instance_of
from tfcompat._function.source import Argument, Hosted, Part
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._state.position import Position

Array = np.ndarray[Any, Any]


def outcomes(
    calls: Calls, streams: Streams, block: Block, values: Mapping[str, int] = MappingProxyType({})
) -> list[Block | Exception]:
    """The results of the elements of `block`: blocks of results, and the errors of elements, in order.

    `values` are those of symbols that an enclosing function has found.
    """
    if block.count > 1 and calls.is_sequential:
        ones = [block.part(row, row + 1) for row in range(block.count)]
        return merged([each for one in ones for each in _Rows(calls, streams, one, values).outcomes()])
    return _Rows(calls, streams, block, values).outcomes()


class _Rows:
    """The elements of `block`, computed by `calls`, whose random numbers come from `streams`."""

    def __init__(self, calls: Calls, streams: Streams, block: Block, values: Mapping[str, int]) -> None:
        self._calls = calls
        self._streams = streams
        self._trace = calls.trace
        self._block = block
        self._errors: dict[int, Exception] = {}
        self._hosted: dict[HostSource, Column] = {}
        self._slots: dict[int, Column] = {}
        self._drawn: dict[int, dict[int, Array]] = {}
        # The values of symbols: of all rows alike while they are in one dictionary.
        self._values: dict[str, int] | list[dict[str, int]] = dict(values)
        # The rows whose sizes the trace does not serve.
        self._others: set[int] = set()

    def outcomes(self) -> list[Block | Exception]:
        """The results of the elements, and their errors, in order."""
        function, sizes = self._calls.function, self._trace.sizes
        if sizes is not None:
            for place, aval in zip(function.numeric, sizes.avals, strict=True):
                assert aval is not None
                self._bind(aval.shape, self._block.columns[place])
        for source, shape in self._trace.shapes.items():
            if isinstance(source, Part):
                self._hosted[source] = column = self._part(source)
                self._bind(shape, column)
        for number, stage in enumerate(self._calls.stages):
            if stage.slots:
                self._compute(number, stage.slots)
            for step in stage.steps:
                self._call(step)
        found: list[Block | Exception] = []
        done = 0
        for rows, values in self._groups(len(self._calls.plans) - 1):
            found += [self._errors[row] for row in range(done, rows.start)]
            found += self._results(rows, values)
            done = rows.stop
        return merged([*found, *[self._errors[row] for row in range(done, self._block.count)]])

    def _part(self, source: Part) -> Column:
        """The arrays of a part of a component."""
        column = self._block.columns[source.place]
        spec = self._calls.function.components[source.place].spec
        if isinstance(column, np.ndarray) and not isinstance(spec, RaggedTensorSpec):
            return column
        return [_part_of(entry, source.part) for entry in entries(column)]

    def _bind(self, shape: Shape | None, column: Column) -> None:
        """Gives the symbols of `shape` their values for the rows of `column`."""
        if shape is None:
            return
        if isinstance(column, np.ndarray) and isinstance(self._values, dict):
            if not bind(shape, column.shape[1:], self._values):
                self._refuse(range(self._block.count), shape, column.shape[1:])
            return
        values = self._apart()
        for row, entry in enumerate(entries(column)):
            if row not in self._errors and not bind(shape, entry.shape, values[row]):
                self._refuse([row], shape, entry.shape)

    def _refuse(self, rows: Iterable[int], shape: Shape, given: Sequence[int]) -> None:
        """Leaves `rows` to a trace of their own, as sizes differ from those of the trace."""
        if self._trace.sizes is not None:
            self._others.update(rows)
            return
        refused = InvalidArgumentError.of(
            f"{self._calls.function.label}: expected a value of shape {list(shape)}, got {list(given)}."
        )
        self._errors.update(dict.fromkeys(rows, refused))

    def _apart(self) -> list[dict[str, int]]:
        """The values of symbols of each row."""
        if isinstance(self._values, dict):
            self._values = [dict(self._values) for _ in range(self._block.count)]
        return self._values

    def _groups(self, number: int) -> list[tuple[range, Mapping[str, int]]]:
        """Rows without errors that program number `number` can compute together, and the values of their symbols."""
        count, values = self._block.count, self._values
        columns = [self._column(source) for source, _ in self._calls.plan_of(number).leaves]
        uneven = [column for column in columns if isinstance(column, list)]
        if isinstance(values, dict) and not uneven and not self._errors and not self._others:
            return [(range(count), values)]
        found: list[tuple[range, Mapping[str, int]]] = []
        last: Any = None
        for row in range(count):
            if row in self._errors:
                last = None
                continue
            own = values if isinstance(values, dict) else values[row]
            key = (own, [column[row].shape for column in uneven])
            if last == key and row not in self._others:
                found[-1] = (range(found[-1][0].start, row + 1), own)
            else:
                found.append((range(row, row + 1), own))
            last = None if row in self._others else key
        return found

    def _column(self, source: Any) -> Column | None:
        """The column of a leaf that has a value for each row."""
        if type(source) is Argument:
            return self._block.columns[self._calls.function.numeric[source.index]]
        return self._hosted[source] if isinstance(source, Hosted | Part) else None

    def _compute(self, number: int, slots: Sequence[int]) -> None:
        """Computes `slots`, the outputs of program number `number`."""
        columns: list[list[Any]] = [[None] * self._block.count for _ in slots]
        for rows, values in self._groups(number):
            prepared = None if self._others.intersection(rows) else self._calls.program(number, values)
            if prepared is None:
                refused = InvalidArgumentError.of(
                    f"{self._calls.function.label}: sizes of the element do not fit together: {dict(values)}"
                )
                self._errors.update(dict.fromkeys(rows, refused))
                continue
            outputs = self._run(prepared.program, rows, prepared.values, values)
            for column, output in zip(columns, outputs, strict=False):
                column[rows.start : rows.stop] = [output[k, ...] for k in range(len(rows))]
        self._slots.update(zip(slots, columns, strict=True))

    def _run(
        self, program: BlockProgram, rows: range, symbols: Mapping[str, int], values: Mapping[str, int]
    ) -> Sequence[Any]:
        """The outputs of `program` for `rows`; the errors of its value checks are noted."""
        arrays = [self._array(source, rows, values) for source, _ in program.plan.leaves]
        outputs = program(len(rows), arrays, symbols)
        if program.plan.messages:
            flags = outputs[-1]
            for place in np.flatnonzero(flags.any(axis=1)).tolist():
                pairs = zip(flags[place], program.plan.messages, strict=True)
                texts = dict.fromkeys(message for flag, message in pairs if flag)
                self._errors[rows[place]] = InvalidArgumentError.of("\nAnd ".join(texts))
        return outputs

    def _array(self, source: Any, rows: range, values: Mapping[str, int]) -> Array:
        """The array of a leaf for `rows`."""
        column = self._column(source)
        if column is not None:
            return _stacked(column, rows)
        if type(source) is Draw:
            return self._draws(source, rows, values)
        if isinstance(source, Position):
            return self._streams.positions[source._number]
        bound = self._calls.bound.get(id(source))
        return captured(source, values) if bound is None else bound

    def _draws(self, draw: Draw, rows: range, values: Mapping[str, int]) -> Array:
        """The positions in a stream for `rows`, those of an earlier program if it has drawn them."""
        known = self._drawn.setdefault(draw.place, {})
        if rows[0] not in known:
            known.update(zip(rows, self._streams.draws(draw, len(rows), values), strict=True))
        return np.stack([known[row] for row in rows])

    def _call(self, number: int) -> None:
        """Computes a step of the host for each row."""
        step = self._trace.steps[number]
        inputs = [self._input(source) for source in step.inputs]
        found: list[Sequence[Array]] = []
        for row in range(self._block.count):
            values = self._values if isinstance(self._values, dict) else self._values[row]
            outputs: Sequence[Array] = ()
            if row not in self._errors:
                try:
                    arrays = [column[row] if has_rows else column for column, has_rows in inputs]
                    outputs = step.compute(values, *((self._streams,) if step.draws else ()), *arrays)
                except (OpError, NotImplementedError) as error:
                    self._errors[row] = error
                except (TypeError, ValueError) as error:
                    self._errors[row] = InvalidArgumentError.of(str(error))
            found.append(outputs)
        if step.symbols:
            for row, values in enumerate(self._apart()):
                if row not in self._errors:
                    values.update(zip(step.symbols, found[row][0].tolist(), strict=True))
        for place in range(step.outputs):
            column = [np.asarray(outputs[place]) if outputs else None for outputs in found]
            self._hosted[Hosted(number, place)] = column
            if not step.symbols:
                self._bind(self._trace.shapes.get(Hosted(number, place)), column)

    def _input(self, source: Any) -> tuple[Any, bool]:
        """The column of an input of a step, or its array, and whether it has a value for each row."""
        if isinstance(source, np.ndarray):
            return source, False
        if type(source) is not int:
            return entries(self._hosted[source]), True
        if source in self._slots:
            return self._slots[source], True
        leaf: Any = leaves_of(self._trace.stored)[source]
        if type(leaf) is Sizes:
            return [
                None if row in self._errors else captured(leaf, values) for row, values in enumerate(self._apart())
            ], True
        column = self._column(leaf)
        if column is not None:
            return entries(column), True
        return self._array(leaf, range(1), {}), False

    def _results(self, rows: range, values: Mapping[str, int]) -> list[Block | Exception]:
        """The results of `rows`, which are computed together."""
        calls = self._calls
        last = len(calls.plans) - 1
        prepared = None if self._others.intersection(rows) else calls.program(last, values)
        if prepared is None:
            return [one for row in rows for one in self._retraced(row)]
        outputs = self._run(prepared.program, rows, prepared.values, values)
        plan = prepared.program.plan
        bad = [row for row in rows if row in self._errors]
        if plan.updates and not bad:
            first = len(outputs) - len(plan.updates) - bool(plan.messages)
            for cell, value in zip(plan.updates, outputs[first:], strict=False):
                self._streams.assign(cell, value[-1])
        block = self._block.part(rows.start, rows.stop)
        made = Block(tuple([self._result(one, rows, block, outputs) for one in self._trace.results]), len(rows))
        if not bad:
            return [made]
        found: list[Block | Exception] = []
        start = 0
        for row in bad:
            if row - rows.start > start:
                found.append(made.part(start, row - rows.start))
            found.append(self._errors[row])
            start = row - rows.start + 1
        return found if start == made.count else [*found, made.part(start, made.count)]

    def _retraced(self, row: int) -> list[Block | Exception]:
        """The result of one row by a trace for its sizes."""
        one = self._block.part(row, row + 1)
        shapes = [entries(one.columns[place])[0].shape for place in self._calls.function.numeric]
        opened: list[Sequence[int]] = []
        for source in self._trace.opened:
            value = self._hosted[source][row]
            is_size = isinstance(source, Hosted) and self._trace.steps[source.step].symbols
            opened.append(value.tolist() if is_size else value.shape)
        try:
            return outcomes(self._calls.traced_for(shapes, opened), self._streams, one)
        except (OpError, NotImplementedError) as error:
            return [error]

    def _result(self, result: Any, rows: range, block: Block, outputs: Sequence[Any]) -> Column:
        """The column of a component of the result for `rows`, the elements of `block`."""
        if isinstance(result, Computed):
            return outputs[result.place]
        if isinstance(result, Passed):
            return block.columns[result.place]
        if isinstance(result, FromHost):
            return column_of([self._hosted[result.source][row] for row in rows])
        if isinstance(result, Parts):
            parts = [entries(self._result(part, rows, block, outputs)) for part in result.parts]
            return [_whole(result.spec, tensors) for tensors in zip(*parts, strict=True)]
        if isinstance(result, Instances):
            columns = {key: entries(self._result(part, rows, block, outputs)) for key, part in result.places.items()}
            return [
                instance_of(
                    result.node,
                    {key: column[k] for key, column in columns.items()},
                    [column[k] if isinstance(column, list) else None for column in block.columns],
                )
                for k in range(len(rows))
            ]
        if result.value is None:
            return [None] * len(rows)
        return np.broadcast_to(result.value, (len(rows), *result.value.shape))


def merged(found: Sequence[Block | Exception]) -> list[Block | Exception]:
    """`found` with neighbouring blocks joined."""
    made: list[Block | Exception] = []
    rows: list[Block] = []
    for each in found:
        if isinstance(each, Block):
            rows.append(each)
            continue
        if rows:
            made.append(joined(rows))
            rows = []
        made.append(each)
    return [*made, joined(rows)] if rows else made


def _stacked(column: Column, rows: range) -> Array:
    """The entries of `rows`, which have one shape, as one array."""
    if isinstance(column, np.ndarray):
        return column[rows.start : rows.stop]
    return np.stack(column[rows.start : rows.stop])


def _part_of(entry: Any, part: int) -> Array:
    """A tensor of a composite value."""
    if isinstance(entry, HostRagged):
        return entry.splits[part - 1] if part else entry.values
    return entry[part] if isinstance(entry, HostSparse) else entry


def _whole(spec: Any, tensors: Sequence[Array]) -> Any:
    """A composite value of the type `spec`."""
    if isinstance(spec, RaggedTensorSpec):
        return HostRagged(tensors[0], tuple(tensors[1:])) if spec.ragged_rank else tensors[0]
    return HostSparse(*tensors)
