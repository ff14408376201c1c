"""The place of an iterator as TensorFlow saves it: the state of each of its kernels.

The states follow from the number of elements that the iterator has handed out. They are those of an iterator of
TensorFlow that has read nothing ahead. TensorFlow finds the state of a kernel by the names of the kernels around it,
after its optimizer has joined some, left out others, and added buffers; so the names here are those that it makes of
the pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfcompat._core.types.dtype import DType
from tfcompat._data.blocks.block import Block, entries
from tfcompat._data.blocks.component import Dense
from tfcompat._data.blocks.host_value import Array
from tfcompat._data.blocks.options import Options
from tfcompat._data.blocks.order import Order, words
from tfcompat._data.format.kernel_message import kernel_message
from tfcompat._data.functional.mapping import Map
from tfcompat._data.functional.padding import PaddedBatch
from tfcompat._data.functional.row_access import NoRowsError, draws_nothing, rows
from tfcompat._data.functional.shuffling import Shuffle, Shuffled, shuffled_in
from tfcompat._data.nodes.batching import AnyBatch, Batch
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.holding import Cache
from tfcompat._data.nodes.node import INFINITE, Node, Unary
from tfcompat._data.nodes.optioned import Optioned
from tfcompat._data.nodes.prefetching import Prefetch
from tfcompat._data.nodes.sequence import Concatenate, Repeat, Shard, Skip, Take
from tfcompat._data.nodes.shuffle_buffer import ShuffleBuffer
from tfcompat._data.nodes.source import Held, Progression
from tfcompat._data.nodes.zipping import Zip

_ROOT = "Iterator::Root"
# Kernels behind which TensorFlow adds no buffer, since they compute ahead themselves.
_AHEAD = ("Prefetch", "ParallelMapV2", "MapAndBatch", "ParallelBatch")
# The kernels of values in memory, by the labels of datasets.
_HELD = {"_TensorSliceDataset": "TensorSlice", "_TensorDataset": "FromTensor", "_ListDataset": "List"}
# What some keys begin with, before the name of the kernel: the same for every process.
_FULL_NAME = "60d899aa0d8ce4351e7c3b419e92d25b|"
# The most draws that are repeated for a place; some seconds.
_MOST_DRAWN = 1 << 26
# The most datasets of a concatenation whose kernels, one for each, have a state here.
_MOST_NESTED = 200
# The counter of an order that the program has not asked for.
_GLOBAL = "global_shuffle_iterator_next_index"

Values = Mapping[str, int | bytes | tuple[Array, DType]]


class NoStateError(Exception):
    """A pipeline, or a place in it, whose state in TensorFlow is not known."""


def kernel_messages(node: Node, number: int, cursor: Cursor) -> list[bytes]:
    """The messages of the kernels of an iterator of `node` that has handed out `number` elements, and reads `cursor`.

    Raises: NoStateError if TensorFlow's state is not known.
    """
    states = _States(node, cursor)
    try:
        states.add_root(node, number)
    except NoRowsError as missing:
        raise NoStateError(*missing.args) from missing
    return [kernel_message(name, values) for name, values in sorted(states.found.items())]


class _States:
    """The states of the kernels of a pipeline.

    Attributes:
      found: the states by the names of the kernels.
      _turns: the repetitions around the present kernel.
      _is_waiting: whether TensorFlow will begin the iteration of the present kernel once more.
    """

    def __init__(self, node: Node, cursor: Cursor) -> None:
        self.found: dict[str, Values] = {}
        self._cursors = shuffled_in(cursor)
        self._turns: list[int] = []
        self._is_waiting = False
        self._is_optimized, self._is_tuned = _settings(node.options)

    def add_root(self, node: Node, number: int) -> None:
        """Adds the state of the whole pipeline."""
        kernel = self._kernel(self._plain(node))
        prefix = _ROOT
        if self._is_optimized and self._is_tuned and kernel not in _AHEAD:
            prefix = f"{_ROOT}::Prefetch"
            self.found[prefix] = {"buffer_size": 0}
        self._add(node, number, prefix)

    def _plain(self, node: Node) -> Node:
        """The dataset whose kernel stands for `node` in TensorFlow.

        Raises: NoStateError for a transformation that changes nothing, unless TensorFlow leaves it out.
        """
        while isinstance(node, Unary) and (isinstance(node, Optioned) or node.transparent):
            if node.transparent and not self._is_optimized:
                raise NoStateError("a transformation without effect")
            node = node.source
        return node

    def _kernel(self, node: Node) -> str:
        """The name of the kernel for `node`."""
        for kind, name, _ in _KERNELS:
            if type(node) is kind:
                return name(self, node)
        raise NoStateError(f"a {node.label}")

    def _add(self, node: Node, number: int, prefix: str) -> None:
        """Adds the states of the kernels behind `prefix` that have handed out `number` elements of `node`."""
        node = self._plain(node)
        kernel = self._kernel(node)
        here = f"{prefix}::{kernel}"
        for kind, _, add in _KERNELS:
            if type(node) is kind:
                add(self, node, number, here)

    def _progression(self, node: Progression, number: int, here: str) -> None:
        self.found[here] = {"next": int(node.number_at(number)), _GLOBAL: 0}

    def _held_name(self, node: Held) -> str:
        if node.label not in _HELD or node.block is None:
            raise NoStateError(f"a {node.label}")
        return _HELD[node.label]

    def _held(self, node: Held, number: int, here: str) -> None:
        key = "produced" if node.label == "_TensorDataset" else f"{_FULL_NAME}{here}:index"
        self.found[here] = {key: number, _GLOBAL: 0}

    def _map_name(self, node: Map) -> str:
        if not draws_nothing(node):
            raise NoStateError("a function with effects, or with random numbers")
        return "ParallelMapV2" if node.calls.is_parallel or (self._is_optimized and self._is_tuned) else "Map"

    def _map(self, node: Map, number: int, here: str) -> None:
        if here.endswith("::ParallelMapV2"):
            self.found[here] = {"invocation_results_size": 0}
        self._add(node.source, number, here)

    def _batch_name(self, node: Batch) -> str:
        if node.label == "_ParallelBatchDataset":
            return "ParallelBatch"
        return "BatchV2" if self._fused_map(node) is None else "MapAndBatch"

    def _fused_map(self, node: Batch) -> Map | None:
        """The map that TensorFlow joins with the batches."""
        mapped = self._plain(node.source)
        if not isinstance(mapped, Map) or not self._is_optimized or node.label != "_BatchDataset":
            return None
        self._map_name(mapped)
        return mapped

    def _batch(self, node: Batch, number: int, here: str) -> None:
        if here.endswith("::BatchV2"):
            self._batches(node, number, here, "input_impl_empty")
            return
        mapped = self._fused_map(node)
        self.found[here] = {"batch_results_size": 0}
        if mapped is not None:
            # Batches begin where the number of calls is a multiple of their size.
            self.found[here] = {"call_counter": number * node.size, **self.found[here]}
        source = node.source if mapped is None else mapped.source
        self._add(source, _read(node, number), here)

    def _padded(self, node: PaddedBatch, number: int, here: str) -> None:
        self._batches(node, number, here, "exhausted")

    def _batches(self, node: AnyBatch, number: int, here: str, key: str) -> None:
        if not self._ends(node, number, here, key):
            self._add(node.source, _read(node, number), here)

    def _ends(self, node: Node, number: int, here: str, key: str) -> bool:
        """Adds the state of a kernel that leaves its input once it has handed out all elements."""
        has_ended = _has_ended(node, number)
        self.found[here] = {key: int(has_ended)}
        return has_ended

    def _prefetch_name(self, node: Prefetch) -> str:
        if node.size == 0:
            raise NoStateError("a prefetch of nothing")
        return "Prefetch"

    def _prefetch(self, node: Prefetch, number: int, here: str) -> None:
        self.found[here] = {"buffer_size": 0}
        self._add(node.source, number, here)

    def _take_name(self, node: Take) -> str:
        return "FiniteTake" if node.number > 0 else "EmptyTake"

    def _take(self, node: Take, number: int, here: str) -> None:
        if node.number == 0:
            return  # such a kernel has no state
        has_ended = _has_ended(node, number)
        self.found[here] = {"i": number, "input_impl_empty": int(has_ended)}
        if not has_ended:
            self._add(node.source, number, here)

    def _skip_name(self, node: Skip) -> str:
        if node.number < 0:
            raise NoStateError("a skip of everything")
        return "FiniteSkip"

    def _skip(self, node: Skip, number: int, here: str) -> None:
        has_ended = _has_ended(node, number)
        passed = node.number if number or has_ended else 0
        self.found[here] = {"i": passed, "input_impl_empty": int(has_ended)}
        if not has_ended:
            self._add(node.source, passed + number, here)

    def _shard(self, node: Shard, number: int, here: str) -> None:
        if _has_ended(node, number):
            self.found[here] = {"input_impl_empty": 1}
            return
        read = node.index + (number - 1) * node.number + 1 if number else 0
        self.found[here] = {"input_impl_empty": 0, "next_index": read}
        self._add(node.source, read, here)

    def _concatenate(self, node: Concatenate, number: int, here: str) -> None:
        if len(node.inputs) > _MOST_NESTED:
            raise NoStateError("a concatenation of many datasets")
        first, second = node.halves
        if _has_ended(node, number):
            self.found[here] = _concatenation(2, 1, 1)
            return
        size = _size(first)
        at = int(0 <= size < number)
        # TensorFlow begins the second input when it comes to it, but the number of iterations before is restored now.
        is_waiting = not at and _has_shuffle(second)
        self.found[here] = _concatenation(at, 0, int(not at and not is_waiting))
        self._add(first, size if at else number, f"{here}[0]")
        if at or is_waiting:
            before, self._is_waiting = self._is_waiting, self._is_waiting or is_waiting
            self._add(second, number - size if at else 0, f"{here}[1]")
            self._is_waiting = before

    def _zip(self, node: Zip, number: int, here: str) -> None:
        if not self._ends(node, number, here, "input_impls_empty"):
            for place, each in enumerate(node.inputs):
                self._add(each, number, f"{here}[{place}]")

    def _repeat_name(self, node: Repeat) -> str:
        if node.number == 0:
            return "EmptyRepeat"
        if self._fused_shuffle(node) is not None:
            return "ShuffleAndRepeat"
        return "ForeverRepeat" if node.number < 0 else "FiniteRepeat"

    def _fused_shuffle(self, node: Repeat) -> Shuffle | None:
        """The shuffle that TensorFlow joins with the repetition."""
        source = self._plain(node.source)
        return source if isinstance(source, Shuffle) and self._is_optimized else None

    def _repeat(self, node: Repeat, number: int, here: str) -> None:
        if node.number == 0:
            return
        shuffle = self._fused_shuffle(node)
        if shuffle is not None:
            self._shuffled(shuffle, number, here, node.number)
            return
        if _has_ended(node, number):
            self.found[here] = {"i": node.number, "input_impl_empty": 1}
            return
        size = _size(node.source)
        if size == 0:
            raise NoStateError("a repetition of nothing")
        turn = max(0, number - 1) // size if size > 0 else 0
        self.found[here] = {"i": turn, "input_impl_empty": 0}
        self._turns.append(turn)
        self._add(node.source, number - turn * max(0, size), f"{here}[{turn}]")
        self._turns.pop()

    def _shuffle(self, node: Shuffle, number: int, here: str) -> None:
        self._shuffled(node, number, here, 1)

    def _shuffled(self, node: Shuffle, number: int, here: str, count: int) -> None:
        """Adds the state of a kernel that shuffles and repeats `count` times; for ever if that is negative."""
        if len(self._turns) > 1 or (self._turns and count != 1):
            raise NoStateError("a shuffle in two repetitions")
        size = _size(node.source)
        if node.size < 0 or size == 0 or _has_shuffle(node.source):
            raise NoStateError("this shuffle")
        buffer = ShuffleBuffer(node.size, size, number, count)
        turn = sum(self._turns)
        cursor = self._cursors.get(id(node))
        first = node.epochs.count if cursor is None else cursor.first
        if first < 0:
            raise NoStateError("a shuffle that another iterator has read")
        iteration = turn + buffer.front
        seeds, drawn = node.epochs.seeds, iteration + 1
        if not node.epochs.is_fixed:
            low, high = words(seeds, 2 * (first + iteration), 2)
            seeds, drawn = (int(low), int(high)), 2 * (first + iteration + 1 - self._is_waiting)
        state = {"epoch_num_random_samples": drawn, "num_random_samples": buffer.drawn}
        state |= {"seed": seeds[0], "seed2": seeds[1], **buffer.counters()}
        self.found[here] = {**state, "data_produced": b""} if number else state
        order = _order(buffer, cursor, seeds)
        slots = buffer.slots(order)
        if cursor is not None:
            cursor.drawn = order
        self._add_elements(f"{here}:buffer", node.source, slots, node.size)
        if not buffer.has_ended:
            self._turns.append(buffer.back)
            self._add(node.source, buffer.read, here)
            self._turns.pop()

    def _cache(self, node: Cache, number: int, here: str) -> None:
        reader = f"{here}Impl"
        size = _size(node)
        if size < 0 or _has_shuffle(node.source):
            raise NoStateError("this cache")
        if any(self._turns):
            self._add_elements(here, node.source, dict(enumerate(range(size))), size)
            self.found[here] = {"cache_completed": b"", **self.found[here], _GLOBAL: 0}
            self.found[reader] = {"index": number}
            return
        self.found[here] = {_GLOBAL: 0}
        self._add_elements(reader, node.source, dict(enumerate(range(number))), number)
        self._add(node.source, number, reader)

    def _add_elements(self, name: str, node: Node, places: Mapping[int, int], size: int) -> None:
        """Adds a list of `size` elements: at each of `places`, the element of `node` with this number."""
        self.found[name] = {"num_elements": size}
        parts = node.structure.components
        if not all(isinstance(part, Dense) for part in parts):
            raise NoStateError("a buffer of ragged or sparse tensors")
        dtypes = [part.spec.dtype for part in parts]
        columns: list[list[Any]] = []
        if places:
            block: Block = rows(node, list(places.values()))
            columns = [entries(column) for column in block.columns]
        found = dict(zip(places, zip(*columns, strict=True), strict=True)) if columns else {}
        for slot in range(size):
            state: dict[str, Any] = {"num_components": len(parts) if slot in found else 0}
            for number, (value, dtype) in enumerate(zip(found.get(slot, ()), dtypes, strict=False)):
                state[f"component[{number}]"] = _array(value), dtype
            self.found[f"{name}::{slot}"] = state


# By the class of a dataset, the name of its kernel, and the function that adds the state of the kernel.
_KERNELS: list[tuple[type[Any], Callable[[_States, Any], str], Callable[[_States, Any, int, str], None]]] = [
    (Progression, lambda _, node: _range_name(node), _States._progression),
    (Held, _States._held_name, _States._held),
    (Map, _States._map_name, _States._map),
    (Batch, _States._batch_name, _States._batch),
    (PaddedBatch, lambda _states, _node: "PaddedBatchV2", _States._padded),
    (Prefetch, _States._prefetch_name, _States._prefetch),
    (Take, _States._take_name, _States._take),
    (Skip, _States._skip_name, _States._skip),
    (Shard, lambda _states, _node: "Shard", _States._shard),
    (Concatenate, lambda _states, _node: "Concatenate", _States._concatenate),
    (Zip, lambda _states, _node: "Zip", _States._zip),
    (Repeat, _States._repeat_name, _States._repeat),
    (Shuffle, lambda _states, _node: "Shuffle", _States._shuffle),
    (Cache, lambda _states, _node: "MemoryCache", _States._cache),
]


def _settings(options: Options) -> tuple[bool, bool]:
    """Whether TensorFlow optimizes the pipeline as usual, and whether it chooses how much is computed ahead.

    Raises: NoStateError for other settings.
    """
    found = options.experimental_optimization
    chosen = {name for name, value in found._options.items() if value is not None}
    if (
        chosen - {"apply_default_optimizations"}
        or options.experimental_slack
        or options.experimental_symbolic_checkpoint
    ):
        raise NoStateError("these options")
    return found.apply_default_optimizations is not False, options.autotune.enabled is not False


def _range_name(node: Progression) -> str:
    if node.label != "_RangeDataset":
        raise NoStateError(f"a {node.label}")
    return "Range"


def _size(node: Node) -> int:
    """The number of elements, or `INFINITE`."""
    if node.cardinality < 0 and node.cardinality != INFINITE:
        raise NoStateError(f"a {node.label} of unknown length")
    return node.cardinality


def _has_ended(node: Node, number: int) -> bool:
    """Whether a kernel that has handed out `number` elements of `node` may have left its input.

    That of a shuffle is kept, since it holds the number of the iteration.
    """
    return number == _size(node) and not _has_shuffle(node)


def _order(buffer: ShuffleBuffer, cursor: Shuffled | None, seeds: tuple[int, int]) -> Order:
    """An order with these `seeds` and at most as many draws as `buffer`: that of the last place, if it is usable."""
    found: Order | None = None
    if cursor is not None:
        # A signal handler that saves, too, must not draw from the same one.
        found, cursor.drawn = cursor.drawn, None
    if found is None or found.seeds != seeds or found.at > buffer.drawn:
        found = buffer.order(seeds)
    if buffer.drawn - found.at > _MOST_DRAWN:
        raise NoStateError("a shuffle that has drawn very often")
    return found


def _read(node: AnyBatch, number: int) -> int:
    """The number of elements that were read for `number` batches."""
    size = _size(node.source)
    return number * node.size if size < 0 else min(size, number * node.size)


def _concatenation(at: int, *is_unused: int) -> Values:
    uninitialized = {f"input_impl_uninitialized[{place}]": each for place, each in enumerate(is_unused)}
    return {"i": at, "element_count": 0, **uninitialized}


def _has_shuffle(node: Node) -> bool:
    return isinstance(node, Shuffle) or any(_has_shuffle(each) for each in node.inputs)


def _array(value: Any) -> Array:
    return np.asarray(value, object) if isinstance(value, bytes) else np.asarray(value)
