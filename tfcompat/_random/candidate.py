"""Candidate samplers that draw from the seeds' state."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, UntraceableError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import int64
from tfcompat._ops.random.candidate import (
    AllCandidateSampler,
    ComputeAccidentalHits,
    FixedUnigramCandidateSampler,
    LogUniformCandidateSampler,
    UniformCandidateSampler,
    log_uniform_sample,
    require_classes,
    uniform_sample,
    weighted_sample,
)
from tfcompat._ops.random.philox import BLOCKS_PER_ELEMENT
from tfcompat._random import seed as seeds

# TensorFlow reserves this multiple of the usual blocks of the stream, since it may draw a class more than once.
_RESERVED = 2


def uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Any = None,
    name: str | None = None,
) -> UniformCandidateSampler:
    """`num_sampled` classes below `range_max`, uniformly distributed, and expected counts, also of `true_classes`.

    Shapes: [batch, `num_true`] -> [`num_sampled`], [batch, `num_true`], [`num_sampled`].
    Dtypes: int64 -> int64, float32, float32.
    Raises: InvalidArgumentError if `true_classes` has another shape or no classes, or there are too few `unique` ones.
    Source: TF 2.21 `tf.random.uniform_candidate_sampler`.
    """
    del name
    draw = uniform_sample
    return _drawn(draw, "uniform", true_classes, num_true, num_sampled, unique, range_max, seed)


def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Any = None,
    name: str | None = None,
) -> LogUniformCandidateSampler:
    """`num_sampled` classes below `range_max`, log-uniformly distributed, and expected counts, also of `true_classes`.

    The probability of class k is (log(k + 2) - log(k + 1)) / log(`range_max` + 1).

    Shapes: [batch, `num_true`] -> [`num_sampled`], [batch, `num_true`], [`num_sampled`].
    Dtypes: int64 -> int64, float32, float32.
    Raises: InvalidArgumentError if `true_classes` has another shape or no classes, or there are too few `unique` ones.
    Source: TF 2.21 `tf.random.log_uniform_candidate_sampler`.
    """
    del name
    draw = log_uniform_sample
    return _drawn(draw, "log_uniform", true_classes, num_true, num_sampled, unique, range_max, seed)


def _drawn(
    draw: Callable[..., Any],
    kind: str,
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Any,
) -> Any:
    name = f"random.{kind}_candidate_sampler"
    classes = require_classes(name, true_classes, num_true, num_sampled, unique, range_max)
    attributes = (num_sampled, range_max, bool(unique), num_true)
    stream = seeds.stream(name, attributes, seed, _RESERVED * num_sampled)
    return draw(classes, stream, num_sampled, bool(unique), range_max)


def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Any = (),
    seed: Any = None,
    name: str | None = None,
) -> FixedUnigramCandidateSampler:
    """`num_sampled` classes with given weights, and the expected counts of them and of `true_classes`.

    The weights are `unigrams`, or the last column of the text file `vocab_file`, to the power of `distortion`, after
    `num_reserved_ids` zeros. Of several shards, only the classes equal to `shard` modulo `num_shards` are used. The
    host draws the classes: the Python code of a `tf.function` that calls this runs at each call.

    Shapes: [batch, `num_true`] -> [`num_sampled`], [batch, `num_true`], [`num_sampled`].
    Dtypes: int64 -> int64, float32, float32.
    Raises: InvalidArgumentError if there aren't `range_max` weights, or for other invalid arguments.
    Source: TF 2.21 `tf.random.fixed_unigram_candidate_sampler`.
    """
    del name
    place = "random.fixed_unigram_candidate_sampler"
    if here.graph is not None:
        raise UntraceableError(f"tf.{place}: the host draws the classes, so no program can hold it.")
    classes = np.asarray(require_classes(place, true_classes, num_true, num_sampled, unique, range_max))
    if bool(vocab_file) == (len(unigrams) > 0):
        raise InvalidArgumentError.of(f"tf.{place}: either vocab_file or unigrams must be given.")
    given = _column(place, vocab_file) if vocab_file else [float(weight) for weight in unigrams]
    every = np.array([0.0] * num_reserved_ids + [float(np.float32(one) ** np.float32(distortion)) for one in given])
    weights = every[shard::num_shards].astype(np.float32)
    if weights.size != range_max or not ((classes >= 0) & (classes < range_max)).all():
        raise InvalidArgumentError.of(
            f"tf.{place}: expected range_max={range_max} weights, got {weights.size}; and true_classes below it."
        )
    attributes = (num_sampled, range_max, bool(unique), num_true, tuple(weights.tolist()))
    blocks = _RESERVED * num_sampled * BLOCKS_PER_ELEMENT
    return weighted_sample(
        classes, weights, seeds.reserve_eagerly(place, attributes, seed, blocks), num_sampled, unique
    )


def _column(name: str, path: str) -> list[float]:
    """The numbers after the last comma of each line."""
    lines = Path(path).read_text().splitlines()
    try:
        return [float(line.rpartition(",")[2]) for line in lines]
    except ValueError as refused:
        raise InvalidArgumentError.of(f"tf.{name}: every line of {path} must end in a number.") from refused


def all_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, seed: Any = None, name: str | None = None
) -> AllCandidateSampler:
    """All `num_sampled` classes, each of which is expected once, as are `true_classes`.

    `unique` and `seed` do not change the result. Without `seed`, the call takes a number from the global seed, as
    TensorFlow's does.

    Shapes: [batch, `num_true`] -> [`num_sampled`], [batch, `num_true`], [`num_sampled`].
    Dtypes: int64 -> int64, float32, float32.
    Raises: InvalidArgumentError if `true_classes` has another shape, or no classes.
    Source: TF 2.21 `tf.random.all_candidate_sampler`.
    """
    del unique, name
    seeds.pass_over(seed)
    place = "random.all_candidate_sampler"
    classes = np.asarray(require_classes(place, true_classes, num_true, num_sampled, False, num_sampled))
    if not ((classes >= 0) & (classes < num_sampled)).all():
        raise InvalidArgumentError.of(
            f"tf.{place}: true_classes must be in [0, {num_sampled}), got {classes.tolist()}."
        )
    return AllCandidateSampler(
        Tensor(np.arange(num_sampled)),
        Tensor(np.ones(classes.shape, np.float32)),
        Tensor(np.ones(num_sampled, np.float32)),
    )


def compute_accidental_hits(
    true_classes: Any, sampled_candidates: Any, num_true: int, seed: Any = None, name: str | None = None
) -> ComputeAccidentalHits:
    """The positions of `sampled_candidates` that are `true_classes` of an example, and weights that mask them.

    `seed` does not change the result. Without it, the call takes a number from the global seed, as TensorFlow's does.

    Shapes: [batch, num_true], [sampled] -> [hits] three times: examples, places in `sampled_candidates`, weights.
    Dtypes: int64, int64 -> int32, int64, float32 (its lowest).
    Raises: InvalidArgumentError if `true_classes` has another shape, or `sampled_candidates` is not a vector.
    Source: TF 2.21 `tf.nn.compute_accidental_hits`.
    """
    del name
    seeds.pass_over(seed)
    place = "nn.compute_accidental_hits"
    classes = np.asarray(require_classes(place, true_classes, num_true, 1, False, 1))
    sampled = np.asarray(convert_to_tensor(sampled_candidates, int64))
    if sampled.ndim != 1:
        raise InvalidArgumentError.of(f"tf.{place}: sampled_candidates must be a vector, got shape {sampled.shape}.")
    where = {int(candidate): k for k, candidate in enumerate(sampled)}
    hits = [(row, where[int(one)]) for row, labels in enumerate(classes) for one in labels if int(one) in where]
    rows, places = np.array(hits, np.int64).reshape(-1, 2).T
    weights = np.full(len(hits), np.finfo(np.float32).min)
    return ComputeAccidentalHits(Tensor(rows.astype(np.int32)), Tensor(np.ascontiguousarray(places)), Tensor(weights))
