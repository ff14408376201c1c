"""Candidate sampling: random classes next to the true ones, so that a loss over many classes uses only a few."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Check, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import INDEX, int64
from tfcompat._ops.random import philox

_CLASSES = {"true_classes": frozenset((int64,)), "stream": INDEX}


# The result of the candidate samplers.
_FIELDS = [("sampled_candidates", Any), ("true_expected_count", Any), ("sampled_expected_count", Any)]
AllCandidateSampler = NamedTuple("AllCandidateSampler", _FIELDS)
FixedUnigramCandidateSampler = NamedTuple("FixedUnigramCandidateSampler", _FIELDS)
LogUniformCandidateSampler = NamedTuple("LogUniformCandidateSampler", _FIELDS)
UniformCandidateSampler = NamedTuple("UniformCandidateSampler", _FIELDS)


class ComputeAccidentalHits(NamedTuple):
    """The result of `tf.nn.compute_accidental_hits`."""

    indices: Any
    ids: Any
    weights: Any


def require_classes(
    name: str, true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int
) -> Tensor:
    """`true_classes` as a tensor [batch, `num_true`]. Raises InvalidArgumentError for invalid arguments."""
    tensor = convert_to_tensor(true_classes, dtype_hint=int64)
    if tensor.dtype is not int64 or tensor.ndim != 2 or tensor._aval.shape[1] != num_true:
        raise InvalidArgumentError.of(
            f"tf.{name}: true_classes must be int64 of shape [batch, num_true={num_true}], got {tensor._aval}."
        )
    if num_sampled < 1 or num_true < 1 or (unique and num_sampled > range_max):
        raise InvalidArgumentError.of(
            f"tf.{name}: num_true and num_sampled must be positive, and with unique num_sampled at most range_max; got "
            f"{num_true}, {num_sampled} and {range_max}."
        )
    return tensor


_IS_CLASS = Check(
    ("true_classes",),
    lambda true_classes, range_max, **_: (true_classes < 0) | (true_classes >= range_max),
    "true_classes must be in [0, range_max)",
)


def _expected(probability: Array, count: int, tries: Array) -> Array:
    """The expected count of a class of `probability` among `count` classes that took `tries` draws."""
    probability = probability.astype(jnp.float32)
    among = -jnp.expm1(tries.astype(jnp.float32) * jnp.log1p(-probability))
    return jnp.where(tries == count, probability * np.float32(count), among)


def _distinct(draw: Callable[[Array], Array], count: int, range_max: int) -> tuple[Array, Array]:
    """The first `count` distinct numbers among `draw` of 0, 1, 2..., and the number of draws."""
    portion = 2 * count

    def is_open(state: tuple[Array, ...]) -> Array:
        return state[2] < count

    def drawn(state: tuple[Array, ...]) -> tuple[Array, ...]:
        start, tries, filled, picked, is_used = state
        numbers = draw(start + philox.indices(portion))
        order = jnp.argsort(numbers)
        in_order = numbers[order]
        is_first = jnp.zeros(portion, bool).at[order].set(jnp.append(True, in_order[1:] != in_order[:-1]))
        is_new = is_first & ~is_used[numbers]
        place = filled + jnp.cumsum(is_new) - 1
        picked = picked.at[jnp.where(is_new, place, count)].set(numbers, mode="drop")
        total = place[-1] + 1
        needed = jnp.where(total >= count, jnp.argmax(place == count - 1) + 1, portion)
        return start + np.uint64(portion), tries + needed, total, picked, is_used.at[numbers].set(True)

    zero = jnp.zeros((), jnp.int64)
    state = (jnp.zeros((), jnp.uint64), zero, zero, jnp.zeros(count, jnp.int64), jnp.zeros(range_max, bool))
    _, tries, _, picked, _ = lax.while_loop(is_open, drawn, state)
    return picked, tries


def _sampled(
    true_classes: Array,
    draw: Callable[[Array], Array],
    probability: Callable[[Array], Array],
    count: int,
    unique: bool,
    range_max: int,
) -> tuple[Array, Array, Array]:
    if unique:
        picked, tries = _distinct(draw, count, range_max)
    else:
        picked, tries = draw(philox.indices(count)), jnp.asarray(count)
    return (
        picked,
        _expected(probability(true_classes), count, tries),
        _expected(probability(picked), count, tries),
    )


@op(
    "random.uniform_candidate_sampler",
    same=("stream",),
    dtypes=_CLASSES,
    differentiable=False,
    check=_IS_CLASS,
    structure=UniformCandidateSampler._make,
)
def uniform_sample(
    true_classes: Array, stream: Arrays, num_sampled: int, unique: bool, range_max: int
) -> tuple[Array, Array, Array]:
    """Uniformly distributed classes."""
    source = philox.opened(stream)

    def draw(index: Array) -> Array:
        low, high = source.pair(index)
        return ((low.astype(np.uint64) | (high.astype(np.uint64) << np.uint64(32))) % np.uint64(range_max)).astype(
            jnp.int64
        )

    def probability(classes: Array) -> Array:
        return jnp.full(classes.shape, 1 / range_max, jnp.float32)

    return _sampled(true_classes, draw, probability, num_sampled, unique, range_max)


@op(
    "random.log_uniform_candidate_sampler",
    same=("stream",),
    dtypes=_CLASSES,
    differentiable=False,
    check=_IS_CLASS,
    structure=LogUniformCandidateSampler._make,
)
def log_uniform_sample(
    true_classes: Array, stream: Arrays, num_sampled: int, unique: bool, range_max: int
) -> tuple[Array, Array, Array]:
    """Log-uniformly distributed classes (Zipf's law)."""
    source, log_range = philox.opened(stream), math.log1p(range_max)

    def draw(index: Array) -> Array:
        number = jnp.exp(philox.uniform(source, index, np.dtype(np.float64)) * log_range)
        return (number.astype(jnp.int64) - 1) % range_max

    def probability(classes: Array) -> Array:
        return jnp.log((classes + 2.0) / (classes + 1.0)) / log_range

    return _sampled(true_classes, draw, probability, num_sampled, unique, range_max)


class Urn:
    """Draws numbers with given weights by Walker's alias method, with the table filled as in TensorFlow.

    Each entry holds two numbers: its own, and an alias for the rest of the mean weight.
    """

    def __init__(self, weights: np.ndarray) -> None:
        count = weights.size
        shares = weights.astype(np.float64) * count / weights.astype(np.float64).sum()
        self.alias = np.arange(count)
        low, high = np.flatnonzero(shares < 1).tolist(), np.flatnonzero(shares >= 1).tolist()
        while low and high:
            less, more = low.pop(), high.pop()
            self.alias[less] = more
            shares[more] -= 1 - shares[less]
            (low if shares[more] < 1 else high).append(more)
        shares[high + low] = 1
        self.share = shares.astype(np.float32)

    def draw(self, words: _Words) -> int:
        """The next number."""
        fraction = words.fraction()
        place = words.below(self.share.size)
        return place if fraction < self.share[place] else int(self.alias[place])


class _Words:
    """The words of a stream one after another, on the host."""

    def __init__(self, key: int, low: int, high: int) -> None:
        self.key = philox.host_words(key)
        self.block, self.high = low, high
        self.rest: list[int] = []

    def word(self) -> int:
        """The next word."""
        if not self.rest:
            block = philox.philox(self.key, (*philox.host_words(self.block), *philox.host_words(self.high)))
            self.rest = [int(word[0]) for word in block[::-1]]
            self.block += 1
        return self.rest.pop()

    def fraction(self) -> np.float32:
        """A number in [0, 1)."""
        return np.float32((self.word() & 0x7FFFFF) / 2**23)

    def below(self, limit: int) -> int:
        """An integer below `limit`; words that would favour some integers are discarded."""
        if not limit & (limit - 1):
            return self.word() & (limit - 1)
        least = 2**32 % limit
        while (word := self.word()) < least:
            pass
        return word % limit


def weighted_sample(
    true_classes: np.ndarray, weights: np.ndarray, stream: tuple[int, int, int], count: int, unique: bool
) -> FixedUnigramCandidateSampler:
    """Classes with `weights`, drawn from the stream of a key and the halves of a counter."""
    words, urn = _Words(*stream), Urn(weights)
    picked: dict[int, None] | list[int]
    if unique:
        picked, tries = {}, 0
        while len(picked) < count:
            picked[urn.draw(words)] = None
            tries += 1
    else:
        picked, tries = [urn.draw(words) for _ in range(count)], count
    chosen = np.array(list(picked), np.int64)
    probability = weights / np.float32(weights.sum(dtype=np.float32))

    def expected(classes: np.ndarray) -> Tensor:
        share = probability[classes].astype(np.float32)
        among = -np.expm1(np.float32(tries) * np.log1p(-share))
        return Tensor((share * np.float32(count) if tries == count else among).astype(np.float32))

    return FixedUnigramCandidateSampler(Tensor(chosen), expected(true_classes), expected(chosen))
