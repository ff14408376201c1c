"""The elements of a dataset for its iterators: read in blocks, and handed out one by one.

A signal handler that raises may interrupt a read between any two instructions, where cursors have taken elements from
their inputs that they have not returned yet. These elements would be lost. So the next read begins again, and passes
over as many elements as were handed out; if reading has effects, it continues where the cursors are.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfcompat._core.system.error import (
    DataLossError,
    FailedPreconditionError,
    InternalError,
    OutOfRangeError,
    ResourceExhaustedError,
)
from tfcompat._core.system.location import exception_of_handler, is_raised_by_handler
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.component import Dense
from tfcompat._data.blocks.growth import Growth
from tfcompat._data.blocks.order import Epochs
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.nodes.node import MOST_ELEMENTS, Node
from tfcompat._data.places.kernel_state import NoStateError, kernel_messages
from tfcompat._jaxpr.postponement import postponed

# The most elements that are passed over at once.
_PASSED_OVER = 4096


class Elements:
    """The elements of a dataset in the form that `convert` gives them.

    Attributes:
      _begin: the place where it began, if that is not the first element.
      _epochs: the counts of iterations before the first element, each with its value then.
      _block: the block that was read last.
      _ready: its elements.
      _before: the number of elements before that place; None if some had errors.
      _at: the number of those that were handed out; `_passed`: the number of elements before them.
      _errors: the number of elements that had errors.
      _is_reading: whether a read is in progress, or was interrupted.
      _is_foreign: whether other programs may have made up the place that was restored.
      _is_busy: whether one is in progress; a signal handler that saves the place may find it so.
    """

    def __init__(self, node: Node, convert: Callable[[Block], list[Any]]) -> None:
        self._node = node
        self._convert = convert
        self._begin: Any = None
        self._epochs = [(each, each.count) for each in epochs_of(node)]
        self._cursor = node.cursor()
        self._growth = Growth(node.is_pure)
        self._block: Block | None = None
        self._ready: list[Any] = []
        self._before: int | None = 0
        self._at = self._passed = self._errors = 0
        self._has_ended = self._is_reading = self._is_busy = self._is_foreign = False
        # A signal handler may save the place while its thread reads.
        self._lock = threading.RLock()

    def next(self) -> tuple[Any] | None:
        """The next element; None at the end."""
        with self._lock:
            if self._at == len(self._ready) and not self._advance():
                return None
            ready, at = self._ready, self._at
            element = ready[at]
            self._at = at + 1
            ready[at] = None
            if at + 1 == len(ready):
                self._look_ahead()
            return (element,)

    def read_ahead(self) -> None:
        """Reads the next elements if none is at hand and the dataset reads ahead."""
        with self._lock:
            if self._at == len(self._ready) and not (self._has_ended or self._is_reading):
                self._on_cursor(lambda cursor: cursor.read_ahead(self._growth.number))

    def _look_ahead(self) -> None:
        self._on_cursor(lambda cursor: cursor.look_ahead())

    def _on_cursor(self, act: Callable[[Any], None]) -> None:
        """Calls `act` with the cursor. If that is interrupted, the next read begins again."""
        cursor = self._cursor
        self._is_reading = self._is_busy = True
        try:
            act(cursor)
        finally:
            self._is_busy = False
        # A signal handler that has saved has begun the reading again.
        self._is_reading = cursor is not self._cursor

    def _advance(self) -> bool:
        """Reads the next block. False at the end."""
        while not self._has_ended:
            self._require_whole()
            if self._read_block():
                break
        return not self._has_ended

    def _read_block(self) -> bool:
        """Reads the next block, or the end. False if a signal handler has begun the reading again meanwhile."""
        cursor = self._cursor
        self._is_reading = self._is_busy = True
        try:
            block = self._read(self._growth.number)
            ready: list[Any] = []
            if block is not None:
                self._growth.saw(block)
                ready = self._convert(block)
                if self._is_foreign:
                    _require_fitting(block, self._node.structure)
        except Exception as error:
            is_whole = cursor is self._cursor and not is_raised_by_handler(error)
            self._is_reading = not is_whole
            self._errors += is_whole
            if self._is_foreign and isinstance(error, _UNFIT) and not is_raised_by_handler(error):
                raise DataLossError.of(f"The place that was restored is not one of this dataset: {error!r}") from error
            if is_whole and isinstance(error, OutOfRangeError):  # users take it for the end
                raise InternalError.of(f"The dataset returned `OutOfRange` before its end: {error.message}") from error
            if is_whole and isinstance(error, MemoryError):
                raise ResourceExhaustedError.of(f"not enough memory for elements: {error}") from error
            raise
        finally:
            self._is_busy = False
        # No signal handler runs from here on, as nothing is called.
        if cursor is not self._cursor:
            self._is_reading = True
            return False
        self._passed += self._at
        self._block, self._ready, self._at = block, ready, 0
        self._has_ended, self._is_reading = block is None, False
        return True

    def _read(self, most: int) -> Block | None:
        """As the cursor. The exception of a signal handler is not the error of an element that it was taken for."""
        try:
            return self._cursor.read(most)
        except Exception as error:
            raised = exception_of_handler(error)
            if raised is None or raised is error:
                raise
            raise raised from raised.__cause__

    def _require_whole(self) -> None:
        """Begins again after an interrupted read, if reading has no effects."""
        if self._is_reading and self._node.is_pure:
            # A handler must not find a half of the place; the user can end a long reading.
            with postponed(immediate=signal.default_int_handler):
                self._begin_again()

    def _begin_again(self) -> None:
        number, later = self._passed + self._at, [each.count for each, _ in self._epochs]
        self._cursor.close()  # the traceback of the interrupt may refer to it
        for each, count in self._epochs:
            each.count = count
        try:
            self._cursor, left = self._node.cursor(), 0
            if self._begin is not None:
                self._cursor.restore(self._begin["cursor"])
                left = 0 if self._begin["left"] is None else self._begin["left"].count
            self._pass_over_again(number - left)
        finally:
            # The interrupted read may have begun a repetition; other iterators have begun those behind it.
            for (each, _), count in zip(self._epochs, later, strict=True):
                each.count = count if count > each.count + 1 else each.count
        self._is_reading = False

    def _pass_over_again(self, number: int) -> None:
        """Reads the next `number` elements, and those with errors between them, which were handed out before."""
        errors = self._errors
        while number > 0:
            try:
                block = self._read(min(number, _PASSED_OVER))
            except Exception as error:
                if not errors or is_raised_by_handler(error):
                    raise
                errors -= 1
                continue
            if block is None:
                return
            number -= block.count

    def pass_over(self, number: int) -> None:
        """Reads the next `number` elements without handing them out. Raises DataLossError if there are fewer."""
        with self._lock:
            while number:
                block = self._cursor.read(min(number, _PASSED_OVER))
                if block is None:
                    raise DataLossError.of(f"The place is that of a longer dataset, which has {number} elements more")
                number -= block.count
                self._passed += block.count
            self._cursor.look_ahead()

    def save(self) -> Any:
        """The place.

        Raises: FailedPreconditionError in a signal handler that has interrupted a read with effects.
        """
        with self._lock, postponed():
            if self._is_busy and not self._node.is_pure:
                raise FailedPreconditionError.of(
                    "The place of an iterator cannot be saved in a signal handler while an element is read whose "
                    "function has effects; save it between two elements."
                )
            self._require_whole()
            block = self._block
            left = None if block is None or self._at == block.count else block.part(self._at, block.count)
            place = {"cursor": self._cursor.save(), "left": left, "has_ended": self._has_ended}
            return {**place, "number": self._number()}

    def _possible(self, number: Any) -> int | None:
        """The number of elements that were handed out. Raises ValueError for another value."""
        size = self._node.cardinality
        if number is None or (type(number) is int and 0 <= number <= (MOST_ELEMENTS if size < 0 else size)):
            return number
        raise ValueError(f"{number!r:.40} elements were handed out")

    def save_both(self) -> tuple[Any, list[bytes] | None]:
        """The place, and the same as TensorFlow saves it; None if that is not known."""
        with self._lock:
            place = self.save()
            if place["number"] is None:
                return place, None
            try:
                return place, kernel_messages(self._node, place["number"], self._cursor)
            except NoStateError:
                return place, None

    def _number(self) -> int | None:
        """The number of elements that were handed out; None if some had errors."""
        return None if self._before is None or self._errors else self._before + self._passed + self._at

    def restore(self, state: Any, is_foreign: bool = False) -> None:
        """Begins at the place `state`, before the first read; if it `is_foreign`, other programs may have made it up.

        Raises: TypeError, ValueError or LookupError for many places that reading does not bring about.
        """
        self._cursor.restore(state["cursor"])
        self._is_foreign = is_foreign
        self._before = self._possible(state.get("number"))  # places of earlier versions do not have it
        self._begin, self._epochs = state, [(each, each.count) for each in epochs_of(self._node)]
        self._block = state["left"]
        if self._block is not None and is_foreign:
            _require_fitting(self._block, self._node.structure)
        self._ready = [] if self._block is None else self._convert(self._block)
        if not isinstance(state["has_ended"], bool):
            raise TypeError("no iterator has ended in this way")
        self._has_ended = state["has_ended"]


# The errors of cursors at places that reading does not bring about. Those of functions of users have other classes.
_UNFIT = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, AssertionError)


def _require_fitting(block: Block, structure: Structure) -> None:
    """Raises ValueError unless `block` may hold elements of the type `structure`."""
    for part, column in zip(structure.components, block.columns, strict=True):
        if isinstance(part, Dense):
            dtype, shape = np.dtype(part.spec.dtype.as_numpy_dtype), part.spec.shape
            is_array = isinstance(column, np.ndarray)
            forms = [(column.dtype, column.shape[1:])] if is_array else [(each.dtype, each.shape) for each in column]
            if not all(found == dtype and shape.is_compatible_with(sizes) for found, sizes in forms):
                raise ValueError(f"an element is not a {part.spec}")


def epochs_of(node: Node) -> Iterator[Epochs]:
    """The counts of iterations of `node` and of the datasets that it reads."""
    found = getattr(node, "epochs", None)
    if isinstance(found, Epochs):
        yield found
    for each in node.inputs:
        yield from epochs_of(each)
