"""Three 64-bit hash functions of strings.

They process many strings of equal length at once: each is a row of bytes, in arrays of uint64 with wrapping arithmetic.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tfcompat._ops.text.long_fingerprint import long_fingerprint

# Rows of bytes, and a number for each row.
Rows = np.ndarray
Words = np.ndarray


def hashes(function: Callable[[Rows], Words], texts: Iterable[bytes]) -> Words:
    """`function`, which takes strings of equal length as rows of bytes, applied to all `texts`."""
    listed = list(texts)
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place, text in enumerate(listed):
        places[len(text)].append(place)
    found = np.empty(len(listed), np.uint64)
    with np.errstate(over="ignore"):
        for size, chosen in places.items():
            joined = np.frombuffer(b"".join([listed[place] for place in chosen]), np.uint8)
            found[chosen] = function(joined.reshape(len(chosen), size))
    return found


def _u64(value: int) -> np.uint64:
    return np.uint64(value & 0xFFFFFFFFFFFFFFFF)


def _word(rows: Rows, start: int, size: int = 8) -> Words:
    """The little-endian number in `size` bytes from `start` on; 0 beyond the end."""
    piece = rows[:, start : start + size]
    shifts = np.arange(piece.shape[1], dtype=np.uint64) * _u64(8)
    return (piece.astype(np.uint64) << shifts).sum(axis=1, dtype=np.uint64)


def _turned(word: Words, count: int) -> Words:
    """The bits of `word` rotated to the left by `count`."""
    return (word << _u64(count)) | (word >> _u64(64 - count))


# Fingerprint64 of FarmHash. Source: https://github.com/google/farmhash

# For this many texts at most, Python's integers are faster than arrays.
_FEW = 16
_K0, _K1, _K2 = _u64(0xC3A5C85C97CB3127), _u64(0xB492B66FBE98F273), _u64(0x9AE16A3B2F90404F)


def fingerprint(rows: Rows) -> Words:
    """FarmHash's Fingerprint64 of each of `rows`."""
    size = rows.shape[1]
    if size <= 16:
        return _of_16(rows)
    if size <= 32:
        return _of_32(rows)
    if size <= 64:
        return _of_64(rows)
    if len(rows) <= _FEW:
        return np.array([long_fingerprint(row.tobytes()) for row in rows], np.uint64)
    return _of_many(rows)


def _mixed(word: Words) -> Words:
    return word ^ (word >> _u64(47))


def _pair(u: Words, v: Words, factor: Any) -> Words:
    """Two words mixed into one."""
    a = _mixed((u ^ v) * factor)
    return _mixed((v ^ a) * factor) * factor


def _right(word: Words, count: int) -> Words:
    return _turned(word, 64 - count)


def _of_16(rows: Rows) -> Words:
    size = rows.shape[1]
    factor = _K2 + _u64(2 * size)
    if size >= 8:
        a, b = _word(rows, 0) + _K2, _word(rows, size - 8)
        return _pair(_right(b, 37) * factor + a, (_right(a, 25) + b) * factor, factor)
    if size >= 4:
        return _pair(_u64(size) + (_word(rows, 0, 4) << _u64(3)), _word(rows, size - 4, 4), factor)
    if size == 0:
        return np.full(len(rows), _K2)
    first, middle, last = (rows[:, place].astype(np.uint64) for place in (0, size >> 1, size - 1))
    y, z = first + (middle << _u64(8)), _u64(size) + (last << _u64(2))
    return _mixed(y * _K2 ^ z * _K0) * _K2


def _ends(rows: Rows, first: Any, factor: Any) -> tuple[Words, Words, Words]:
    """The common start of the hash for strings of 17 to 64 bytes: of their first and last 16 bytes."""
    size = rows.shape[1]
    a, b = _word(rows, 0) * first, _word(rows, 8)
    c, d = _word(rows, size - 8) * factor, _word(rows, size - 16) * _K2
    return a, _right(a + b, 43) + _right(c, 30) + d, a + _right(b + _K2, 18) + c


def _of_32(rows: Rows) -> Words:
    factor = _K2 + _u64(2 * rows.shape[1])
    _, y, z = _ends(rows, _K1, factor)
    return _pair(y, z, factor)


def _of_64(rows: Rows) -> Words:
    size = rows.shape[1]
    factor = _K2 + _u64(2 * size)
    a, y, rest = _ends(rows, _K2, factor)
    z = _pair(y, rest, factor)
    e, f = _word(rows, 16) * factor, _word(rows, 24)
    g, h = (y + _word(rows, size - 32)) * factor, (z + _word(rows, size - 24)) * factor
    return _pair(_right(e + f, 43) + _right(g, 30) + h, e + _right(f + a, 18) + g, factor)


