"""Elements of datasets by number, without reading those before them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, OpError
from tfcompat._data.blocks.block import Block, column_of, entries, joined
from tfcompat._data.function.caller import Caller
from tfcompat._data.function.trace import Computed, Constant, Passed
from tfcompat._data.functional.mapping import Map
from tfcompat._data.functional.padding import PaddedBatch
from tfcompat._data.nodes.batching import AnyBatch, Batch
from tfcompat._data.nodes.holding import Cache
from tfcompat._data.nodes.node import Node, Unary
from tfcompat._data.nodes.optioned import Optioned
from tfcompat._data.nodes.prefetching import Prefetch
from tfcompat._data.nodes.sequence import Concatenate, Repeat, Shard, Skip, Take
from tfcompat._data.nodes.source import Held, Progression
from tfcompat._data.nodes.zipping import Zip
from tfcompat._function.graphs.source import Argument


class NoRowsError(Exception):
    """A dataset whose elements are not found by number."""


class Permuted(NamedTuple):
    """In place of a node: the elements of `source` in the order of their `numbers`."""

    source: Any
    numbers: Sequence[int]

    @property
    def structure(self) -> Any:
        """The type of an element."""
        return self.source.structure

    @property
    def cardinality(self) -> int:
        """The number of elements."""
        return len(self.numbers)


def draws_nothing(node: Map) -> bool:
    """Whether the results of the function depend on the element alone, and it has no effects."""
    calls = node.calls
    return calls.is_pure and not calls.is_sequential and not any(plan.draws for plan in calls.plans if plan)


def is_indexed(node: Node) -> bool:
    """Whether `rows` finds the elements of `node` at any time: in memory, or as functions of some that are there.

    None of them has an error, and the functions read no variables.
    """
    if isinstance(node, Held):
        return node.block is not None
    if isinstance(node, Progression):
        return node.cardinality > 0
    if type(node) in (Take, Skip, Shard, Optioned, Zip):
        return node.cardinality > 0 and all(map(is_indexed, node.inputs))
    return type(node) is Map and _never_fails(node) and is_indexed(node.source)


def _never_fails(node: Map) -> bool:
    """Whether the function is one program without checks, of the element and of constants."""
    trace, plans = node.calls.trace, [plan for plan in node.calls.plans if plan is not None]
    is_one_program = not trace.steps and trace.sizes is None and not any(plan.messages for plan in plans)
    sources = [source for plan in plans for source, _ in plan.leaves]
    return (
        is_one_program
        and draws_nothing(node)
        and all(isinstance(source, Argument | Tensor) for source in sources)
        and all(isinstance(result, Computed | Passed | Constant) for result in trace.results)
    )


def rows(node: Node | Permuted, numbers: Sequence[int]) -> Block:
    """The elements of `node` with these numbers, of which there is at least one.

    Raises: NoRowsError if they are not found in this way, or one of them has an error.
    """
    if isinstance(node, Permuted):
        return rows(node.source, [node.numbers[number] for number in numbers])
    if isinstance(node, Cache) and node.kept is not None and node.kept[0] is not None:
        return node.kept[0].gathered(np.array(numbers))
    if isinstance(node, Optioned | Prefetch | Cache) or (isinstance(node, Unary) and node.transparent):
        return rows(node.source, numbers)
    if isinstance(node, Held) and node.block is not None:
        return node.block.gathered(np.array(numbers))
    if isinstance(node, Progression):
        return node.rows(np.array(numbers))
    if type(node) is Take:
        return rows(node.source, numbers)
    if type(node) is Skip:
        return rows(node.source, [number + node.number for number in numbers])
    if type(node) is Shard:
        return rows(node.source, [number * node.number + node.index for number in numbers])
    if type(node) is Repeat and node.source.cardinality > 0:
        return rows(node.source, [number % node.source.cardinality for number in numbers])
    if type(node) is Concatenate:
        return _of_either(*node.halves, numbers)
    if isinstance(node, Batch | PaddedBatch):
        return _batches(node, numbers)
    if type(node) is Zip:
        parts = [rows(each, numbers) for each in node.inputs]
        return Block(tuple([column for part in parts for column in part.columns]), len(numbers))
    if type(node) is Map and draws_nothing(node):
        found: list[Block] = []
        for outcome in Caller(node.calls, InvalidArgumentError).outcomes(rows(node.source, numbers)):
            if isinstance(outcome, Exception):
                raise NoRowsError("an element with an error")
            found.append(outcome)
        return joined(found)
    raise NoRowsError(f"the elements of a {node.label}")


def _of_either(first: Node, second: Node, numbers: Sequence[int]) -> Block:
    """Elements of two datasets, one behind the other."""
    size = first.cardinality
    if size < 0:
        return rows(first, numbers)
    places = [[at for at, number in enumerate(numbers) if (number < size) is is_first] for is_first in (True, False)]
    found: list[Block] = []
    for node, start, part in zip((first, second), (0, size), places, strict=True):
        if part:
            found.append(rows(node, [numbers[at] - start for at in part]))
    return joined(found).gathered(np.argsort([*places[0], *places[1]]))


def _batches(node: AnyBatch, numbers: Sequence[int]) -> Block:
    """Batches, each of its own elements."""
    size = node.source.cardinality
    made: list[list[object]] = []
    for number in numbers:
        start, stop = number * node.size, (number + 1) * node.size
        block = rows(node.source, range(start, stop if size < 0 else min(stop, size)))
        try:
            made.append(node.made([entries(column) for column in block.columns]))
        except OpError as bad:
            raise NoRowsError("a batch with an error") from bad
    return Block(tuple([column_of(column) for column in zip(*made, strict=True)]), len(made))
