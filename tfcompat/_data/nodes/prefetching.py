"""Datasets that are read ahead by a thread: `prefetch`.

Elements that take less time than a change of threads are read when they are asked for, if that cannot be observed, or
while the program of a function that has taken the last one runs. The thread starts once they take longer.

The thread holds the cursor of the input and a queue, but not the cursor that is read. When that is deleted, or at the
end of the process, its finalizer stops the thread, and waits for it unless it is in a long computation of the user's.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from contextlib import suppress
from itertools import starmap
from queue import Empty, SimpleQueue
from typing import Any

from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.system.location import is_raised_by_handler
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.growth import Growth
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import Node, Unary, integer
from tfcompat._jaxpr.postponement import postponed

AUTOTUNE = -1
# The name of the thread.
THREAD = "tfcompat-prefetch"

# The number of elements that are held if the user does not choose.
_USUAL = 16
# The seconds that a reader loses when a thread gives it an element.
_HANDOVER = 50e-6
# The thread starts once the reader has lost this many seconds more than threads would have taken. It is more than the
# first reads after the very first one take, in which functions are computed for blocks of other sizes.
_LOSS = 20e-3
# How long a thread that is stopped is waited for, in seconds.
_PATIENCE = 2.0


class Prefetch(Unary):
    """The elements of the input, of which `size` are read before they are asked for."""

    label = "_PrefetchDataset"

    def __init__(self, source: Node, size: Any) -> None:
        super().__init__(source)
        self.size = AUTOTUNE if size is None else integer(size, "buffer_size")
        if self.size < AUTOTUNE:
            raise InvalidArgumentError.of("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")

    def count(self) -> int:
        return self.source.cardinality

    def cursor(self) -> Cursor:
        # A thread would gain nothing for the only element, which the reader waits for.
        has_more = not self.source.is_pure or self.source.cardinality not in (0, 1)
        return _Prefetched(self) if self.size and has_more else self.source.cursor()


class _Queue:
    """The state that the thread and the reader share.

    An interrupt of the reader, between any two calls, loses nothing and leaves no lock: a condition would stay locked.

    Attributes:
      held: blocks and errors that were read; None at the end.
      is_stopped: whether the thread is to end.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.held: deque[Block | BaseException | None] = deque()
        self.is_stopped = False
        # Something is in these after each change, so that waiting for it ends.
        self._added: SimpleQueue[None] = SimpleQueue()
        self._removed: SimpleQueue[None] = SimpleQueue()

    def put(self, item: Block | BaseException | None) -> bool:
        """Adds `item`, and waits until there is room for more. False if the thread is to end."""
        self.held.append(item)
        self._added.put(None)
        while True:
            while not self._removed.empty():
                self._removed.get()
            if self.is_stopped:
                return False
            if self._count() < self._limit:
                return True
            self._removed.get()

    def _count(self) -> int:
        """The number of elements that are held."""
        while True:
            try:
                return sum(item.count if isinstance(item, Block) else 1 for item in self.held.copy())
            except RuntimeError:  # the reader took one in the middle of the copy
                continue

    def move(self, target: list[Block | BaseException | None]) -> None:
        """Moves the next item to the end of `target`; waits for it."""
        while not self.held:
            if self.is_stopped:
                target.append(None)
                self._added.put(None)
                return
            self._removed.put(None)  # an interrupt may have prevented it before
            self._added.get()
        # In one call of C code: an interrupt must not lose the end, which would be waited for.
        target.extend(starmap(self.held.popleft, ((),)))
        self._removed.put(None)
        with suppress(Empty):
            self._added.get_nowait()
        if target and target[-1] is None:
            self.stop()  # a signal handler may have read the end while the program waits for it

    def stop(self) -> None:
        """Lets the thread end."""
        self.is_stopped = True
        self._removed.put(None)
        self._added.put(None)


