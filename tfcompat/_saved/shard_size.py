"""Data files of limited size: `tf.train.experimental.MaxShardSizePolicy`."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.device import adopted
from tfcompat._core.types.dtype import string, variant
from tfcompat._saved.message import GRAPH_KEY
from tfcompat._saved.sharding import Shard, ShardableTensor, ShardingCallback
from tfcompat._saved.slice_spec import SliceSpec

_logger = logging.getLogger("tensorflow")


class MaxShardSizePolicy(ShardingCallback):
    """Data files of at most `max_shard_size` bytes; tensors are divided among them.

    A scalar, a string or a row that is larger is a file of its own, and logs a warning.

    Source: TF 2.21 `tf.train.experimental.MaxShardSizePolicy`.
    """

    def __init__(self, max_shard_size: int) -> None:
        self.max_shard_size = max_shard_size

    @property
    def description(self) -> str:
        return "Split tensors into shards with a max shard size."

    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Shard]:
        packing = _Packing(self.max_shard_size)
        for each in shardable_tensors:
            packing.add(each)
        return packing.shards()


class _Sizes(NamedTuple):
    """The size of a tensor in bytes, and that of each of its elements, at most."""

    total: int
    element: int


class _Packing:
    """The data files so far, of which the last has `_left` bytes left."""

    def __init__(self, most: int) -> None:
        self._most = self._left = most
        self._files: list[dict[str, dict[str, Any]]] = [{}]
        self._large: list[Shard] = []

    def shards(self) -> list[Shard]:
        """The data files: those with tensors of more than the limit come last."""
        return [*(self._files if self._files[0] else ()), *self._large]

    def add(self, each: ShardableTensor) -> None:
        """Adds a tensor, or parts of it where it does not fit."""
        sizes = _sizes_of(each)
        if not each.shape.rank:
            if sizes.total > self._most:
                self._add_large(each, each.slice_spec, each.tensor, sizes.total)
                return
            if sizes.total > self._left:
                self._next()
            self._put(each, each.slice_spec, each.tensor, sizes.total)
            return
        self._divide(each, sizes)

    def _next(self) -> None:
        self._files.append({})
        self._left = self._most

    def _put(self, each: ShardableTensor, spec: str, tensor: Any, size: int) -> None:
        self._files[-1].setdefault(each.checkpoint_key, {})[spec] = tensor
        self._left -= size

    def _add_large(self, each: ShardableTensor, spec: str, tensor: Any, size: int) -> None:
        _logger.warning(
            "Tensor %s's minimum slice %s has size %s bytes and cannot be partitioned into a shard of max shard size "
            "%s bytes. It will be added as an individual shard that exceeds the max shard size.",
            *(each.checkpoint_key, spec, size, self._most),
        )
        self._large.append({each.checkpoint_key: {spec: tensor}})

    def _divide(self, each: ShardableTensor, sizes: _Sizes) -> None:
        """Adds a tensor in parts: each is the beginning, along one axis, of the rest."""
        array = np.asarray(each.tensor)
        shape = array.shape
        given = SliceSpec.of(each.slice_spec) if each.slice_spec else SliceSpec(shape, (0,) * len(shape), shape)
        done, size = [0] * len(shape), sizes.total
        while size > self._left:
            rest = [whole - start for whole, start in zip(shape, done, strict=True)]
            axis, length = _next_part(rest, sizes.element, self._left)
            if not length and self._left < self._most:
                self._next()
                continue
            sizes_of_part = [*rest[:axis], length or 1, *rest[axis + 1 :]]
            spec, part = _part(given, array, done, sizes_of_part)
            own = math.prod(sizes_of_part) * sizes.element
            if length:
                self._put(each, spec, part, own)
                if not self._left:
                    self._next()
            else:
                self._add_large(each, spec, part, own)
            done[axis] += length or 1
            size = math.prod(whole - start for whole, start in zip(shape, done, strict=True)) * sizes.element
        rest = [whole - start for whole, start in zip(shape, done, strict=True)]
        spec, part = _part(given, array, done, rest)
        if not any(done):
            self._put(each, spec, each.tensor, size)
        elif math.prod(rest):
            self._put(each, spec, part, size)


def _part(given: SliceSpec, array: Any, starts: Sequence[int], sizes: Sequence[int]) -> tuple[str, Tensor]:
    """A part of `array`, which is the part `given` of a tensor."""
    places = tuple(slice(start, start + size) for start, size in zip(starts, sizes, strict=True))
    absolute = tuple(first + start for first, start in zip(given.starts, starts, strict=True))
    values = array[places]
    tensor = Tensor(values if values.dtype == object else adopted(values))
    return SliceSpec(given.whole, absolute, tuple(sizes)).text(), tensor


def _next_part(shape: Sequence[int], element: int, left: int) -> tuple[int, int]:
    """The axis along which the first part with at most `left` bytes is the largest, and its length there, perhaps 0.

    All parts along an axis are equally long, but for the last.
    """
    best, fewest = 0, _parts(shape, 0, element, left)
    for axis in range(1, len(shape)):
        parts = _parts(shape, axis, element, left)
        if parts < fewest and math.prod(shape) * element / parts <= left:
            best, fewest = axis, parts
    return best, math.ceil(shape[best] / fewest)


def _parts(shape: Sequence[int], axis: int, element: int, left: int) -> float:
    """The number of parts with at most `left` bytes; infinite if one row has more."""
    rows = left // (math.prod(shape) // shape[axis] * element)
    return math.ceil(shape[axis] / rows) if rows else math.inf


def _sizes_of(each: ShardableTensor) -> _Sizes:
    """The size of a tensor; 0 where TensorFlow does not know it: of the graph of objects, and of variants."""
    if each.checkpoint_key == GRAPH_KEY or each.dtype is variant:
        return _Sizes(0, 0)
    if each.dtype is string:
        lengths = [len(text) for text in np.asarray(each.tensor, object).ravel().tolist()]
        return _Sizes(sum(lengths), max(lengths, default=0))
    array = np.asarray(each.tensor)
    return _Sizes(array.nbytes, array.itemsize)
