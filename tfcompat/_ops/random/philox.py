"""Philox 4x32-10, the counter-based generator behind TensorFlow's random numbers, and its numbers of each dtype.

A stream is a key and a counter; block b of a stream is four 32-bit words, computed from the key and the counter plus b.
Each number computes its whole block from its own index. That is four times the work of sharing blocks, but 5 to 40
times faster on a CPU, because it needs no rearranging and becomes one loop without branches (a million uniform numbers
on two cores: 2 to 4 ms, with shared blocks 30 to 300; JAX's Threefry 12).

Source: TF 2.21 `tf.random`; Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (2011).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.declare import Array

Words = tuple[Any, Any, Any, Any]

_ROUNDS = 10
_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_KEY_STEPS = (np.uint32(0x9E3779B9), np.uint32(0xBB67AE85))
_SCRAMBLING_KEY = (np.uint32(0x3EC8F720), np.uint32(0x02461E29))
_HALF = np.uint64(32)
_ONE = np.uint64(1)
# The number of blocks that TensorFlow reserves in the stream for each element that an op draws.
BLOCKS_PER_ELEMENT = 256


def _product(word: Any, multiplier: np.uint64) -> tuple[Any, Any]:
    """The high and the low word of a product."""
    product = word.astype(np.uint64) * multiplier
    return (product >> _HALF).astype(np.uint32), product.astype(np.uint32)


def _round(key: tuple[Any, Any], counter: Words) -> tuple[tuple[Any, Any], Words]:
    """The key of the next round, and the four words after this round."""
    (k0, k1), (c0, c1, c2, c3) = key, counter
    high0, low0 = _product(c0, _MULTIPLIERS[0])
    high1, low1 = _product(c2, _MULTIPLIERS[1])
    return (k0 + _KEY_STEPS[0], k1 + _KEY_STEPS[1]), (high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0)


def philox(key: tuple[Any, Any], counter: Words) -> Words:
    """The block of four words for a key and a counter; takes NumPy or JAX arrays of uint32.

    JAX traces one round, and XLA compiles them all in a row.
    """
    if isinstance(counter[0], np.ndarray | np.generic):
        for _ in range(_ROUNDS):
            key, counter = _round(key, counter)
        return counter
    shape = jnp.shape(counter[0])
    c0, c1, c2, c3 = (jnp.broadcast_to(word, shape) for word in counter)

    def turn(state: tuple[Any, Words], _: None) -> tuple[tuple[Any, Words], None]:
        return _round(*state), None

    return lax.scan(turn, (key, (c0, c1, c2, c3)), None, length=_ROUNDS, unroll=_ROUNDS)[0][1]


class Stream(NamedTuple):
    """The start of a stream: a key of two words and a counter of 128 bits as two halves (uint64 scalars)."""

    key: tuple[Any, Any]
    low: Any
    high: Any

    def block(self, index: Any) -> Words:
        """The four words of each block of `index`, uint64."""
        low = self.low + index
        high = self.high + (low < index).astype(np.uint64)
        return philox(self.key, (*_halves(low), *_halves(high)))

    def word(self, index: Any) -> Any:
        """The word at each `index`, four words to a block."""
        first, second = self.pair(index >> _ONE)
        return jnp.where((index & _ONE) == 0, first, second)

    def pair(self, index: Any) -> tuple[Any, Any]:
        """Both words of each pair at `index`, two pairs to a block."""
        block = self.block(index >> _ONE)
        is_first = (index & _ONE) == 0
        return jnp.where(is_first, block[0], block[2]), jnp.where(is_first, block[1], block[3])


def _halves(number: Any) -> tuple[Any, Any]:
    """The low and the high word of a 64-bit number."""
    return number.astype(np.uint32), (number >> _HALF).astype(np.uint32)


def _whole(low: Any, high: Any) -> Any:
    """The 64-bit number with these words."""
    return low.astype(np.uint64) | (high.astype(np.uint64) << _HALF)


def opened(parts: Sequence[Array]) -> Stream:
    """The stream given by an op's integer arguments.

    They are three numbers (counter low and high, key), one array of these three (the state of a generator), or an array
    of
    two numbers (a seed for a stateless op).
    """
    if len(parts) == 1 and parts[0].shape[-1] == 2:
        return scrambled(parts[0].astype(np.int64).astype(np.uint64))
    low, high, key = (part.astype(np.uint64) for part in (parts if len(parts) == 3 else parts[0]))
    return Stream(_halves(key), low, high)


def scrambled(seed: Array) -> Stream:
    """The stream of a stateless op for a `seed` of two numbers.

    The stream is computed in a loop, because XLA would otherwise recompute it in each of the many places that read it.
    It
    has 64-bit numbers there: their halves stay in registers, while words would be loaded again for each number drawn.
    """

    def scramble(_: Any, state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        key, low, high = state
        key, counter = _round(_halves(key), (*_halves(low), *_halves(high)))
        return _whole(*key), _whole(*counter[:2]), _whole(*counter[2:])

    begin = (_whole(*_SCRAMBLING_KEY), seed[0], seed[1])
    _, key, high = lax.fori_loop(0, _ROUNDS, scramble, begin, unroll=_ROUNDS // 2)
    return Stream(_halves(key), np.uint64(0), high)


def scrambling_words(seed: np.ndarray) -> Words:
    """On the host, the key (two words) and the high half of the counter (two words) for a `seed` of two numbers."""
    key0, key1 = (word + (seed[0] & np.uint64(0)).astype(np.uint32) for word in _SCRAMBLING_KEY)
    return philox((key0, key1), (*_halves(seed[0]), *_halves(seed[1])))


def host_words(number: int) -> tuple[Any, Any]:
    """The low and the high word of a 64-bit number, for `philox` on the host."""
    return np.array([number & 0xFFFFFFFF], np.uint32), np.array([number >> 32 & 0xFFFFFFFF], np.uint32)


def indices(count: int) -> Array:
    """The numbers below `count`, as indices for the functions below."""
    return lax.iota(np.uint64, count)


def uniform(stream: Stream, index: Array, dtype: Any) -> Array:
    """The floating numbers in [0, 1) at `index`."""
    if dtype == np.float64:
        return _unit_float64(*stream.pair(index))
    return unit(stream.word(index), dtype)


def unit(word: Array, dtype: Any) -> Array:
    """A floating number in [0, 1): the low bits of `word` are the mantissa of a number in [1, 2)."""
    info = jnp.finfo(dtype)
    unsigned = {16: np.uint16, 32: np.uint32}[info.bits]
    one = np.asarray(1, dtype).view(unsigned)
    mantissa = (word & np.uint32((1 << info.nmant) - 1)).astype(unsigned)
    return lax.bitcast_convert_type(mantissa | one, dtype) - jnp.ones((), dtype)


def _unit_float64(high: Array, low: Array) -> Array:
    one = np.float64(1).view(np.uint64)
    return lax.bitcast_convert_type(_whole(low, high & np.uint32(0xFFFFF)) | one, np.float64) - 1.0


def integers(stream: Stream, index: Array, dtype: Any) -> Array:
    """The unsigned integers at `index`, which use all bits of `dtype`."""
    if np.dtype(dtype).itemsize == 4:
        return stream.word(index)
    return _whole(*stream.pair(index))


def uniform_pair(stream: Stream, block: Array) -> tuple[Array, Array]:
    """Both float64 numbers in [0, 1) of each `block`."""
    words = stream.block(block)
    return _unit_float64(words[0], words[1]), _unit_float64(words[2], words[3])


def uniforms(stream: Stream, block: Array, blocks: int) -> Array:
    """The float64 numbers in [0, 1) of each `block` and its successors, `blocks` in all, two numbers each."""
    return uniform(stream, (block << _ONE) + indices(2 * blocks)[:, None], np.float64)


def normals(first: Array, second: Array) -> tuple[Array, Array]:
    """The standard normal numbers computed from two numbers in [0, 1)."""
    radius, angle = _polar(first, second)
    return jnp.sin(angle) * radius, jnp.cos(angle) * radius


def _polar(first: Array, second: Array) -> tuple[Array, Array]:
    """The radius and angle of a normally distributed point in the plane, from two numbers in [0, 1)."""
    radius = jnp.sqrt(-2 * jnp.log(jnp.maximum(first, 1e-7)))
    # TensorFlow's 2 pi is a float64 in both cases.
    return radius, (2 * np.pi * second.astype(np.float64)).astype(second.dtype)


def normal(stream: Stream, index: Array, dtype: Any) -> Array:
    """The standard normal numbers at `index`; 16-bit numbers are rounded float32."""
    if dtype == np.float64:
        first, second = uniform_pair(stream, index >> _ONE)
    else:
        first, second = (unit(word, np.float32) for word in stream.pair(index >> _ONE))
    radius, angle = _polar(first, second)
    return (jnp.where((index & _ONE) == 0, jnp.sin(angle), jnp.cos(angle)) * radius).astype(dtype)
