"""Losses over a random sample of many classes: noise-contrastive estimation and sampled softmax."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import FLOATING, REAL, DType, int64
from tfcompat._ops.array.gathering import embedding_lookup
from tfcompat._ops.array.joining import concat
from tfcompat._ops.array.layout import reshape
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._random import seed as seeds
from tfcompat._random.candidate import log_uniform_candidate_sampler

_INPUTS = ("inputs", "weights", "biases")
_DTYPES: dict[str, frozenset[DType]] = {
    **dict.fromkeys(_INPUTS, FLOATING),
    **dict.fromkeys(("labels", "sampled", "true_count", "sampled_count"), REAL),
}


def _logits(
    inputs: Array,
    weights: Array,
    biases: Array,
    labels: Array,
    sampled: Array,
    true_count: Array,
    sampled_count: Array,
    removes_hits: bool,
) -> tuple[Array, Array]:
    """The logits of the true and of the sampled classes, minus the logarithm of their expected counts."""
    batch, true = labels.shape
    weights, biases = weights.astype(inputs.dtype), biases.astype(inputs.dtype)
    of_true = weights[: batch * true].reshape(batch, true, -1)
    true_logits = jnp.einsum("bd,btd->bt", inputs, of_true) + biases[: batch * true].reshape(batch, true)
    sampled_logits = inputs @ weights[batch * true :].T + biases[batch * true :]
    if removes_hits:
        is_last = ~jnp.any(jnp.triu(sampled[:, None] == sampled, 1), 1)
        is_hit = jnp.any(labels[:, :, None] == sampled, 1) & is_last
        sampled_logits = sampled_logits + jnp.where(is_hit, jnp.finfo(inputs.dtype).min, 0).astype(inputs.dtype)
    expected = (jnp.log(count).astype(inputs.dtype) for count in (true_count, sampled_count))
    return true_logits - next(expected), sampled_logits - next(expected)


@op("nn.nce_loss", same=(), dtypes=_DTYPES, differentiable=_INPUTS)
def _contrastive(
    inputs: Array,
    weights: Array,
    biases: Array,
    labels: Array,
    sampled: Array,
    true_count: Array,
    sampled_count: Array,
    removes_hits: bool,
) -> Array:
    """`nce_loss` with the rows of the true and sampled classes."""
    true, other = _logits(inputs, weights, biases, labels, sampled, true_count, sampled_count, removes_hits)

    def unlikely(logits: Array) -> Array:
        return jnp.maximum(logits, 0) + jnp.log1p(jnp.exp(-jnp.abs(logits)))

    return jnp.sum(unlikely(true) - true / true.shape[1], 1) + jnp.sum(unlikely(other), 1)


@op("nn.sampled_softmax_loss", same=(), dtypes=_DTYPES, differentiable=_INPUTS)
def _softmax(
    inputs: Array,
    weights: Array,
    biases: Array,
    labels: Array,
    sampled: Array,
    true_count: Array,
    sampled_count: Array,
    removes_hits: bool,
) -> Array:
    """`sampled_softmax_loss` with the rows of the true and sampled classes."""
    true, other = _logits(inputs, weights, biases, labels, sampled, true_count, sampled_count, removes_hits)
    logits = jnp.concatenate((true, other), 1)
    largest = jnp.max(logits, 1, keepdims=True)
    total = jnp.log(jnp.sum(jnp.exp(logits - largest), 1, keepdims=True)) + largest
    return jnp.mean(total - true, 1)


def _lost(
    recorded: Any,
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    removes_hits: bool,
    seed: Any,
) -> Tensor:
    true = cast(convert_to_tensor(labels), int64)
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(true, num_true, num_sampled, True, num_classes, seed)
    if removes_hits:
        seeds.pass_over(None)  # TensorFlow calls tf.nn.compute_accidental_hits
    sampled, true_count, sampled_count = sampled_values
    candidates = cast(convert_to_tensor(sampled), int64)
    classes = concat([reshape(true, [-1]), candidates], 0)
    rows, shifts = embedding_lookup(weights, classes), embedding_lookup(biases, classes)
    return recorded(inputs, rows, shifts, true, candidates, true_count, sampled_count, bool(removes_hits))


def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str = "nce_loss",
) -> Tensor:
    """The loss of distinguishing `labels`, `num_true` classes each, from `num_sampled` of `num_classes`, by `inputs`.

    The classes are `sampled_values`, by default from `tf.random.log_uniform_candidate_sampler`; with
    `remove_accidental_hits`, true classes among them are removed.

    Shapes: [classes, dim] (or a list of such), [classes], [batch, num_true], [batch, dim] -> [batch].
    Dtypes: floating -> that of `inputs`; labels integers.
    Gradient: `tf.IndexedSlices` for `weights` and `biases`.
    Raises: InvalidArgumentError if shapes don't fit.
    Source: TF 2.21 `tf.nn.nce_loss`; Gutmann and Hyvarinen, Noise-contrastive estimation (2010).
    """
    del name
    place = (num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits, None)
    return _lost(_contrastive, weights, biases, labels, inputs, *place)


def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: Any = None,
    name: str = "sampled_softmax_loss",
) -> Tensor:
    """The softmax cross entropy of `inputs` for `labels`, `num_true` each, among `num_sampled` of all `num_classes`.

    The classes are `sampled_values`, by default from `tf.random.log_uniform_candidate_sampler` with `seed`; with
    `remove_accidental_hits`, true classes among them are removed.

    Shapes: [classes, dim] (or a list of such), [classes], [batch, num_true], [batch, dim] -> [batch].
    Dtypes: floating -> that of `inputs`; labels integers.
    Gradient: `tf.IndexedSlices` for `weights` and `biases`.
    Raises: InvalidArgumentError if shapes don't fit.
    Source: TF 2.21 `tf.nn.sampled_softmax_loss`; Jean et al., On using very large target vocabulary (2014).
    """
    del name
    place = (num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits, seed)
    return _lost(_softmax, weights, biases, labels, inputs, *place)
