"""Datasets of random numbers, and of elements of other datasets chosen at random or by numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.system.location import is_raised_by_handler
from tfcompat._core.types.dtype import float32, float64, int64
from tfcompat._data.blocks.block import Block, joined
from tfcompat._data.blocks.nesting import common_supertype, is_compatible
from tfcompat._data.blocks.order import Array, Epochs, Words, are_seeds, chosen_classes
from tfcompat._data.blocks.structure import Structure, host_array
from tfcompat._data.nodes.cursor import Cursor, Rows
from tfcompat._data.nodes.node import INFINITE, UNKNOWN, Node, is_number
from tfcompat._data.nodes.sequence import Take


class RandomNumbers(Node):
    """The words of a random stream; another stream in each iteration if `rerandomize`."""

    label = "_RandomDataset"

    def __init__(self, seed: Any, rerandomize: Any) -> None:
        super().__init__(Structure(TensorSpec([], int64)))
        self.epochs = Epochs(seed, is_fixed=not rerandomize)

    def count(self) -> int:
        return INFINITE

    def cursor(self) -> Cursor:
        return _Numbers(self.epochs)


class _Numbers(Cursor):
    saved = ("_seeds", "_next")

    def __init__(self, epochs: Epochs) -> None:
        self._epochs = epochs
        _, self._seeds = epochs.next()
        self._words = Words(self._seeds)
        self._next = 0

    def read(self, most: int) -> Block | None:
        found = self._words.part(self._next, most).astype(np.int64)
        self._next += most
        return Block((found,), most)

    def save(self) -> Any:
        return {**super().save(), "epochs": self._epochs.count}

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._words = Words(self._seeds)
        if not is_number(state["epochs"]):
            raise ValueError("no dataset was iterated as often")
        self._epochs.count = state["epochs"]

    def is_possible(self) -> bool:
        return is_number(self._next) and are_seeds(self._seeds)


class Choices(Node):
    """Random numbers of datasets, by odds: each choice takes two random numbers as its seed."""

    label = "_MapDataset"

    def __init__(self, bounds: Array, seed: Any, rerandomize: Any) -> None:
        super().__init__(Structure(TensorSpec([], int64)), RandomNumbers(seed, rerandomize))
        self.bounds = bounds

    def count(self) -> int:
        return INFINITE

    def cursor(self) -> Cursor:
        return _Chosen(self.inputs[0].cursor(), self.bounds)


class _Chosen(Cursor):
    saved = ("_cursor",)

    def __init__(self, cursor: Cursor, bounds: Array) -> None:
        self._cursor = cursor
        self._bounds = bounds

    def read(self, most: int) -> Block | None:
        block = self._cursor.read(2 * most)
        if block is None:
            return None
        numbers: Any = block.columns[0]
        return Block((chosen_classes(self._bounds, numbers.reshape(-1, 2)),), block.count // 2)


class Interleaved(Node):
    """The next element of the dataset with the number that `selector` gives, each time."""

    label = "_DirectedInterleaveDataset"

    def __init__(self, selector: Node, sources: Sequence[Node], stop_on_empty: bool) -> None:
        spec = sources[0].structure.spec
        for place, source in enumerate(sources[1:], 1):
            found = common_supertype(spec, source.structure.spec)
            if found is None:
                raise TypeError(
                    "Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 element_spec="
                    f"{sources[0].structure.spec}.\nDataset {place} element_spec={source.structure.spec}."
                )
            spec = found
        super().__init__(Structure(spec), selector, *sources)
        self.stop_on_empty = stop_on_empty

    def count(self) -> int:
        """TensorFlow calls it infinite if one dataset is, although another one may end it."""
        return INFINITE if any(each.cardinality == INFINITE for each in self.inputs[1:]) else UNKNOWN

    def cursor(self) -> Cursor:
        selector, *others = [each.cursor() for each in self.inputs]
        return _Interleaved(selector, others, self.stop_on_empty)


class _Interleaved(Cursor):
    """Reads several choices at once, and the elements that they need of each dataset.

    Attributes:
      _is_open: for each dataset, whether it may have more elements.
      _errors: the error of the next element, for datasets where it has been found.
    """

    saved = ("_selector", "_rows", "_is_open", "_has_ended")

    def __init__(self, selector: Cursor, cursors: list[Cursor], stop_on_empty: bool) -> None:
        self._selector = Rows(selector)
        self._rows = [Rows(cursor) for cursor in cursors]
        self._stop_on_empty = stop_on_empty
        self._is_open = [True] * len(cursors)
        self._errors: dict[int, Exception] = {}
        self._has_ended = False

    def read(self, most: int) -> Block | None:
        while not self._has_ended:
            block = self._selector.read(most)
            if block is None:
                self._has_ended = True
                break
            numbers: Any = block.columns[0]
            found = self._gathered(numbers)
            used = 1 if found is None else found.count
            if used < block.count:
                self._selector.put_back(block.part(used, block.count))
            if found is None:
                found = self._one(int(numbers[0]))
            if found is not None:
                return found
        return None

    def _gathered(self, numbers: Array) -> Block | None:
        """The elements for the first of `numbers`, up to the first one that cannot be read."""
        usable = (numbers >= 0) & (numbers < len(self._rows))
        limit = len(numbers) if usable.all() else int(np.argmin(usable))
        places = {number: np.flatnonzero(numbers[:limit] == number) for number in set(numbers[:limit].tolist())}
        blocks: dict[int, Block] = {}
        for number, wanted in places.items():
            block = self._some(number, len(wanted))
            if block is not None:
                blocks[number] = block
            count = 0 if block is None else block.count
            if count < len(wanted):
                limit = min(limit, int(wanted[count]))
        parts: list[Block] = []
        order = np.empty(limit, np.int64)
        start = 0
        for number, block in blocks.items():
            own = places[number][places[number] < limit]
            if len(own) < block.count:
                self._rows[number].put_back(block.part(len(own), block.count))
            if len(own):
                parts.append(block.part(0, len(own)))
                order[own] = np.arange(start, start + len(own))
                start += len(own)
        return joined(parts).gathered(order) if parts else None

    def _some(self, number: int, most: int) -> Block | None:
        """Elements of a dataset; None at its end, and where the next has an error, which is kept."""
        if not self._is_open[number] or number in self._errors:
            return None
        try:
            return self._rows[number].read(most)
        except Exception as error:
            if is_raised_by_handler(error):
                raise
            self._errors[number] = error
            return None

    def _one(self, number: int) -> Block | None:
        """The next element of a dataset; None if it has ended."""
        if not 0 <= number < len(self._rows):
            raise InvalidArgumentError.of(f"Selector index out of range: {number} >= {len(self._rows)}")
        if number in self._errors:
            raise self._errors.pop(number)
        found = self._some(number, 1)
        if number in self._errors:
            raise self._errors.pop(number)
        if found is None:
            self._is_open[number] = False
            self._has_ended = self._stop_on_empty or not any(self._is_open)
        return found


def chosen(datasets: Sequence[Node], choice: Node, stop_on_empty: bool) -> Node:
    """The dataset for `choose_from_datasets`."""
    if not is_compatible(choice.structure.spec, TensorSpec([], int64)):
        raise TypeError(
            "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
            f"{choice.structure.spec}."
        )
    return Interleaved(choice, datasets, stop_on_empty)


def sampled(datasets: Sequence[Node], weights: Any, seed: Any, stop_on_empty: bool, rerandomize: Any) -> Node:
    """The dataset for `sample_from_datasets`.

    Raises: ValueError for another number of weights; TypeError if they are not floating numbers.
    """
    if weights is None:
        logits = np.ones(len(datasets), np.float32)
    else:
        datasets, logits = _weighted(datasets, weights)
    if len(datasets) == 1:
        return datasets[0]
    odds = np.where(np.isfinite(logits), np.exp(logits.astype(np.float64) - float(logits.max())), 0.0)
    return Interleaved(Choices(np.cumsum(odds), seed, rerandomize), datasets, stop_on_empty)


def _weighted(datasets: Sequence[Node], weights: Any) -> tuple[Sequence[Node], Array]:
    """The datasets with a positive weight, and the logarithms of the weights."""
    if isinstance(weights, Tensor):
        if not weights.shape.is_compatible_with([len(datasets)]):
            raise ValueError(
                "Invalid `weights`. The shape of `weights` should be compatible with `[len(datasets)]` but is "
                f"{weights.shape}."
            )
    elif len(weights) != len(datasets):
        raise ValueError(
            "Invalid `weights`. `weights` should have the same length as `datasets` but got "
            f"`len(weights)={len(weights)}` vs. `len(datasets)={len(datasets)}`."
        )
    else:
        pairs = [(each, weight) for each, weight in zip(datasets, weights, strict=True) if weight > 0]
        datasets = [each for each, _ in pairs] if pairs else [Take(datasets[0], 0)]
        weights = [weight for _, weight in pairs] if pairs else [1.0]
    tensor = convert_to_tensor(weights, name="weights")
    if tensor.dtype not in (float32, float64):
        raise TypeError(
            f"Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is {tensor.dtype!r}."
        )
    with np.errstate(divide="ignore"):
        return datasets, np.log(host_array(tensor))
