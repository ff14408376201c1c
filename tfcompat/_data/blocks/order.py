"""The random numbers of datasets: seeds of epochs, the order of `shuffle`, the choices of `sample_from_datasets`.

All are words of Philox streams (`tfcompat._ops.random.host_stream`).
"""

from __future__ import annotations

import operator
import os
import threading
from typing import Any

import numpy as np

from tfcompat._core.tracing.trace import here
from tfcompat._ops.random import philox
from tfcompat._ops.random.host_stream import HostStream
from tfcompat._random.seed import global_seed, next_pair

Array = np.ndarray[Any, Any]
Pair = tuple[int, int]

# The number of words that are drawn at once, and the words of a block of Philox.
_AT_ONCE, _BLOCK = 4096, 4


def _seeds_of(seed: Any) -> Pair:
    """The seeds of a dataset with the argument `seed`; if that is None, it takes one from the program's count.

    In a function that is being traced, it takes the number of an op without a seed.
    """
    if seed is None and here.graph is not None and global_seed() is not None:
        seed = here.graph.next_number()
    pair = next_pair(None if seed is None else operator.index(seed))
    if pair is None:
        chance = os.urandom(8)
        return int.from_bytes(chance[:4], "little"), int.from_bytes(chance[4:], "little")
    return pair


class Epochs:
    """The count of iterations of a dataset, each of which has seeds of its own unless `is_fixed`.

    Attributes:
      seeds: those of the dataset.
      has_seed: whether they follow from the argument `seed` or the global seed.
    """

    def __init__(self, seed: Any, is_fixed: bool) -> None:
        self.count = 0
        self.seeds = _seeds_of(seed)
        self.has_seed = seed is not None or global_seed() is not None
        self.is_fixed = is_fixed
        self._lock = threading.Lock()

    def next(self) -> tuple[int, Pair]:
        """The number of the iteration that begins, 0 if all have the same seeds, and its seeds."""
        if self.is_fixed:
            return 0, self.seeds
        with self._lock:
            epoch = self.count
            self.count += 1
        first, second = words(self.seeds, 2 * epoch, 2)
        return epoch, (int(first), int(second))


def are_seeds(value: Any) -> bool:
    """Whether `value`, which may come from a file, is a pair of seeds."""
    return type(value) is tuple and len(value) == 2 and all(map(_is_word, value))


def _is_word(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 64


def words(seeds: Pair, first: int, count: int) -> Array:
    """`count` words of a stream from the `first` on, uint32."""
    block, offset = divmod(first, _BLOCK)
    stream = HostStream(seeds[0], 0, seeds[1])
    return stream.blocks(block, -(-(offset + count) // _BLOCK)).reshape(-1)[offset : offset + count]


class Words:
    """The words of a stream in order."""

    def __init__(self, seeds: Pair) -> None:
        self.seeds = seeds
        self._first = 0
        self._drawn = np.zeros(0, np.uint32)

    def part(self, first: int, count: int) -> Array:
        """`count` words from the `first` on."""
        start = first - self._first
        if start < 0 or start + count > len(self._drawn):
            left = self._drawn[start:] if start >= 0 else self._drawn[:0]
            behind = words(self.seeds, first + len(left), max(count - len(left), _AT_ONCE))
            self._first, start = first, 0
            self._drawn = np.concatenate((left, behind))
        return self._drawn[start : start + count]


class Order:
    """The order in which a buffer of `size` places is emptied and filled: TensorFlow's `shuffle`.

    Element n is put into the slot `n % size`. A draw at time t takes one of the filled slots, which are those from
    `t % size` on, and moves the element of the first of them there. So elements form a line: each draw swaps the
    first one with another and takes it, and a new one is put behind the last.

    Attributes:
      at: the number of draws.
      size: the number of slots.
      _line: for each element, its place in the memory of whoever holds the elements; from `_begin` on.
    """

    def __init__(self, seeds: Pair, slots: list[int], filled: int, at: int = 0) -> None:
        """`slots`: for each slot, the place of its element; `filled` of them hold one."""
        self.at = at
        self.size = len(slots)
        self._words = Words(seeds)
        front = at % max(1, self.size)
        self._line = [*slots[front:], *slots[:front]][:filled]
        self._begin = 0

    @property
    def seeds(self) -> Pair:
        """The seeds of the draws."""
        return self._words.seeds

    @property
    def slots(self) -> list[int]:
        """For each slot, the place of its element; 0 if it holds none."""
        line = self._line[self._begin :]
        line += [0] * (self.size - len(line))
        back = self.size - self.at % max(1, self.size)
        return [*line[back:], *line[:back]]

    def exchange(self, places: list[int]) -> list[int]:
        """Puts one new element into the buffer before each draw, in `places`; returns the places that were drawn."""
        # An exception of a signal handler may have left new elements there.
        self._line[self._begin + self.size - 1 :] = places
        return self._draw(self._words.part(self.at, len(places)) % np.uint32(self.size))

    def drain(self, count: int) -> list[int]:
        """Draws `count` elements without new ones."""
        filled = len(self._line) - self._begin
        sizes = np.arange(filled, filled - count, -1, dtype=np.uint32)
        return self._draw(self._words.part(self.at, count) % sizes)

    def _draw(self, distances: Array) -> list[int]:
        """Draws elements, each so far behind the first one of its time."""
        line, begin, end = self._line, self._begin, self._begin + len(distances)
        for first, chosen in enumerate((distances + np.arange(begin, end)).tolist(), begin):
            line[first], line[chosen] = line[chosen], line[first]
        found = line[begin:end]
        self.at += len(found)
        self._begin = end
        if end > self.size:
            del line[:end]
            self._begin = 0
        return found


def chosen_classes(bounds: Array, seeds: Array) -> Array:
    """For each row of `seeds`, the class that `tf.random.stateless_categorical` draws for one row of logits.

    `bounds` are the sums of the classes' odds, cumulated.
    """
    key0, key1, low, high = philox.scrambling_words(np.ascontiguousarray(seeds.T).astype(np.uint64))
    zero = np.zeros(len(seeds), np.uint32)
    first, second, _, _ = philox.philox((key0, key1), (zero, zero, low, high))
    bits = ((first.astype(np.uint64) & np.uint64(0xFFFFF)) << np.uint64(32)) | second.astype(np.uint64)
    sought = bits.astype(np.float64) * 2.0**-52 * bounds[-1]
    return np.searchsorted(bounds, sought, side="right").astype(np.int64)
