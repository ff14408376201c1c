"""Datasets that hold elements: `cache`, `window`, `unique`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.system.error import DataLossError, InvalidArgumentError
from tfcompat._core.types.dtype import int32, int64, string
from tfcompat._data.blocks.block import Block, Column, entries, joined
from tfcompat._data.blocks.dataset_spec import DatasetSpec
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.nodes.cursor import Cursor, Rows
from tfcompat._data.nodes.node import UNKNOWN, Node, Unary, flag, positive
from tfcompat._data.nodes.source import Held, HeldCursor


class Cache(Unary):
    """The elements of the first iteration that reaches the end, for all later ones.

    Attributes:
      kept: those elements, once there are some; None inside means that there were none.
    """

    label = "CacheDataset"

    def __init__(self, source: Node) -> None:
        super().__init__(source)
        self.kept: tuple[Block | None] | None = None

    def count(self) -> int:
        return self.source.cardinality

    def cursor(self) -> Cursor:
        return _Cached(self)


class _Cached(Cursor):
    """Reads the input until the cache is filled, or else the cache.

    Attributes:
      _parts: the elements that were read of the input; elements with errors are not kept.
      _is_restored: whether it began at a place that was saved.
    """

    saved = ("_cursor", "_parts", "_has_ended")

    def __init__(self, node: Cache) -> None:
        self._node = node
        self._is_filled = node.kept is not None
        self._cursor = node.source.cursor() if node.kept is None else HeldCursor(node.kept[0])
        self._parts: list[Block] = []
        self._has_ended = self._is_restored = False

    def read(self, most: int) -> Block | None:
        if self._has_ended:
            return None
        block = self._cursor.read(most)
        if block is not None:
            if not self._is_filled:
                self._parts.append(block)
            return block
        self._has_ended = True
        if not self._is_filled:
            kept = (joined(self._parts) if self._parts else None,)
            if self._is_restored and not self._is_whole(kept):
                raise DataLossError.of("The place of an iterator is corrupted: it lacks elements of a cache.")
            self._node.kept = kept
            self._parts = []
        return None

    def look_ahead(self) -> None:
        """Fills the cache with the last element, if it is known to be that, as TensorFlow does."""
        count = self._node.source.cardinality
        if not self._is_filled and count > 0 and sum(part.count for part in self._parts) == count:
            self._parts = [joined(self._parts)]
            self._node.kept = (self._parts[0],)
        super().look_ahead()

    def _is_whole(self, kept: Any) -> bool:
        """Whether `kept`, which may come from a file, is the content of the cache."""
        if not (type(kept) is tuple and len(kept) == 1 and isinstance(kept[0], Block | None)):
            return False
        count, cardinality = 0 if kept[0] is None else kept[0].count, self._node.source.cardinality
        return cardinality < 0 or count == cardinality

    def is_possible(self) -> bool:
        return all(isinstance(each, Block) for each in self._parts)

    def ends_silently(self) -> bool:
        return self._is_filled or self._has_ended

    def save(self) -> Any:
        """The place, with the elements in the cache."""
        return {**super().save(), "kept": self._node.kept, "is_filled": self._is_filled}

    def restore(self, state: Any) -> None:
        self._is_filled, kept = state["is_filled"], state["kept"]
        if type(self._is_filled) is not bool or (self._is_filled if kept is None else not self._is_whole(kept)):
            raise ValueError("no cache has this content")
        if self._node.kept is None:
            self._node.kept = kept
        self._cursor = HeldCursor(self._node.kept[0]) if self._is_filled else self._node.source.cursor()  # pyright: ignore[reportOptionalSubscript]
        super().restore(state)
        self._is_restored = True


class Window(Unary):
    """Datasets of `size` elements at a distance of `stride`, each beginning `shift` elements after the last."""

    label = "_WindowDataset"

    def __init__(self, source: Node, size: Any, shift: Any, stride: Any, drop_remainder: Any) -> None:
        specs = [DatasetSpec(spec) for spec in source.structure.specs]
        super().__init__(source, source.structure.like(specs))
        self.size = positive(size, "size", "Window size must be greater than zero.")
        shift = self.size if shift is None else shift
        self.shift = positive(shift, "shift", "Window shift must be greater than zero.")
        self.stride = positive(stride, "stride", "Window stride must be greater than zero.")
        self.drop_remainder = flag(drop_remainder, "drop_remainder")
        self.parts = [Structure(spec) for spec in source.structure.specs]

    @property
    def span(self) -> int:
        """The number of elements from the first of a window to the last."""
        return (self.size - 1) * self.stride + 1

    def count(self) -> int:
        given = self.source.cardinality
        if given < 0:
            return given
        number = given - self.span + 1 if self.drop_remainder else given
        return max(0, -(-number // self.shift))

    def cursor(self) -> Cursor:
        return _Windows(self)


class _Windows(Cursor):
    """Reads the elements of some windows, and keeps those that later ones need.

    Attributes:
      _ahead: the number of elements before the next window.
    """

    saved = ("_rows", "_ahead")

    def __init__(self, node: Window) -> None:
        self._node = node
        self._rows = Rows(node.source.cursor())
        self._ahead = 0

    def is_possible(self) -> bool:
        return 0 <= self._ahead <= self._node.shift + self._node.span

    def read(self, most: int) -> Block | None:
        node = self._node
        wanted = self._ahead + node.span + (most - 1) * node.shift
        block = self._gather(self._ahead + node.span, wanted)
        if block is None or block.count <= self._ahead:
            return None
        made: list[list[Any]] = []
        start = self._ahead
        while start < block.count and len(made) < most:
            is_full = start + node.span <= block.count
            if not is_full and (node.drop_remainder or (made and block.count == wanted)):
                break
            made.append(self._window(block.part(start, start + node.span)))
            start += node.shift
        if start < block.count:
            self._rows.put_back(block.part(start, block.count))
        self._ahead = max(0, start - block.count)
        return Block(tuple([list(column) for column in zip(*made, strict=True)]), len(made)) if made else None

    def _gather(self, least: int, most: int) -> Block | None:
        """At least `least` elements, if there are as many."""
        parts: list[Block] = []
        count = 0
        while count < least:
            try:
                block = self._rows.read(most - count)
            except Exception:
                # The bad element is one of the window, which is passed over.
                self._ahead = max(0, self._ahead + self._node.shift - count - 1)
                raise
            if block is None:
                break
            parts.append(block)
            count += block.count
        return joined(parts) if parts else None

    def _window(self, block: Block) -> list[Any]:
        part = block.every(self._node.stride, 0)
        pairs = zip(self._node.parts, part.columns, strict=True)
        return [Held("_VariantDataset", structure, Block((column,), part.count)) for structure, column in pairs]


class Unique(Unary):
    """The elements that are not equal to an earlier one."""

    label = "_UniqueDataset"

    def __init__(self, source: Node) -> None:
        super().__init__(source)
        for spec in source.structure.specs:
            dtype = getattr(spec, "dtype", None)
            if dtype not in (int32, int64, string):
                raise TypeError(
                    f"`tf.data.Dataset.unique` does not support type {dtype!r} -- only `tf.int32`, `tf.int64`, and "
                    "`tf.string` are supported."
                )
        if len(source.structure.specs) != 1:
            raise InvalidArgumentError.of("UniqueDataset only supports inputs with a single component.")

    def count(self) -> int:
        return UNKNOWN

    def cursor(self) -> Cursor:
        return _Unique(self.source.cursor())


class _Unique(Cursor):
    saved = ("_cursor", "_seen")

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._seen: frozenset[Any] | set[Any] = set()

    def read(self, most: int) -> Block | None:
        seen: Any = self._seen
        while (block := self._cursor.read(most)) is not None:
            new: list[int] = []
            for place, key in enumerate(_keys(block.columns[0])):
                if key not in seen:
                    seen.add(key)
                    new.append(place)
            if new:
                return block.gathered(np.array(new))
        return None

    def save(self) -> Any:
        return {**super().save(), "_seen": frozenset(self._seen)}

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._seen = set(self._seen)


def _keys(column: Column) -> list[Any]:
    """Hashable values that are equal where the entries are."""
    if isinstance(column, np.ndarray) and column.ndim == 1:
        return column.tolist()
    return [(entry.shape, tuple(entry.ravel().tolist())) for entry in entries(column)]
