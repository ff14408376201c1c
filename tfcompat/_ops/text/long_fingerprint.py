"""FarmHash's Fingerprint64 of one long text, in Python's integers.

NumPy takes ten times as long for arrays of one number.
"""

from __future__ import annotations

import struct

# Source: https://github.com/google/farmhash
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
_MASK = (1 << 64) - 1
_SEED = 81
_PART = 64
_words = struct.Struct("<8Q").unpack_from

Pair = tuple[int, int]
State = tuple[int, int, int, Pair, Pair]


def long_fingerprint(text: bytes) -> int:
    """The hash of a text of more than 64 bytes."""
    y = _SEED * _K1 + 113 & _MASK
    state: State = (
        (_SEED * _K2 + _words(text)[0]) & _MASK,
        y,
        _mixed(y * _K2 + 113 & _MASK) * _K2 & _MASK,
        (0, 0),
        (0, 0),
    )
    for start in range(0, (len(text) - 1) // _PART * _PART, _PART):
        state = _turn(_words(text, start), state, _K1, 1)
    x, y, z, v, w = state
    factor = _K1 + ((z & 0xFF) << 1)
    first = w[0] + (len(text) - 1 & _PART - 1) & _MASK
    second = v[0] + first & _MASK
    last = _words(text, len(text) - _PART)
    x, y, z, v, w = _turn(last, (x, y, z, (second, v[1]), (first + second & _MASK, w[1])), factor, 9)
    return _pair(_pair(v[0], w[0], factor) + _mixed(y) * _K0 + z & _MASK, _pair(v[1], w[1], factor) + x & _MASK, factor)


def _turn(words: tuple[int, ...], state: State, factor: int, weight: int) -> State:
    """The state after 64 bytes more."""
    x, y, z, v, w = state
    x = _right(x + y + v[0] + words[1] & _MASK, 37) * factor & _MASK
    y = _right(y + v[1] + words[6] & _MASK, 42) * factor & _MASK
    x ^= w[1] * weight & _MASK
    y = y + v[0] * weight + words[5] & _MASK
    z = _right(z + w[0] & _MASK, 33) * factor & _MASK
    v = _weak(words[:4], v[1] * factor, x + w[0])
    return z, y, x, v, _weak(words[4:], z + w[1], y + words[2])


def _weak(words: tuple[int, ...], a: int, b: int) -> Pair:
    """32 bytes and two numbers mixed into two words."""
    a = a + words[0] & _MASK
    b = _right(b + a + words[3] & _MASK, 21)
    c = a + words[1] + words[2] & _MASK
    return c + words[3] & _MASK, b + _right(c, 44) + a & _MASK


def _right(word: int, count: int) -> int:
    """The bits of `word` rotated to the right by `count`."""
    return word >> count | word << 64 - count & _MASK


def _mixed(word: int) -> int:
    return word ^ word >> 47


def _pair(u: int, v: int, factor: int) -> int:
    """Two words mixed into one."""
    a = _mixed((u ^ v) * factor & _MASK)
    return _mixed((v ^ a) * factor & _MASK) * factor & _MASK
