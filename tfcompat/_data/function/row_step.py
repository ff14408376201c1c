"""Steps of the host, computed for some elements: together, in several threads, or one by one."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from tfcompat._core.system.error import InvalidArgumentError, OpError
from tfcompat._data.blocks.block import Column, column_of
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.graph import HostStep
from tfcompat._data.function.row_value import Array, RowValues
from tfcompat._function.graphs.source import Hosted

# More threads than this share too little work. Counting the cores takes as long as a row.
_MOST_THREADS = min(os.cpu_count() or 1, 16)


def computed_by_host(rows: RowValues, number: int) -> None:
    """Computes a step of the host for each row."""
    step = rows.trace.steps[number]
    if number in rows.known:
        for place, array in enumerate(rows.known[number]):
            rows.hosted[Hosted(number, place)] = [array]
            if not step.symbols:
                rows.bind(rows.trace.shapes.get(Hosted(number, place)), [array])
        return
    rows.done.add(number)
    inputs = [rows.input_of(source) for source in step.inputs]
    columns = _at_once(rows, step, inputs)
    if columns is not None:
        for place, column in enumerate(columns):
            rows.hosted[Hosted(number, place)] = column
            rows.bind(rows.trace.shapes.get(Hosted(number, place)), column)
        return

    def outputs_of(row: int) -> Sequence[Array] | Exception:
        values = rows.symbols if isinstance(rows.symbols, dict) else rows.symbols[row]
        try:
            arrays = [column[row] if has_rows else column for column, has_rows in inputs]
            return step.compute(values, *((rows.streams,) if step.draws else ()), *arrays)
        except (OpError, NotImplementedError) as error:
            return error
        except (TypeError, ValueError) as error:
            found = InvalidArgumentError.of(str(error))
            found.__cause__ = error
            return found

    lacking = {row for row in rows.others if any(has_rows and column[row] is None for column, has_rows in inputs)}
    if step.reads and rows.others:
        lacking.update(row for row in rows.others if not step.reads <= rows.apart()[row].keys())
    wanted = [row for row in range(rows.block.count) if row not in rows.errors and row not in lacking]
    outcomes = dict(zip(wanted, _in_parallel(outputs_of, wanted, step, rows.calls), strict=True))
    rows.errors.update({row: outcome for row, outcome in outcomes.items() if isinstance(outcome, Exception)})
    found: list[Any] = [None if row in rows.errors else outcomes.get(row) for row in range(rows.block.count)]
    if step.symbols:
        for row, values in enumerate(rows.apart()):
            if found[row] is not None:
                values.update(zip(step.symbols, found[row][0].tolist(), strict=True))
    for place in range(step.outputs):
        column = [np.asarray(outputs[place]) if outputs is not None else None for outputs in found]
        rows.hosted[Hosted(number, place)] = column
        if not step.symbols:
            rows.bind(rows.trace.shapes.get(Hosted(number, place)), column)


def _in_parallel(
    function: Callable[[int], Any], rows: Sequence[int], step: HostStep, calls: Calls
) -> list[Sequence[Array] | Exception]:
    """`function` of each of `rows`, in threads if the map is parallel and the step runs without Python's lock."""
    count = min(len(rows), _MOST_THREADS)
    if not (step.is_long and calls.is_parallel) or count < 2:
        return list(map(function, rows))
    remaining = deque(enumerate(rows))
    found: dict[int, Any] = {}

    def compute_remaining() -> None:
        # To wait for another thread after each row would cost as much as a small image.
        while True:
            try:
                place, row = remaining.popleft()
            except IndexError:
                return
            found[place] = function(row)

    with ThreadPoolExecutor(count - 1, "tfcompat_map") as pool:
        try:
            others = [pool.submit(compute_remaining) for _ in range(count - 1)]
            compute_remaining()
            for each in others:
                each.result()
        finally:
            remaining.clear()
    return [found[place] for place in range(len(rows))]


def _at_once(rows: RowValues, step: HostStep, inputs: Sequence[tuple[Any, bool]]) -> Sequence[Column] | None:
    """The columns of results of a step for all rows; None if they must be computed one by one."""
    if (
        step.block is None
        or rows.errors
        or rows.others
        or rows.block.count == 1
        or not any(has_rows for _, has_rows in inputs)
    ):
        return None
    given: list[Any] = []
    for column, has_rows in inputs:
        array = column_of(column) if has_rows else column
        if not isinstance(array, np.ndarray):
            return None
        given.append(array)
    if hasattr(step.block, "is_elementwise"):
        pairs = list(zip(given, [has_rows for _, has_rows in inputs], strict=True))
        ranks = {array.ndim for array, has_rows in pairs if has_rows}
        if len(ranks) > 1 or any(array.ndim and not has_rows for array, has_rows in pairs):
            return None
    try:
        return step.block(rows.block.count, *given)
    except (OpError, NotImplementedError, TypeError, ValueError):
        return None  # an element has the error, which is found one by one
