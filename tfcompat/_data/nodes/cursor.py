"""Cursors: how the stages of a pipeline pass elements on.

A cursor is a place in a dataset. `read(most)` returns a block with at least one and at most `most` of the next
elements, or None at the end; a stage computes them from blocks of the cursors of its inputs. The reader decides how
much is computed: a stage reads no more of its input than it needs for the elements that it was asked for, so that no
generator is run ahead. `Rows` keeps elements that were read and not used.

An error belongs to one element. `read` raises it when that element is the next: a stage that meets it after other
elements returns those first, and raises at the next call (`Postponed`). After an error the cursor continues with the
element behind. A stage that computes a whole block at once, such as a map, and fails, therefore computes the rows of
the block again, one by one: it returns those before the bad row, keeps those behind it, and raises at the next call.

`save` returns the place as a structure of Python values, arrays and blocks; `restore` makes a new cursor of the same
dataset continue there. What holds a thread or a file releases it when the cursor is deleted. A cursor is read by one
thread at a time, which need not be the user's: it computes on NumPy arrays, and records no ops.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from tfcompat._data.blocks.block import Block, joined


class Cursor(ABC):
    """A place in a dataset.

    Attributes:
      saved: the names of the attributes that are the place: values, arrays, blocks, cursors.
    """

    saved: tuple[str, ...] = ()

    @abstractmethod
    def read(self, most: int) -> Block | None:
        """The next elements, at most `most`; None at the end. Raises the error of the next element."""

    def inputs(self) -> list[Cursor]:
        """The cursors that this one reads."""
        found: list[Cursor] = []
        for value in vars(self).values():
            if isinstance(value, Cursor):
                found.append(value)
            elif isinstance(value, list) and _holds_cursors(value):
                found += [each for each in value if each is not None]
        return found

    def close(self) -> None:
        """Releases its resources before its last reference is dropped. It is not read after that."""
        for cursor in self.inputs():
            cursor.close()

    def save(self) -> Any:
        """The place."""
        return {name: _saved(getattr(self, name)) for name in self.saved}

    def restore(self, state: Any) -> None:
        """Continues at the place `state`, which a cursor of the same dataset returned.

        Raises: TypeError, ValueError or LookupError for many other ones; then the place is undefined.
        """
        for name in self.saved:
            setattr(self, name, _restored(getattr(self, name), state[name]))
        if not self.is_possible():
            raise ValueError(f"no cursor {type(self).__name__} has such a place")

    def is_possible(self) -> bool:
        """Whether reading may have led to the place. With others, which files may hold, reading may never end."""
        return True

    def look_ahead(self) -> None:
        """Begins the repetitions that TensorFlow begins before they are asked for, since it reads ahead."""
        for cursor in self.inputs():
            cursor.look_ahead()

    def read_ahead(self, most: int) -> None:
        """Reads the next elements, at most `most`, if a dataset that reads ahead has none: its reader has time now."""
        del most

    def ends_silently(self) -> bool:
        """Whether nothing but the end is to be expected of the next read, after the last element."""
        return all(cursor.ends_silently() for cursor in self.inputs())

    def go_on_after(self, earlier: Cursor) -> None:
        """Takes over the random streams of a cursor of the same dataset, as repetitions in one iterator do."""
        for own, other in zip(self.inputs(), earlier.inputs(), strict=False):
            if type(own) is type(other):
                own.go_on_after(other)


class Empty(Cursor):
    """The end of a dataset."""

    def read(self, most: int) -> Block | None:
        del most
        return None


class Late(Cursor):
    """A cursor that is made at its first read, as TensorFlow makes some: shuffled datasets below it begin only then.

    Attributes:
      make: makes it.
    """

    def __init__(self, make: Callable[[], Cursor]) -> None:
        self._make = make
        self._made: Cursor | None = None
        # The cursor whose random streams it takes over.
        self._earlier: Cursor | None = None

    def _begun(self) -> Cursor:
        found = self._made
        if found is None:
            found = self._made = self._make()
            if self._earlier is not None:
                found.go_on_after(self._earlier)
                self._earlier = None
        return found

    def read(self, most: int) -> Block | None:
        return self._begun().read(most)

    def save(self) -> Any:
        return self._begun().save()

    def restore(self, state: Any) -> None:
        self._begun().restore(state)

    def look_ahead(self) -> None:
        if self._made is not None:
            self._made.look_ahead()

    def ends_silently(self) -> bool:
        return self._made is not None and self._made.ends_silently()

    def go_on_after(self, earlier: Cursor) -> None:
        before = earlier._made if isinstance(earlier, Late) else None
        if before is not None and self._made is None:
            self._earlier = before
        elif before is not None and self._made is not None:
            self._made.go_on_after(before)


class Rows(Cursor):
    """The elements of another cursor, of which some may be put back."""

    saved = ("_cursor", "_left")

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._left: Block | None = None

    def is_possible(self) -> bool:
        return self._left is None or isinstance(self._left, Block)

    def read(self, most: int) -> Block | None:
        left = self._left
        if left is None:
            found = self._cursor.read(most)
            if found is None or found.count <= most:
                return found
            left = found
        self._left = None if left.count <= most else left.part(most, left.count)
        return left.part(0, most)

    def put_back(self, block: Block) -> None:
        """Makes `block`, which was read last, the next elements again."""
        self._left = block if self._left is None else joined((block, self._left))


class Postponed(Cursor):
    """A stage that may meet an error after elements that it has to return first."""

    def __init__(self) -> None:
        self._error: Exception | None = None

    def read(self, most: int) -> Block | None:
        error, self._error = self._error, None
        if error is not None:
            raise error
        return self._read(most)

    @abstractmethod
    def _read(self, most: int) -> Block | None:
        """As `read`; it may keep an error of a later element in `_error`."""


def _holds_cursors(values: list[Any]) -> bool:
    """Whether `values` are cursors, or None. They are of one kind, so the first decides: some lists are long."""
    return isinstance(next((each for each in values if each is not None), None), Cursor)


def _saved(value: Any) -> Any:
    if isinstance(value, Cursor):
        return value.save()
    if isinstance(value, list):
        return [_saved(each) for each in value]
    if isinstance(value, np.ndarray):
        return value.copy()
    return value


def _restored(current: Any, state: Any) -> Any:
    """The part `state` of a place, which replaces `current`. Raises TypeError if it is of another kind."""
    kind = next((kind for kind in (bool, int, list) if isinstance(current, kind)), None)
    if kind is not None and (not isinstance(state, kind) or (kind is int and isinstance(state, bool))):
        raise TypeError(f"a part of a place is a {type(state).__name__}, not a {kind.__name__}")
    if isinstance(current, Cursor):
        current.restore(state)
        return current
    if isinstance(current, list) and _holds_cursors(current):
        return [_restored(each, part) for each, part in zip(current, cast(list[Any], state), strict=True)]
    return _saved(state)
