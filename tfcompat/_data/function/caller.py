"""Calls of a user's function by one iterator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.system.error import InternalError, InvalidArgumentError, OpError, OutOfRangeError
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.component import Dense
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.row import outcomes
from tfcompat._data.function.stream import Streams
from tfcompat._jaxpr.host.memory import keep_freed_memory


class Caller:
    """Calls of a user's function by one iterator."""

    def __init__(self, calls: Calls, ended: type[OpError] = InternalError) -> None:
        """`ended` is the class of the error of an element whose function met the end of a sequence."""
        keep_freed_memory()
        self._calls = calls
        self._ended = ended
        self._streams = Streams(calls.plan)
        self._dims: list[Any] = []
        if calls.trace.sizes is not None:
            self._dims = [_dims_of(part) for part in calls.function.structure.components]

    def save(self) -> Any:
        """The positions in the random streams."""
        return self._streams.save()

    def restore(self, state: Any) -> None:
        """Returns to positions that `save` of a caller of the same function returned."""
        self._streams.restore(state)

    def go_on_after(self, earlier: Caller) -> None:
        """Shares the random streams of another caller of the function."""
        self._streams = earlier._streams

    def outcomes(self, block: Block) -> list[Block | Exception]:
        """The results of the elements of `block`: blocks of results, and the errors of elements, in order."""
        found = outcomes(self._calls.present(), self._streams, block)
        if any(dims is not None for dims in self._dims):
            found = [part for each in found for part in self._checked(each)]
        # For readers, OutOfRangeError is the end of the dataset.
        return [self._ended.of(each.message) if isinstance(each, OutOfRangeError) else each for each in found]

    def _checked(self, found: Block | Exception) -> list[Block | Exception]:
        """`found`, with errors in place of elements whose shapes do not fit the type of the results."""
        if isinstance(found, Exception):
            return [found]
        errors: dict[int, Exception] = {}
        for place, (dims, column) in enumerate(zip(self._dims, found.columns, strict=True)):
            if dims is None or (isinstance(column, np.ndarray) and _fits(dims, column.shape[1:])):
                continue
            for row, shape in enumerate(map(np.shape, column)):
                if not _fits(dims, shape):
                    wanted = ",".join("?" if size is None else str(size) for size in dims)
                    errors[row] = InvalidArgumentError.of(
                        f"Incompatible shapes at component {place}: expected [{wanted}] but got {list(shape)}."
                    )
        if not errors:
            return [found]
        return [errors[row] if row in errors else found.part(row, row + 1) for row in range(found.count)]


def _dims_of(part: Any) -> list[int | None] | None:
    """The sizes of a tensor of known rank."""
    return part.spec.shape.as_list() if isinstance(part, Dense) and part.spec.shape.rank is not None else None


def _fits(dims: Sequence[int | None], shape: Sequence[int]) -> bool:
    if len(dims) != len(shape):
        return False
    return all(size is None or size == given for size, given in zip(dims, shape, strict=True))
