"""The position of an index in a random order, without the order: a block cipher is applied until it stays in range.

Source: TF 2.21 `tf.random.experimental.index_shuffle`; Black and Rogaway, Ciphers with arbitrary finite domains (2002);
Beaulieu et al., The Simon and Speck families of lightweight block ciphers (2013).
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import int32, int64, uint32, uint64
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.array.padding import pad

_NAME = "random.experimental.index_shuffle"
_FIRST_KEY = 498247692
_CONSTANT = np.uint64(0xFFFFFFFC)
_SEQUENCE = 0x7369F885192C0EF5
_LEAST_WORD = 8
_INTEGERS = frozenset((int32, int64, uint32, uint64))
_ONE = np.uint64(1)


def _word_size(largest: Array) -> Array:
    """The number of bits of half a block, which can hold all numbers up to `largest`."""
    bits = np.uint64(64) - lax.clz(jnp.maximum(largest, _ONE) - _ONE)
    return jnp.maximum((bits + _ONE) // np.uint64(2), np.uint64(_LEAST_WORD))


def _left(word: Array, count: int, size: Array, mask: Array) -> Array:
    """`word` of `size` bits rotated left."""
    by = np.uint64(count)
    return ((word << by) | (word >> (size - by))) & mask


def _right(word: Array, count: int, size: Array, mask: Array) -> Array:
    by = np.uint64(count)
    return ((word >> by) | (word << (size - by))) & mask


def _mixed(word: Array, size: Array, mask: Array) -> Array:
    """The round function of the cipher."""
    return (_left(word, 1, size, mask) & _left(word, 8, size, mask)) ^ _left(word, 2, size, mask)


def _keys(seed: Array, rounds: int, size: Array, mask: Array) -> list[Array]:
    """The keys of the rounds, from three numbers for each index."""
    keys = [seed[..., place] & mask for place in range(3)]
    for place in range(3, rounds):
        # The sequence contributes as many bits as a word has.
        bit = np.uint64(_SEQUENCE >> (place - 3) & 1) & (mask >> np.uint64(min(place - 3, 63)))
        turned = _right(keys[place - 1], 3, size, mask) ^ _right(keys[place - 1], 4, size, mask)
        keys.append((_CONSTANT & mask) ^ bit ^ keys[place - 3] ^ turned)
    return keys


def _validate(index: Any, seed: Any, max_index: Any, rounds: int) -> None:
    counts = {part.shape[0] for part in (index, max_index) if part.ndim == 1} | {*seed.shape[:-1]}
    if max(index.ndim, max_index.ndim) > 1 or seed.ndim not in (1, 2) or seed.shape[-1] != 3 or len(counts) > 1:
        raise InvalidArgumentError.of(
            f"tf.{_NAME}: index and max_index must be scalars or vectors of one size, and seed the numbers for all or "
            f"for each; got shapes {index.shape}, {max_index.shape} and {(*seed.shape[:-1], seed.shape[-1] - 1)}."
        )
    if rounds < 4 or rounds % 2:
        raise InvalidArgumentError.of(f"tf.random_index_shuffle: rounds must be even and at least 4, got {rounds}.")


def _is_beyond(index: Array, seed: Array, max_index: Array, rounds: int) -> Array:
    """Whether the index is out of range."""
    del seed, rounds
    return (index < 0) | (max_index < 0) | (index > max_index)


@op(
    _NAME,
    same=("index", "max_index"),
    dtypes={"index": _INTEGERS, "seed": _INTEGERS, "max_index": _INTEGERS},
    differentiable=False,
    validate=_validate,
    check=Check(reads=("index", "max_index"), flag=_is_beyond, message="index must be in [0, max_index]"),
)
def _shuffled(index: Array, seed: Array, max_index: Array, rounds: int) -> Array:
    largest = max_index.astype(np.uint64)
    is_matrix = seed.ndim > 1
    shape = broadcast_shapes(index.shape, largest.shape, seed.shape[:-1] if is_matrix else ())
    largest = jnp.broadcast_to(largest, shape)
    size = _word_size(largest)
    mask = (_ONE << size) - _ONE
    keys = _keys(seed.astype(np.uint32).astype(np.uint64), rounds, size, mask)

    def encrypted(number: Array) -> Array:
        left, right = (number >> size) & mask, number & mask
        for first, second in zip(keys[::2], keys[1::2], strict=True):
            left = left ^ _mixed(right, size, mask) ^ first
            right = right ^ _mixed(left, size, mask) ^ second
        return (left << size) | right

    def again(number: Array) -> Array:
        return jnp.where(number > largest, encrypted(number), number)

    start = encrypted(jnp.broadcast_to(index.astype(np.uint64), shape))
    found = lax.while_loop(lambda number: jnp.any(number > largest), again, start)
    return jnp.where(largest == 0, 0, found).astype(index.dtype)


def index_shuffle(index: Any, seed: Any, max_index: Any) -> Tensor:
    """The position of `index` in a random order of the numbers from 0 to `max_index`, determined by `seed`.

    Shapes: [] or [count], [2] or [count, 2], [] or [count] -> [] or [count].
    Dtypes: int32, int64, uint32, uint64 -> that of `index`.
    Raises: InvalidArgumentError if the shapes don't fit.
    Source: TF 2.21 `tf.random.experimental.index_shuffle`.
    """
    tensor = convert_to_tensor(seed)
    keys = pad(tensor, [[1, 0], *[[0, 0]] * (tensor.ndim - 1)], constant_values=_FIRST_KEY)
    return _shuffled(index, keys, max_index, 4)


def random_index_shuffle(index: Any, seed: Any, max_index: Any, rounds: int = 4, name: str | None = None) -> Tensor:
    """The position of `index` in a random order of the numbers from 0 to `max_index`, determined by `seed`.

    Shapes: [] or [count], [3] or [count, 3], [] or [count] -> [] or [count].
    Dtypes: int32, int64, uint32, uint64 -> that of `index`.
    Raises: InvalidArgumentError if the shapes don't fit, or `rounds` isn't even and at least 4.
    Source: TF 2.21 `tf.random_index_shuffle`.
    """
    del name
    return _shuffled(index, seed, max_index, rounds)
