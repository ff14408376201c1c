"""Places of iterators that TensorFlow saved: the number of elements that they have handed out.

TensorFlow saves the counters and buffers of its kernels, each under a name with those of the kernels around it, such as
"Iterator::Root::Prefetch::BatchV2::Range". Its optimizer has joined some kernels, left out others, and added buffers.
The counters determine how many elements the program has received. Datasets give the same elements in the same order
here, so a new iterator continues there once it has passed over as many.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfcompat._core.system.error import DataLossError
from tfcompat._data.blocks.order import words
from tfcompat._data.format.kernel_message import KernelMessage
from tfcompat._data.functional.filtering import Filter
from tfcompat._data.functional.mapping import Map
from tfcompat._data.functional.shuffling import Shuffle
from tfcompat._data.nodes.batching import AnyBatch
from tfcompat._data.nodes.holding import Cache
from tfcompat._data.nodes.node import Node, Unary
from tfcompat._data.nodes.optioned import Optioned
from tfcompat._data.nodes.prefetching import Prefetch
from tfcompat._data.nodes.sequence import Concatenate, Repeat, Shard, Skip, Take
from tfcompat._data.nodes.source import Held, Progression
from tfcompat._data.nodes.zipping import Zip

_SUBJECT = "The place of an iterator"
_ROOT = "Iterator::Root"
# A kernel in a name, perhaps with the number of one of its inputs; not the elements of a buffer.
_KERNEL = re.compile(r"([A-Za-z][A-Za-z0-9]*)(\[\d+\])?")
_CACHE = "MemoryCache"
_UNSEEDED = "a shuffle that has no seed, or another one than the dataset,"
_DEEPEST, _MOST_DRAWN, _MOST_PASSED = 200, 1 << 40, 1 << 32


class UnknownKernelError(NotImplementedError):
    """A kernel whose counters do not determine how many elements it has handed out."""


class TensorFlowPlace:
    """The state of an iterator of TensorFlow.

    Attributes:
      iterations: how often each shuffled dataset was iterated before this iterator, in the order in which this was
        found out: at first 0, which remains where TensorFlow's iterator has read its input to the end.
    """

    def __init__(self, texts: Sequence[bytes]) -> None:
        """`texts` are the messages `VariantTensorDataProto`. Raises DataLossError for others."""
        self.iterations: list[tuple[Shuffle, int]] = []
        self._messages: dict[str, KernelMessage] = {}
        self._numbers: dict[str, dict[str, int]] = {}
        self._turns: list[int] = []
        self._verified: set[int] = set()
        for text in texts:
            message = KernelMessage(text, _SUBJECT)
            self._messages[message.name.decode(errors="replace").rpartition("|")[2]] = message

    def delivered(self, node: Node) -> int:
        """The number of elements of `node` that the program has received.

        Raises: NotImplementedError for transformations whose counters do not determine it; DataLossError if the place
          is corrupted, or that of another dataset.
        """
        self.iterations = [(each, 0) for each in _shuffles(node)]
        found = self._count(node, _ROOT)
        if found < 0:
            raise _corrupted(f"it has handed out {found} elements")
        if found > _MOST_PASSED:
            raise _unsupported(f"an iterator that has handed out {found} elements, which would be read again,")
        for each in _shuffles(node):
            if not each.epochs.has_seed and id(each) not in self._verified:
                raise _unsupported(_UNSEEDED)
        return found

    def _count(self, node: Node, prefix: str) -> int:
        """The number of elements that the kernel behind `prefix`, which stands for `node`, has handed out."""
        if prefix.count("::") > _DEEPEST:
            raise _corrupted("it has too many kernels in each other")
        kernel = self._kernel(prefix)
        if not kernel:
            if node.cardinality == 0:
                return 0  # TensorFlow's kernels without elements save nothing
            raise _corrupted(f"no kernel is behind {prefix}")
        here = f"{prefix}::{kernel}"
        if kernel == "Prefetch":
            inner = _plain(node)
            return self._count(inner.source if isinstance(inner, Prefetch) else inner, here) - self._number(
                here, "buffer_size"
            )
        if kernel not in _COUNTS:
            raise UnknownKernelError(*_unsupported(f"the kernel {kernel}").args)
        kind, count = _COUNTS[kernel]
        # TensorFlow leaves out functions that return their arguments, and these hand out as many elements as they read.
        while not isinstance(node, kind) and isinstance(node, (Map, Prefetch, Optioned)):
            node = node.source
        while not isinstance(node, kind) and isinstance(node, Unary) and node.transparent:
            node = node.source
        if not isinstance(node, kind):
            raise DataLossError.of(f"{_SUBJECT} is that of another dataset: it has a {kernel}, not a {node.label}")
        return count(self, node, here)

    def _kernel(self, prefix: str) -> str:
        """The name of the kernel behind `prefix`; "" if nothing is saved for it."""
        found: set[str] = set()
        for name in self._messages:
            if name.startswith(f"{prefix}::"):
                part = _KERNEL.fullmatch(name[len(prefix) + 2 :].partition("::")[0])
                if part is not None:
                    found.add(part[1].replace(f"{_CACHE}Impl", _CACHE))
        if len(found) > 1:
            raise _corrupted(f"{len(found)} kernels are behind {prefix}")
        return found.pop() if found else ""

    def _number(self, name: str, key: str, most: int | None = None) -> int:
        """A counter. Raises DataLossError if it does not exist, is negative, or is larger than `most`."""
        found = self._numbers_of(name).get(key, -1)
        if found < 0 or (most is not None and found > most):
            raise _corrupted(f"{key} of {name} is {found}")
        return found

    def _numbers_of(self, name: str) -> dict[str, int]:
        """The integers that are saved under `name`."""
        if name not in self._numbers:
            message = self._messages.get(name)
            parts = {} if message is None else message.parts()
            integers = {key: part.integer for key, part in parts.items()}
            self._numbers[name] = {
                key.decode(errors="replace").rpartition(":")[2]: number
                for key, number in integers.items()
                if number is not None
            }
        return self._numbers[name]

    def _has_ended(self, here: str, key: str = "input_impl_empty") -> bool:
        return self._number(here, key) != 0

    def _produced(self, node: Held, here: str) -> int:
        return self._number(here, "produced", node.cardinality)

    def _sliced(self, node: Held, here: str) -> int:
        return self._number(here, "index", node.cardinality)

    def _of_range(self, node: Progression, here: str) -> int:
        found = node.place_of(self._numbers_of(here).get("next", 0))
        if found < 0 or 0 <= node.cardinality < found:
            raise _corrupted(f"{here} is before the number {found}")
        return found

    def _of_input(self, node: Any, here: str) -> int:
        return self._count(node.source, here)

    def _of_known_input(self, node: Any, here: str) -> int | None:
        """The number of elements that were read; None if that does not follow from the counters of the input."""
        try:
            return self._of_input(node, here)
        except UnknownKernelError:
            return None

    def _batches(self, node: AnyBatch, here: str, key: str = "input_impl_empty") -> int:
        return _size(node) if self._has_ended(here, key) else -(-self._of_input(node, here) // node.size)

    def _padded_batches(self, node: AnyBatch, here: str) -> int:
        return self._batches(node, here, "exhausted")

    def _mapped_batches(self, node: AnyBatch, here: str) -> int:
        """Of a kernel that calls a function, too."""
        mapped = _plain(node.source)
        if not isinstance(mapped, Map):
            raise DataLossError.of(f"{_SUBJECT} is that of another dataset: {mapped.label} is not a map")
        return self._parallel_batches(node, here, mapped)

    def _parallel_batches(self, node: AnyBatch, here: str, reader: Unary | None = None) -> int:
        """Of a kernel that fills several batches at once, of the elements that `reader` reads."""
        waiting = self._number(here, "batch_results_size")
        held = sum(self._number(here, f"batch_results_{k}_num_elements") for k in range(waiting))
        found = -(-(self._of_input(reader or node, here) - held) // node.size)
        return found if node.cardinality < 0 else min(found, node.cardinality)

    def _parallel_results(self, node: Map, here: str) -> int:
        waiting = range(self._number(here, "invocation_results_size"))
        results = (f"{here}_invocation_results[{k}]" for k in waiting)
        return self._of_input(node, here) - sum(not self._has_ended(name, "end_of_input") for name in results)

    def _shuffled(self, node: Shuffle, here: str) -> int:
        if len(self._turns) > 1:
            raise _unsupported("a shuffle in two repetitions")
        self._note_iteration(node, here, 1 + sum(self._turns))
        found = self._number(here, "num_random_samples")
        is_reading = self._number(here, "epoch") > 0 and not self._has_ended(here, "end_of_input_sequence")
        read = self._of_known_input(node, here) if is_reading else None
        if read is not None and found != read - self._held(node, here):
            raise _corrupted(f"{here} has drawn {found} elements")
        return found

    def _held(self, node: Shuffle, here: str) -> int:
        """The number of elements in a buffer."""
        return self._number(here, "num_elements", None if node.size < 0 else node.size)

    def _shuffled_repetitions(self, node: Repeat, here: str) -> int:
        """Of a kernel that shuffles and repeats: its buffer holds elements of several repetitions."""
        shuffle = _plain(node.source)
        if not isinstance(shuffle, Shuffle) or self._turns:
            raise _unsupported("a shuffle in two repetitions")
        turn = self._number(here, "epoch")
        if not turn:
            read = 0
        elif turn == 1 and self._of_known_input(shuffle, here) is None:
            self._note_iteration(shuffle, here, 1)
            return self._number(here, "num_random_samples")
        elif self._has_ended(here, "end_of_input_sequence"):
            read = _size(node)
        else:
            read = (_size(shuffle) if turn > 1 else 0) * (turn - 1) + self._of_input(shuffle, here)
        found = read - self._held(shuffle, here)
        self._note_iteration(shuffle, here, max(1, -(-found // _size(shuffle))) if found and turn > 1 else 1)
        return found

    def _note_iteration(self, node: Shuffle, here: str, number: int) -> None:
        """Notes that the elements are those of the iteration `number`, counted from 1, of the iterator."""
        numbers = self._numbers_of(here)
        found = numbers.get("seed"), numbers.get("seed2")
        drawn = self._number(here, "epoch_num_random_samples", _MOST_DRAWN)
        epochs = node.epochs
        expected = epochs.seeds
        if not epochs.is_fixed:
            first, second = words(epochs.seeds, max(0, drawn - 2), 2)
            expected = int(first), int(second)
            if drawn // 2 < number:
                raise _corrupted(f"{here} has begun {drawn // 2} iterations, not {number}")
            self.iterations.append((node, drawn // 2 - number))
        if found != expected:
            raise _unsupported(_UNSEEDED)
        self._verified.add(id(node))

    def _repetitions(self, node: Repeat, here: str) -> int:
        if self._has_ended(here):
            return _size(node)
        turn = self._number(here, "i")
        self._turns.append(turn)
        found = self._count(node.source, f"{here}[{turn}]")
        self._turns.pop()
        return found + (turn * _size(node.source) if turn else 0)

    def _taken(self, node: Take, here: str) -> int:
        if not self._has_ended(here):
            self._of_known_input(node, here)
        return self._number(here, "i", node.number)

    def _not_skipped(self, node: Skip, here: str) -> int:
        return _size(node) if self._has_ended(here) else max(0, self._of_input(node, here) - node.number)

    def _of_shard(self, node: Shard, here: str) -> int:
        return _size(node) if self._has_ended(here) else len(range(node.index, self._of_input(node, here), node.number))

    def _filtered(self, node: Filter, here: str) -> int:
        read = None if self._has_ended(here) else self._of_known_input(node, here)
        return self._number(here, "filtered_elements", read)

    def _concatenated(self, node: Concatenate, here: str) -> int:
        halves = node.halves
        at = self._number(here, "i", len(halves))
        found = sum(_size(each) for each in halves[:at])
        return found + (self._count(halves[at], f"{here}[{at}]") if at < len(halves) else 0)

    def _zipped(self, node: Zip, here: str) -> int:
        if self._has_ended(here, "input_impls_empty"):
            return _size(node)
        found = [self._count(each, f"{here}[{place}]") for place, each in enumerate(node.inputs)]
        return found[0]

    def _cached(self, node: Cache, here: str) -> int:
        reading = f"{here}Impl"
        if "index" not in self._numbers_of(reading):
            return self._count(node.source, reading)
        return self._number(reading, "index", None if node.cardinality < 0 else node.cardinality)


# By the name of a kernel, the class of datasets that it computes, and the number of elements that it has handed out.
_COUNTS: dict[str, tuple[type[Any], Callable[[TensorFlowPlace, Any, str], int]]] = {
    "BatchV2": (AnyBatch, TensorFlowPlace._batches),
    "Concatenate": (Concatenate, TensorFlowPlace._concatenated),
    "Filter": (Filter, TensorFlowPlace._filtered),
    "FiniteRepeat": (Repeat, TensorFlowPlace._repetitions),
    "FiniteSkip": (Skip, TensorFlowPlace._not_skipped),
    "FiniteTake": (Take, TensorFlowPlace._taken),
    "ForeverRepeat": (Repeat, TensorFlowPlace._repetitions),
    "FromTensor": (Held, TensorFlowPlace._produced),
    "List": (Held, TensorFlowPlace._sliced),
    "Map": (Map, TensorFlowPlace._of_input),
    "MapAndBatch": (AnyBatch, TensorFlowPlace._mapped_batches),
    _CACHE: (Cache, TensorFlowPlace._cached),
    "PaddedBatchV2": (AnyBatch, TensorFlowPlace._padded_batches),
    "ParallelBatch": (AnyBatch, TensorFlowPlace._parallel_batches),
    "ParallelMapV2": (Map, TensorFlowPlace._parallel_results),
    "Range": (Progression, TensorFlowPlace._of_range),
    "Shard": (Shard, TensorFlowPlace._of_shard),
    "Shuffle": (Shuffle, TensorFlowPlace._shuffled),
    "ShuffleAndRepeat": (Repeat, TensorFlowPlace._shuffled_repetitions),
    "TensorSlice": (Held, TensorFlowPlace._sliced),
    "Zip": (Zip, TensorFlowPlace._zipped),
}


def _corrupted(problem: str) -> DataLossError:
    return DataLossError.of(f"{_SUBJECT} is corrupted: {problem}")


def _unsupported(part: str) -> NotImplementedError:
    return NotImplementedError(
        f"tf.train.Checkpoint: the place of an iterator that TensorFlow saved cannot be restored, since {part} is not "
        "supported there; leave the iterator out of the checkpoint."
    )


def _shuffles(node: Node) -> Iterator[Shuffle]:
    if isinstance(node, Shuffle):
        yield node
    for each in node.inputs:
        yield from _shuffles(each)


def _plain(node: Node) -> Node:
    """The dataset without options, and without transformations that change nothing."""
    while isinstance(node, Unary) and (isinstance(node, Optioned) or node.transparent):
        node = node.source
    return node


def _size(node: Node) -> int:
    """The number of elements of a dataset."""
    if node.cardinality < 0:
        raise _unsupported(f"a {node.label} of unknown length")
    return node.cardinality
