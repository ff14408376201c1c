"""Calls of a user's function: on whole blocks of elements, or on one element after another.

Elements of one shape are computed together unless the function assigns variables or calls Python. Elements of other
shapes, and those of assigning functions, are computed one by one, in order.
"""

from __future__ import annotations

import copy
import sys
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.config import settings
from tfcompat._core.device import to_device
from tfcompat._core.error import InvalidArgumentError, OpError
from tfcompat._core.inference import LEAST
from tfcompat._core.location import user_line
from tfcompat._core.tensor import Tensor, finished
from tfcompat._data.block import Block, Column, entries, joined
from tfcompat._data.block_program import BlockProgram, Draw, RowPlan, captured
from tfcompat._data.template import instance_of
from tfcompat._data.user_function import Computed, Instances, Passed, Result, UserFunction
from tfcompat._function.called import Site
from tfcompat._function.sized_trace import sized
from tfcompat._function.source import Argument
from tfcompat._jaxpr.comparison import among, can_watch, denied
from tfcompat._jaxpr.size import evaluator
from tfcompat._random.seed import global_seed
from tfcompat._state.position import Position
from tfcompat._state.variable import Variable

Array = np.ndarray[Any, Any]
# As many programs for different shapes are kept.
_MOST_PROGRAMS = 64


class Prepared(NamedTuple):
    """A program for some shapes.

    Attributes:
      program: the program; `values` are those of its symbols.
      results: how each component of the result is made.
    """

    program: BlockProgram
    values: Mapping[str, int]
    results: Sequence[Result]


class Calls:
    """The programs of a user's function; all iterators share them.

    Attributes:
      plan: the steps of the function.
      bound: the values of captured tensors of an enclosing function, by `id`.
      is_pure: whether calls have no effects that can be observed.
      is_sequential: whether elements must be computed one after another.
    """

    def __init__(self, function: UserFunction) -> None:
        self.function = function
        self.bound: Mapping[int, Array] = {}
        trace = function.trace
        self.plan = RowPlan(trace.stored)
        if any(isinstance(stream, Site) for stream in self.plan.draws):
            raise NotImplementedError(
                f"{function.label}: functions that call Python (tf.py_function, tf.numpy_function) are not supported; "
                "yield the finished elements with tf.data.Dataset.from_generator."
            )
        self._programs: OrderedDict[tuple[int, ...], Prepared] = OrderedDict()
        self._general = self._with_symbols()
        assigned = any(isinstance(cell, Variable) for cell in self.plan.updates)
        calls_python = bool(trace.stored.effects) and (self._general is None or "callback" in self._general.missing)
        self.is_pure = not assigned and not calls_python
        self.is_sequential = not self.is_pure or bool(self.plan.updates)
        if settings.is_explaining:
            way = "row by row, because it assigns variables" if assigned else "in blocks"
            if calls_python:
                way = "row by row, because it prints"
            elif self.is_sequential and not assigned:
                way = "row by row, because it draws random numbers in a branch or a loop"
            elif trace.sizes is not None:
                way = "in blocks of elements of one shape, else row by row, because sizes are open"
            sys.stderr.write(f"tfcompat: {function.label} at {user_line()} runs {way}\n")

    def captured(self) -> list[Tensor]:
        """The tensors of an enclosing function that is being traced."""
        return [source for source, _ in self.plan.leaves if type(source) is Tensor and source._is_symbolic()]

    def bound_to(self, values: Mapping[int, Array]) -> Calls:
        """These calls with `values` of captured tensors."""
        found = copy.copy(self)
        found.bound = {**self.bound, **values}
        return found

    def _with_symbols(self) -> BlockProgram | None:
        """The program for elements of all shapes, if there can be one."""
        sizes = self.function.trace.sizes
        if sizes is None:
            return BlockProgram(self.plan)
        if not can_watch():
            return None
        try:
            with denied() as compared:
                program = BlockProgram(self.plan, next(iter(sizes.made.values())))
        except Exception:  # code that needs to know a size may raise any error
            return None
        pairs = [*self.function.trace.compared, *among(compared, sizes.symbols)]
        self._differing = evaluator([size for pair in pairs for size in pair], sizes.symbols)
        return program

    def _serves(self, values: Mapping[str, int]) -> bool:
        """Whether the program with symbols can be used for these `values`."""
        if self._general is None or min(values.values(), default=LEAST) < LEAST:
            return False
        apart = self._differing(*values.values())
        return all(left != right for left, right in zip(apart[::2], apart[1::2], strict=True))

    def program(self, shapes: Sequence[tuple[int, ...]]) -> Prepared:
        """The program for elements whose numeric components have `shapes`.

        Raises: InvalidArgumentError if the function does not take these shapes.
        """
        trace = self.function.trace
        if trace.sizes is None:
            assert self._general is not None
            return Prepared(self._general, {}, trace.results)
        values = trace.sizes.values_of(shapes)
        if values is not None and self._serves(values):
            assert self._general is not None
            return Prepared(self._general, values, trace.results)
        key = tuple([size for shape in shapes for size in shape])
        found = self._programs.get(key)
        if found is None:
            found = self._programs[key] = self._for(shapes, values)
            if len(self._programs) > _MOST_PROGRAMS:
                self._programs.popitem(last=False)
        return found

    def _for(self, shapes: Sequence[tuple[int, ...]], values: Mapping[str, int] | None) -> Prepared:
        """The program for elements of `shapes` only: of a copy of the trace, or of a trace of its own."""
        trace = self.function.trace
        stored = None if values is None else sized(trace.stored, values)
        if stored is None:
            try:
                trace = self.function.trace_for(shapes)
            except (TypeError, ValueError) as refused:
                raise InvalidArgumentError.of(str(refused)) from refused
            stored = trace.stored
        return Prepared(BlockProgram(RowPlan(stored)), {}, trace.results)


