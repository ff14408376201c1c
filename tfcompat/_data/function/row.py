"""Elements while a user's function is computed for them, by programs and by the host in turn.

Programs compute elements of one shape together, the host one after the other. An error belongs to its element: the
others are computed all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.system.error import InvalidArgumentError, OpError
from tfcompat._data.blocks.block import Block, Column, column_of, entries, joined
from tfcompat._data.blocks.host_value import HostParts, HostRagged, HostSparse
from tfcompat._data.function.block_program import RowPlan
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.python_row import can_be_computed, computed_by_python
from tfcompat._data.function.row_step import computed_by_host
from tfcompat._data.function.row_value import Array, RowValues
from tfcompat._data.function.stream import Streams
from tfcompat._data.function.trace import Computed, FromHost, Instances, Parts, Passed
from tfcompat._data.nodes.template import instance_of
from tfcompat._function.graphs.source import Hosted
from tfcompat._jaxpr.host.control import TooLong
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.sparse.tensor import SparseTensorSpec

_LARGE = 1 << 15  # bytes


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


class _Outputs(NamedTuple):
    """The outputs of a program for some rows, and its steps."""

    plan: RowPlan
    outputs: Sequence[Any]


class _Rows(RowValues):
    """Some elements, computed."""

    def outcomes(self) -> list[Block | Exception]:
        """The results of the elements, and their errors, in order."""
        for number, stage in enumerate(self.calls.stages):
            if stage.slots:
                self._compute(number, stage.slots)
            for step in stage.steps:
                computed_by_host(self, step)
        found: list[Block | Exception] = []
        done = 0
        for rows, values in self.groups(len(self.calls.plans) - 1):
            found += [self.errors[row] for row in range(done, rows.start)]
            found += self._results(rows, values)
            done = rows.stop
        return merged([*found, *[self.errors[row] for row in range(done, self.block.count)]])

    def _compute(self, number: int, slots: Sequence[int]) -> None:
        """Computes `slots`, the outputs of program number `number`."""
        columns: list[list[Any]] = [[None] * self.block.count for _ in slots]
        for rows, values in self.groups(number):
            try:
                found = self._run(number, rows, values)
            except (TypeError, ValueError) as error:
                self.errors.update(dict.fromkeys(rows, _shape_error(error)))
                continue
            if found is None:
                self.others.update(rows)
                continue
            for column, output in zip(columns, found.outputs, strict=False):
                column[rows.start : rows.stop] = [output[k, ...] for k in range(len(rows))]
        self.slots.update(zip(slots, columns, strict=True))

    def _run(self, number: int, rows: range, values: Mapping[str, int]) -> _Outputs | None:
        """The outputs of program number `number` for `rows`; the errors of its value checks are noted.

        None if the trace does not serve the rows.
        """
        prepared = None if self.others.intersection(rows) else self.calls.program(number, values)
        if prepared is None:
            return None
        plan = prepared.program.plan
        arrays = [self.array(source, rows, values) for source, _ in plan.leaves]
        try:
            outputs = prepared.program(len(rows), arrays, prepared.values)
        except TooLong:
            self.calls.require_known_sizes(number)
            return self._run(number, rows, values)
        if plan.messages:
            flags = outputs[-1]
            for place in np.flatnonzero(flags.any(axis=1)).tolist():
                pairs = zip(flags[place], plan.messages, strict=True)
                texts = dict.fromkeys(message for flag, message in pairs if flag)
                self.errors[rows[place]] = InvalidArgumentError.of("\nAnd ".join(texts))
        return _Outputs(plan, outputs)

    def _results(self, rows: range, values: Mapping[str, int]) -> list[Block | Exception]:
        """The results of `rows`, which are computed together."""
        calls = self.calls
        try:
            run = self._run(len(calls.plans) - 1, rows, values)
        except (TypeError, ValueError) as error:
            return [_shape_error(error)] * len(rows)
        if run is None:
            return [one for row in rows for one in self._retraced(row)]
        plan, outputs = run
        bad = [row for row in rows if row in self.errors] if self.errors else []
        if plan.updates and not bad:
            first = len(outputs) - len(plan.updates) - bool(plan.messages)
            for cell, value in zip(plan.updates, outputs[first:], strict=False):
                self.streams.assign(cell, value[-1])
        block = self.block.part(rows.start, rows.stop)
        made = Block(tuple([self._result(one, rows, block, outputs) for one in self.trace.results]), len(rows))
        if not bad:
            return [made]
        found: list[Block | Exception] = []
        start = 0
        for row in bad:
            if row - rows.start > start:
                found.append(made.part(start, row - rows.start))
            found.append(self.errors[row])
            start = row - rows.start + 1
        return found if start == made.count else [*found, made.part(start, made.count)]

    def _retraced(self, row: int) -> list[Block | Exception]:
        """The result of one row by a trace for its sizes."""
        one = self.block.part(row, row + 1)
        shapes = [entries(one.columns[place])[0].shape for place in self.calls.function.numeric]
        opened: list[Sequence[int] | None] = []
        for source in self.trace.opened:
            if source not in self.hosted and isinstance(source, Hosted):
                if not self.has_inputs(source.step):  # those are results of a program that has not run
                    opened.append(None)
                    continue
                computed_by_host(self, source.step)
            value = entries(self.hosted[source])[row]
            if value is None:
                opened.append(None)
                continue
            is_size = isinstance(source, Hosted) and self.trace.steps[source.step].symbols
            opened.append(value.tolist() if is_size else value.shape)
        try:
            calls = self.calls.traced_for(shapes, opened)
            found = _Rows(calls, self.streams, one, {})
            self._hand_on(row, found)
            return found.outcomes()
        except NotImplementedError as error:
            return self._computed_by_python(one, error)
        except OpError as error:
            return [error]

    def _computed_by_python(self, element: Block, refusal: Exception) -> list[Block | Exception]:
        """The result of `element`, for which a trace is refused by `refusal`."""
        if not can_be_computed(self.calls):
            return [refusal]
        try:
            return [computed_by_python(self.calls, element)]
        except OpError as error:
            return [error]
        except (TypeError, ValueError) as error:
            return [_shape_error(error)]

    def _hand_on(self, row: int, other: RowValues) -> None:
        """Gives `other`, which computes `row` by another trace, what has been computed: effects happen once."""
        steps, theirs = self.trace.steps, other.trace.steps
        if [step.name for step in steps] == [step.name for step in theirs]:
            # With shared sizes that disagree, values may have been computed from wrong sizes.
            kept = [number for number in self.done if steps[number].has_effects or not self.trace.shares_sizes]
            for number in kept:
                columns = [self.hosted[Hosted(number, place)] for place in range(steps[number].outputs)]
                values = [entries(column)[row] for column in columns]
                if not any(value is None for value in values):
                    other.known[number] = values
            other.drawn.update({place: {0: known[row]} for place, known in self.drawn.items() if row in known})
        elif any(steps[number].has_effects for number in self.done):
            raise NotImplementedError(
                f"{self.calls.function.label}: the function takes another way for the sizes of this element after it "
                "has called Python or printed; set shapes by tf.ensure_shape, or do that in a map of its own."
            )

    def _result(self, result: Any, rows: range, block: Block, outputs: Sequence[Any]) -> Column:
        """The column of a component of the result for `rows`, the elements of `block`."""
        if isinstance(result, Computed):
            return outputs[result.place]
        if isinstance(result, Passed):
            return block.columns[result.place]
        if isinstance(result, FromHost):
            column = self.hosted[result.source][rows.start : rows.stop]
            # Large rows are copied once only, when a batch is made of them.
            return column if isinstance(column, np.ndarray) or _has_large(column) else column_of(column)
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


def _shape_error(error: Exception) -> InvalidArgumentError:
    """The error of elements whose sizes do not fit an op, as `error` says."""
    found = InvalidArgumentError.of(str(error))
    found.__cause__ = error
    return found


def _has_large(column: Sequence[Any]) -> bool:
    return getattr(column[0], "nbytes", 0) > _LARGE


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


def _whole(spec: Any, tensors: Sequence[Array]) -> Any:
    """A composite value of the type `spec` with these tensors."""
    if isinstance(spec, RaggedTensorSpec):
        return HostRagged(tensors[0], tuple(tensors[1:])) if spec.ragged_rank else tensors[0]
    return HostSparse(*tensors) if isinstance(spec, SparseTensorSpec) else HostParts(tuple(tensors))
