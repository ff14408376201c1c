"""Datasets of the elements for which a function is true: `filter`, `take_while`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.types.dtype import bool_
from tfcompat._data.blocks.block import Block
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.user_function import UserFunction
from tfcompat._data.functional.mapping import Called, Functional, shares_rows
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import UNKNOWN, Node


class Filter(Functional):
    """The elements for which a function is true.

    Raises: ValueError unless it returns a scalar of dtype bool.
    """

    label = "_FilterDataset"

    def __init__(self, source: Node, predicate: Any, label: str) -> None:
        found = UserFunction(label, predicate, [source.structure], is_spread=True, shares_rows=shares_rows(source))
        spec = found.structure.spec
        if not (isinstance(spec, TensorSpec) and spec.is_compatible_with(TensorSpec([], bool_))):
            raise ValueError(
                "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is "
                f"{spec}."
            )
        self.calls = Calls(found)
        super().__init__(source, is_pure=self.calls.is_pure)

    def count(self) -> int:
        return UNKNOWN

    def cursor(self) -> Cursor:
        return _Filtered(self.source.cursor(), self.calls)


class TakeWhile(Filter):
    """The elements before the first for which a function is false."""

    label = "_TakeWhileDataset"

    def cursor(self) -> Cursor:
        return _TakenWhile(self.source.cursor(), self.calls)


class _Filtered(Called):
    def _results(self, block: Block) -> list[Block | Exception]:
        found: list[Block | Exception] = []
        start = 0
        for outcome in self._caller.outcomes(block):
            if isinstance(outcome, Exception):
                found.append(outcome)
                start += 1
                continue
            mask: Any = outcome.columns[0]
            places = np.flatnonzero(mask)
            if len(places) == block.count:
                return [block]
            if len(places):
                found.append(block.gathered(start + places))
            start += outcome.count
        return found


class _TakenWhile(Called):
    saved = (*Called.saved, "_has_ended")

    def __init__(self, cursor: Cursor, calls: Calls) -> None:
        super().__init__(cursor, calls)
        self._has_ended = False

    def read(self, most: int) -> Block | None:
        return None if self._has_ended and not self._left else super().read(most)

    def _results(self, block: Block) -> list[Block | Exception]:
        if self._has_ended:
            return []
        found: list[Block | Exception] = []
        start = 0
        for outcome in self._caller.outcomes(block):
            if isinstance(outcome, Exception):
                found.append(outcome)
                start += 1
                continue
            mask: Any = outcome.columns[0]
            count = outcome.count if mask.all() else int(np.argmin(mask))
            if count:
                found.append(block.part(start, start + count))
            if count < outcome.count:
                self._has_ended = True
                break
            start += outcome.count
        return found