def _weak(rows: Rows, start: int, a: Words, b: Words) -> tuple[Words, Words]:
    """32 bytes and two words mixed into two words."""
    w, x, y, z = (_word(rows, start + 8 * k) for k in range(4))
    a = a + w
    b = _right(b + a + z, 21)
    c = a
    a = a + x + y
    return a + z, b + _right(a, 44) + c


def _of_many(rows: Rows) -> Words:
    count, size = rows.shape
    zero = np.zeros(count, np.uint64)
    seed = _u64(81)
    y = zero + seed * _K1 + _u64(113)
    z = _mixed(y * _K2 + _u64(113)) * _K2
    x = seed * _K2 + _word(rows, 0)
    v, w = (zero, zero), (zero, zero)
    for start in range(0, (size - 1) // 64 * 64, 64):
        x, y, z, v, w = _turn(rows, start, (x, y, z, v, w), _K1, (_u64(1), _u64(1)))
    factor = _K1 + ((z & _u64(0xFF)) << _u64(1))
    w = (w[0] + _u64((size - 1) & 63), w[1])
    v = (v[0] + w[0], v[1])
    w = (w[0] + v[0], w[1])
    x, y, z, v, w = _turn(rows, size - 64, (x, y, z, v, w), factor, (_u64(9), _u64(9)))
    return _pair(
        _pair(v[0], w[0], factor) + _mixed(y) * _K0 + z,
        _pair(v[1], w[1], factor) + x,
        factor,
    )


def _turn(rows: Rows, start: int, state: tuple[Any, ...], factor: Any, weights: tuple[Any, Any]) -> tuple[Any, ...]:
    """The state after 64 bytes more."""
    x, y, z, v, w = state
    x = _right(x + y + v[0] + _word(rows, start + 8), 37) * factor
    y = _right(y + v[1] + _word(rows, start + 48), 42) * factor
    x = x ^ w[1] * weights[0]
    y = y + v[0] * weights[1] + _word(rows, start + 40)
    z = _right(z + w[0], 33) * factor
    v = _weak(rows, start, v[1] * factor, x + w[0])
    w = _weak(rows, start + 32, z + w[1], y + _word(rows, start + 16))
    return z, y, x, v, w


# SipHash-2-4. Source: J.-P. Aumasson and D. J. Bernstein, SipHash: a fast short-input PRF, 2012.


def siphash(rows: Rows, key: tuple[int, int]) -> Words:
    """SipHash-2-4 of each of `rows` under a `key` of two words."""
    count, size = rows.shape
    low, high = (np.full(count, _u64(word)) for word in key)
    state = (
        low ^ _u64(0x736F6D6570736575),
        high ^ _u64(0x646F72616E646F6D),
        low ^ _u64(0x6C7967656E657261),
        high ^ _u64(0x7465646279746573),
    )
    for start in range(0, size - 7, 8):
        state = _absorbed(state, _word(rows, start))
    state = _absorbed(state, _word(rows, size - size % 8) | _u64((size & 0xFF) << 56))
    state = _rounds((state[0], state[1], state[2] ^ _u64(0xFF), state[3]), 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _absorbed(state: tuple[Words, ...], word: Words) -> tuple[Words, ...]:
    a, b, c, d = _rounds((*state[:3], state[3] ^ word), 2)
    return a ^ word, b, c, d


def _rounds(state: tuple[Words, ...], count: int) -> tuple[Words, ...]:
    a, b, c, d = state
    for _ in range(count):
        a, c = a + b, c + d
        b, d = _turned(b, 13) ^ a, _turned(d, 16) ^ c
        a = _turned(a, 32)
        c, a = c + b, a + d
        b, d = _turned(b, 17) ^ c, _turned(d, 21) ^ a
        c = _turned(c, 32)
    return a, b, c, d


# MurmurHash64A with a fixed seed. Source: A. Appleby, https://github.com/aappleby/smhasher

_FACTOR, _SEED = _u64(0xC6A4A7935BD1E995), _u64(0xDECAFCAFFE)


def murmur(rows: Rows) -> Words:
    """MurmurHash64A of each of `rows`, with TensorFlow's seed."""
    count, size = rows.shape
    found = np.full(count, _SEED ^ _u64(size) * _FACTOR)
    for start in range(0, size - 7, 8):
        word = _word(rows, start) * _FACTOR
        found = (found ^ (_mixed(word) * _FACTOR)) * _FACTOR
    if size % 8:
        found = (found ^ _word(rows, size - size % 8)) * _FACTOR
    return _mixed(_mixed(found) * _FACTOR)