class Streams(NamedTuple):
    """The places in random streams.

    Attributes:
      drawn: how many blocks of random numbers each stream has given.
      positions: the positions of draws in branches and loops, by number.
    """

    drawn: list[int]
    positions: dict[int, Array]


class Caller:
    """Calls of a user's function by one iterator."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._streams = Streams(
            [0] * len(calls.plan.draws),
            {
                cell._number: np.asarray(cell._first()._array)
                for cell in calls.plan.updates
                if isinstance(cell, Position)
            },
        )

    def save(self) -> Any:
        """The positions in the random streams."""
        return Streams(list(self._streams.drawn), dict(self._streams.positions))

    def restore(self, state: Any) -> None:
        """Returns to positions that `save` of a caller of the same function returned."""
        self._streams = Streams(list(state.drawn), dict(state.positions))

    def go_on_after(self, earlier: Caller) -> None:
        """Shares the random streams of another caller of the function."""
        self._streams = earlier._streams

    def outcomes(self, block: Block) -> list[Block | Exception]:
        """The results of the elements of `block`: blocks of results, and the errors of elements, in order."""
        function = self._calls.function
        columns = [block.columns[place] for place in function.numeric]
        is_even = all(isinstance(column, np.ndarray) for column in columns)
        if is_even and not self._calls.is_sequential:
            return self._run(block, columns)
        found: list[Block | Exception] = []
        lists = [entries(column) for column in columns]
        for row in range(block.count):
            one = block.part(row, row + 1)
            try:
                found += self._run(one, [column[row][np.newaxis] for column in lists])
            except (OpError, NotImplementedError) as error:
                found.append(error)
        return _merged(found)

    def _run(self, block: Block, columns: Sequence[Any]) -> list[Block | Exception]:
        """As `outcomes`, for elements of one shape, with the numeric `columns`."""
        count = block.count
        program, values, results = self._calls.program([column.shape[1:] for column in columns])
        plan = program.plan
        arrays = [self._array(source, columns, count, values) for source, _ in plan.leaves]
        outputs = program(count, arrays, values)
        flags: Any = outputs[-1] if plan.messages else ()
        bad = flags.any(axis=1) if plan.messages else np.zeros(0, bool)
        is_good = not bad.any()
        if plan.updates and is_good:
            last = outputs[len(outputs) - len(plan.updates) - bool(plan.messages) :]
            for cell, value in zip(plan.updates, last, strict=False):
                self._assign(cell, value[-1])
        made = Block(tuple([self._column(result, block, outputs) for result in results]), count)
        if is_good or flags is None:
            return [made]
        found: list[Block | Exception] = []
        start = 0
        for row in np.flatnonzero(bad).tolist():
            if row > start:
                found.append(made.part(start, row))
            texts = [message for flag, message in zip(flags[row], plan.messages, strict=True) if flag]
            found.append(InvalidArgumentError.of("\nAnd ".join(dict.fromkeys(texts))))
            start = row + 1
        if start < count:
            found.append(made.part(start, count))
        return found

    def _array(self, source: Any, columns: Sequence[Any], count: int, values: Mapping[str, int]) -> Array:
        """The array of a leaf for `count` rows of `columns`."""
        if type(source) is Argument:
            return columns[source.index]
        if type(source) is Draw:
            return self._draws(source, count, values)
        if isinstance(source, Position):
            return self._streams.positions[source._number]
        bound = self._calls.bound.get(id(source))
        return captured(source, values) if bound is None else bound

    def _draws(self, draw: Draw, count: int, values: Mapping[str, int]) -> Array:
        """The positions in a stream for `count` calls."""
        blocks = draw.blocks(values)
        if draw.stream.is_seeded:
            key, _, number = draw.stream.first()
            start = self._streams.drawn[draw.place]
            self._streams.drawn[draw.place] = start + blocks * count
        elif global_seed() is None:
            key, start, number = draw.stream.reserved(blocks * count)
        else:
            return np.array([draw.stream.reserved(blocks) for _ in range(count)], np.int64)
        found = np.empty((count, 3), np.int64)
        found[:, 0], found[:, 1], found[:, 2] = key, start + blocks * np.arange(count), number
        return found

    def _assign(self, cell: Any, value: Array) -> None:
        if isinstance(cell, Position):
            self._streams.positions[cell._number] = value
        else:
            cell._rebind(finished(to_device(value), cell._held._aval))

    def _column(self, result: Any, block: Block, outputs: Sequence[Array]) -> Column:
        if isinstance(result, Computed):
            return outputs[result.place]
        if isinstance(result, Passed):
            return block.columns[result.place]
        if isinstance(result, Instances):
            return [
                instance_of(
                    result.node,
                    {key: outputs[place][row] for key, place in result.places.items()},
                    [entries(column)[row] if isinstance(column, list) else None for column in block.columns],
                )
                for row in range(block.count)
            ]
        if result.value is None:
            return [None] * block.count
        return np.broadcast_to(result.value, (block.count, *result.value.shape))


def _merged(found: Sequence[Block | Exception]) -> list[Block | Exception]:
    """`found` with neighbouring blocks joined."""
    merged: list[Block | Exception] = []
    rows: list[Block] = []
    for each in found:
        if isinstance(each, Block):
            rows.append(each)
            continue
        if rows:
            merged.append(joined(rows))
            rows = []
        merged.append(each)
    return [*merged, joined(rows)] if rows else merged
