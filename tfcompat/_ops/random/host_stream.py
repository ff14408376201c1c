"""The numbers of `tfcompat._ops.random.philox` in NumPy, for draws that run once.

Here elements share the blocks, which saves a computation on the host three quarters of the work. Numbers are those of a
program, normal ones except for the last bits of log, sin and cos.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._ops.random import philox

Array = np.ndarray[Any, Any]

_WORD, _LONG = 2**32 - 1, 2**64 - 1
_MASK = np.uint64(_WORD)
_HALF = np.uint64(32)
_MULTIPLIERS = np.array([[0xD2511F53], [0xCD9E8D57]], np.uint64)
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
_SCRAMBLING_KEY = 0x02461E293EC8F720
_ROUNDS = 10
# The number of blocks that are computed at once: the results of a round stay in the second cache.
_AT_ONCE = 4096


class HostStream(NamedTuple):
    """The start of a stream: a key and a counter, whose halves are `low` and `high`."""

    key: int
    low: int
    high: int

    def blocks(self, first: int, count: int) -> Array:
        """The words of `count` blocks from the `first` on, [count, 4]."""
        found = np.empty((count, 4), np.uint32)
        for begin in range(0, count, _AT_ONCE):
            end = min(begin + _AT_ONCE, count)
            self._write(np.arange(first + begin, first + end, dtype=np.uint64), found[begin:end])
        return found

    def blocks_at(self, places: Array) -> Array:
        """The words of the blocks with the numbers `places`, [n, 4]."""
        found = np.empty((len(places), 4), np.uint32)
        for begin in range(0, len(places), _AT_ONCE):
            self._write(places[begin : begin + _AT_ONCE], found[begin : begin + _AT_ONCE])
        return found

    def words(self, count: int) -> Array:
        """The first `count` words."""
        return self.blocks(0, -(-count // 4)).reshape(-1)[:count]

    def _write(self, places: Array, found: Array) -> None:
        """Computes the blocks `places` and writes their words to `found`.

        The words 0 and 2 of a counter are the rows of `even`, 1 and 3 those of `odd`, whose upper halves may have
        other bits. So a round treats both halves of a counter at once, and `odd` is the result of the multiplication.
        """
        count = len(places)
        low = places + np.uint64(self.low)
        high = np.uint64(self.high) + (low < places)
        even, odd = np.empty((2, 2, count), np.uint64)
        even[0], even[1], odd[0], odd[1] = low, high, low >> _HALF, high >> _HALF
        even &= _MASK
        spare = np.empty((2, count), np.uint64)
        for keys in _round_keys(self.key):
            np.multiply(even, _MULTIPLIERS, out=spare)
            product = spare[::-1]
            np.right_shift(product, _HALF, out=even)
            even ^= odd
            even ^= keys
            even &= _MASK
            odd, spare = product, odd
        found[:, ::2], found[:, 1::2] = even.T, odd.T


def _round_keys(key: int) -> Array:
    """The two words of the key in each round, [rounds, 2, 1]."""
    first, second = key & _WORD, key >> 32
    steps = [(first + k * _KEY_STEPS[0] & _WORD, second + k * _KEY_STEPS[1] & _WORD) for k in range(_ROUNDS)]
    return np.array(steps, np.uint64)[..., None]


def opened(parts: Sequence[Array]) -> HostStream:
    """The stream given by an op's integer arguments (see `philox.opened`)."""
    numbers = [int(number) & _LONG for part in parts for number in np.ravel(part).tolist()]
    if len(numbers) == 2:
        words = HostStream(_SCRAMBLING_KEY, *numbers).blocks(0, 1)[0].tolist()
        return HostStream(words[0] | words[1] << 32, 0, words[2] | words[3] << 32)
    low, high, key = numbers
    return HostStream(key, low, high)


def uniform(stream: HostStream, count: int, dtype: np.dtype[Any]) -> Array:
    """The first `count` floating numbers in [0, 1)."""
    if dtype == np.float64:
        pairs = stream.words(2 * count).reshape(-1, 2)
        return _unit_float64(pairs[:, 0], pairs[:, 1])
    return _unit(stream.words(count), dtype)


