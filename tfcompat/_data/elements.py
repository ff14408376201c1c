"""The elements of a dataset for its iterators: read in blocks, and handed out one by one.

A signal handler that raises may interrupt a read between any two instructions, where cursors have taken elements from
their inputs that they have not returned yet. These elements would be lost. So the next read begins again, and passes
over as many elements as were handed out; if reading has effects, it continues where the cursors are.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from tfcompat._core.error import DataLossError
from tfcompat._core.location import exception_of_handler, is_raised_by_handler
from tfcompat._data.block import Block
from tfcompat._data.growth import Growth
from tfcompat._data.kernel_state import NoStateError, kernel_messages
from tfcompat._data.node import Node
from tfcompat._data.order import Epochs

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
    """

    def __init__(self, node: Node, convert: Callable[[Block], list[Any]]) -> None:
        self._node = node
        self._convert = convert
        self._begin: Any = None
        self._epochs = [(each, each.count) for each in _epochs(node)]
        self._cursor = node.cursor()
        self._growth = Growth(node.is_pure)
        self._block: Block | None = None
        self._ready: list[Any] = []
        self._before: int | None = 0
        self._at = self._passed = self._errors = 0
        self._has_ended = self._is_reading = False
        self._lock = threading.Lock()

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
                self._is_reading = True
                self._cursor.look_ahead()
                self._is_reading = False
            return (element,)

    def _advance(self) -> bool:
        if self._has_ended:
            return False
        self._require_whole()
        self._is_reading = True
        try:
            block = self._read(self._growth.number)
            ready: list[Any] = []
            if block is not None:
                self._growth.saw(block)
                ready = self._convert(block)
        except Exception as error:
            self._is_reading = is_raised_by_handler(error)
            self._errors += not self._is_reading
            raise
        # No signal handler runs in between, as nothing is called.
        self._passed += self._at
        self._block, self._ready, self._at = block, ready, 0
        self._has_ended, self._is_reading = block is None, False
        return block is not None

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
        if not (self._is_reading and self._node.is_pure):
            return
        number, later = self._passed + self._at, [each.count for each, _ in self._epochs]
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
        """The place."""
        with self._lock:
            self._require_whole()
            block = self._block
            left = None if block is None or self._at == block.count else block.part(self._at, block.count)
            place = {"cursor": self._cursor.save(), "left": left, "has_ended": self._has_ended}
            return {**place, "number": self._number()}

    def _number(self) -> int | None:
        """The number of elements that were handed out; None if some had errors."""
        return None if self._before is None or self._errors else self._before + self._passed + self._at

    def kernel_messages(self) -> list[bytes]:
        """The place as TensorFlow saves it. Raises NoStateError if that is not known."""
        with self._lock:
            number = self._number()
            if number is None:
                raise NoStateError("an element with an error")
            return kernel_messages(self._node, number, self._cursor)

    def restore(self, state: Any) -> None:
        """Continues at the place `state`."""
        with self._lock:
            self._cursor.restore(state["cursor"])
            self._before = state.get("number")  # places of earlier versions do not have it
            self._begin, self._epochs = state, [(each, each.count) for each in _epochs(self._node)]
            self._block = state["left"]
            self._ready = [] if self._block is None else self._convert(self._block)
            self._at = self._passed = self._errors = 0
            self._has_ended, self._is_reading = state["has_ended"], False


def _epochs(node: Node) -> Iterator[Epochs]:
    """The counts of iterations of `node` and of the datasets that it reads."""
    found = getattr(node, "epochs", None)
    if isinstance(found, Epochs):
        yield found
    for each in node.inputs:
        yield from _epochs(each)
