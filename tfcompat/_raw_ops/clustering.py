"""Kernels that choose the first centres of clusters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import float32, int64
from tfcompat._ops.array.known import known
from tfcompat._ops.random.host_stream import HostStream

_NAME = "tf.raw_ops.KmeansPlusPlusInitialization"
_WORDS = 2**32
_LARGEST = 2**64 - 1
Array = np.ndarray[Any, Any]


class _Draws:
    """The numbers that a kernel draws one after another, from the stream of a seed."""

    def __init__(self, seed: int) -> None:
        self._stream = HostStream(seed % (_LARGEST + 1), 0, 0)
        self._place = 0

    def _word(self) -> Any:
        block, self._place = self._stream.blocks(self._place // 4, 1)[0], self._place + 1
        return block[(self._place - 1) % 4]

    def unit(self) -> Any:
        """A number in [0, 1)."""
        return (self._word() & np.uint32(0x7FFFFF) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)

    def below(self, count: int) -> int:
        """A whole number below `count`, all with the same probability."""
        is_power_of_two = count & (count - 1) == 0
        last = _LARGEST if is_power_of_two else _LARGEST - (_LARGEST % count + 1)
        while True:
            low, high = int(self._word()), int(self._word())
            number = low + high * _WORDS
            if number <= last:
                return number % count


def KmeansPlusPlusInitialization(
    points: Any, num_to_sample: Any, seed: Any, num_retries_per_sample: Any, name: str | None = None
) -> Tensor:
    """Distinct rows of `points`, each drawn with a probability in proportion to its squared distance to those before.

    Of 1 + `num_retries_per_sample` draws for a row, that counts which leaves the smallest sum of distances; a negative
    number stands for 2 + log(num_to_sample).

    Shapes: [n, d], [], [], [] -> [num_to_sample, d].
    Dtypes: float32, int64, int64, int64 -> float32.
    Gradient: None.
    Raises: InvalidArgumentError if `points` is not a matrix, or `num_to_sample` is not between 1 and n.
    Source: TF 2.21 `tf.raw_ops.KmeansPlusPlusInitialization`.
    """
    del name
    rows = known(convert_to_tensor(points, float32), _NAME)
    count, start, retries = (
        int(known(convert_to_tensor(each, int64), _NAME)) for each in (num_to_sample, seed, num_retries_per_sample)
    )
    if rows.ndim != 2:
        raise InvalidArgumentError.of(f"{_NAME}: Input points should be a matrix, got shape {rows.shape}.")
    if count <= 0:
        raise InvalidArgumentError.of(f"{_NAME}: Expected num_to_sample > 0, got {count}.")
    if count > len(rows):
        raise InvalidArgumentError.of(f"{_NAME}: Expected num_to_sample <= points.rows(), got {count} and {len(rows)}.")
    tries = 1 + (2 + int(math.log(count)) if retries < 0 else retries)
    return Tensor(rows[_chosen(rows, count, tries, _Draws(start))])


def _chosen(rows: Array, count: int, tries: int, draws: _Draws) -> list[int]:
    norms = np.float32(0.5) * (rows * rows).sum(1, dtype=np.float32)
    nearest = np.full(len(rows), np.inf, np.float32)
    chosen: list[int] = []
    for _ in range(count):
        sums = np.cumsum(nearest, dtype=np.float32)
        best, least, found = 0, np.float32(np.inf), nearest
        for _ in range(tries):
            place = _drawn(sums, chosen, draws)
            distances = np.minimum(nearest, norms - rows @ rows[place] + norms[place])
            total = distances.sum(dtype=np.float32)
            if tries == 1 or total < least:
                best, least, found = place, total, distances
        nearest = found
        chosen.append(best)
    return chosen


def _drawn(sums: Array, chosen: list[int], draws: _Draws) -> int:
    """A place that is not `chosen` yet; `sums` are those of the distances up to each place."""
    if not chosen:
        return draws.below(len(sums))
    while True:
        # Where all distances are 0, each place has the same probability.
        is_far = sums[-1] > 0
        place = int(np.searchsorted(sums, draws.unit() * sums[-1], "right")) if is_far else draws.below(len(sums))
        if place not in chosen and place < len(sums):
            return place