def integers(stream: HostStream, count: int, dtype: np.dtype[Any]) -> Array:
    """The first `count` unsigned integers, which use all bits of `dtype`."""
    if dtype.itemsize == 4:
        return stream.words(count)
    pairs = stream.words(2 * count).reshape(-1, 2).astype(np.uint64)
    return pairs[:, 0] | pairs[:, 1] << _HALF


def normal(stream: HostStream, count: int, dtype: np.dtype[Any]) -> Array:
    """The first `count` standard normal numbers."""
    size = _in_block(dtype)
    return _normals(stream.blocks(0, -(-count // size)), dtype).reshape(-1)[:count].astype(dtype, copy=False)


def truncated_normal(stream: HostStream, count: int, dtype: np.dtype[Any]) -> Array:
    """The first `count` standard normal numbers between -2 and 2; see `tfcompat._ops.random.walk`."""
    size = _in_block(dtype)
    groups = -(-count // size)
    each = size * philox.BLOCKS_PER_ELEMENT // 4
    base = np.arange(groups, dtype=np.uint64) * np.uint64(each)
    numbers = _normals(stream.blocks_at(base), dtype)
    is_taken = np.abs(numbers) < 2
    filled = is_taken.sum(1)
    missing = np.flatnonzero(filled < size)
    # The rows of groups that miss some: first the numbers that were taken, in order.
    rows, filled = _gathered(np.empty_like(numbers[missing]), numbers[missing], is_taken[missing], filled[missing] * 0)
    attempt = 0
    while missing.size:
        is_full = filled >= size
        numbers[missing[is_full]] = rows[is_full]
        missing, rows, filled = missing[~is_full], rows[~is_full], filled[~is_full]
        attempt += 1
        drawn = _normals(stream.blocks_at(base[missing] + np.uint64(attempt)), dtype)
        rows, filled = _gathered(rows, drawn, np.abs(drawn) < 2, filled)
    return numbers.reshape(-1)[:count].astype(dtype, copy=False)


def _gathered(rows: Array, drawn: Array, is_taken: Array, filled: Array) -> tuple[Array, Array]:
    """`rows`, each with `filled` numbers, and behind them those taken of `drawn`; and how many each has now."""
    place = filled[:, None] + np.cumsum(is_taken, 1) - 1
    row, column = np.nonzero(is_taken & (place < rows.shape[1]))
    rows[row, place[row, column]] = drawn[row, column]
    return rows, filled + is_taken.sum(1)


def _in_block(dtype: np.dtype[Any]) -> int:
    """The number of normal numbers that a block gives."""
    return 2 if dtype == np.float64 else 4


def _normals(blocks: Array, dtype: np.dtype[Any]) -> Array:
    """The standard normal numbers of each block, in float32 or float64."""
    if dtype == np.float64:
        first, second = _unit_float64(blocks[:, 0], blocks[:, 1]), _unit_float64(blocks[:, 2], blocks[:, 3])
    else:
        units = _unit(blocks, np.dtype(np.float32))
        first, second = units[:, ::2], units[:, 1::2]
    # TensorFlow's 2 pi is a float64 in both cases.
    angle = (second * np.float64(2 * np.pi)).astype(second.dtype)
    radius = np.maximum(first, first.dtype.type(1e-7))
    np.log(radius, out=radius)
    radius *= radius.dtype.type(-2)
    np.sqrt(radius, out=radius)
    found = np.stack([np.sin(angle), np.cos(angle)], -1)
    found *= radius[..., None]
    return found.reshape(len(blocks), _in_block(dtype))


def _unit(words: Array, dtype: np.dtype[Any]) -> Array:
    """A floating number in [0, 1) for each of `words` (see `philox.uniform`)."""
    unsigned = np.dtype(f"u{dtype.itemsize}")
    one = np.ones((), dtype)
    mantissa = words & np.uint32((1 << _MANTISSA[dtype.name]) - 1)
    bits = mantissa.astype(unsigned, copy=False)
    bits |= one.view(unsigned)
    numbers = bits.view(dtype)
    numbers -= one
    return numbers


_MANTISSA = {"float32": 23, "float16": 10, "bfloat16": 7}


def _unit_float64(high: Array, low: Array) -> Array:
    bits = (high & np.uint32(0xFFFFF)).astype(np.uint64)
    bits <<= _HALF
    bits |= low
    bits |= np.float64(1).view(np.uint64)
    numbers = bits.view(np.float64)
    numbers -= 1.0
    return numbers