def _run(cursor: Cursor, queue: _Queue, growth: Growth) -> None:
    """Reads `cursor` to its end, or until the queue is stopped."""
    while True:
        item: Block | BaseException | None
        try:
            item = cursor.read(growth.number)
        except BaseException as error:  # the reader has to receive an exit, too
            item = error
        if isinstance(item, Block):
            growth.saw(item)
        if not queue.put(item) or item is None:
            return


def _stop(queue: _Queue, thread: threading.Thread) -> None:
    queue.stop()
    if thread is not threading.current_thread():
        thread.join(_PATIENCE)


class _Prefetched(Cursor):
    """Reads the input until reads are slow, and then from the queue of the thread, which it starts.

    Attributes:
      _left: items that were taken from the queue and not used, the next one last.
      _lost: the seconds that reading took, beyond those that a thread would have taken; None before the first read,
        which compiles functions and fills buffers.
    """

    def __init__(self, node: Prefetch) -> None:
        self._node = node
        self._cursor: Cursor = node.source.cursor()
        self._queue: _Queue | None = None
        self._left: list[Block | BaseException | None] = []
        self._has_ended = False
        self._lost: float | None = None if node.source.is_pure else _LOSS

    def read(self, most: int) -> Block | None:
        if self._has_ended:
            return None
        if not self._left:
            self._fill(most)
        item = self._left[-1]
        if isinstance(item, BaseException):
            self._left.pop()
            raise item
        if item is None:
            self._has_ended = True
            self._left.pop()
            return None
        found = item.part(0, most)
        if item.count > most:
            self._left[-1] = item.part(most, item.count)
        else:
            self._left.pop()
        return found

    def read_ahead(self, most: int) -> None:
        if self._queue is None and not self._left and not self._has_ended and self._is_fast():
            try:
                self._left.append(self._read_now(most))
            except Exception as error:  # raised when the element is asked for
                if is_raised_by_handler(error):
                    raise
                self._left.append(error)

    def _is_fast(self) -> bool:
        """Whether the input is read without a thread so far, and will be."""
        return self._lost is not None and self._lost < _LOSS

    def _fill(self, most: int) -> None:
        """Makes the next item the only one of `_left`."""
        if self._queue is None and (self._lost is None or self._is_fast()):
            self._left.append(self._read_now(most))
        else:
            (self._queue or self._started()).move(self._left)

    def _read_now(self, most: int) -> Block | None:
        began = time.perf_counter()
        block = self._cursor.read(most)
        if self._lost is None:
            self._lost = 0.0
        elif block is not None:
            self._lost = max(0.0, self._lost + time.perf_counter() - began - _HANDOVER * block.count)
        return block

    def _started(self) -> _Queue:
        """The queue of a new thread."""
        queue = _Queue(_USUAL if self._node.size == AUTOTUNE else self._node.size)
        growth = Growth(self._node.source.is_pure)
        thread = threading.Thread(target=_run, args=(self._cursor, queue, growth), name=THREAD, daemon=True)
        with postponed():  # an interrupt must not leave a thread behind that reads the input, too
            thread.start()
            self._finalizer = weakref.finalize(self, _stop, queue, thread)
            self._queue, self._thread = queue, thread
        return queue

    def close(self) -> None:
        if self._queue is not None:
            self._finalizer()
        super().close()

    def save(self) -> Any:
        """The place, with the elements that the thread has read. Waits for the one that it reads."""
        if self._queue is None:
            return {"ahead": list(self._left), "cursor": self._cursor.save(), "has_ended": self._has_ended}
        self._node.require_place()  # before the thread is stopped
        self._queue.stop()
        self._thread.join()
        self._finalizer.detach()
        self._left = [*reversed(self._queue.held), *self._left]
        self._queue = None
        return self.save()

    def restore(self, state: Any) -> None:
        if self._queue is not None:
            self._finalizer()
        self._queue = None
        self._left, self._has_ended = list(state["ahead"]), state["has_ended"]
        self._cursor.restore(state["cursor"])
