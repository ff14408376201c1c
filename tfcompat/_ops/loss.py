"""Losses on logits."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._core.declare import Array, Check, op
from tfcompat._core.dtype import FLOATING, INDEX


def _precise(array: Any) -> Any:
    """`array`, as float32 if it has 16 bits: TensorFlow computes cross entropies no coarser."""
    return array.astype(jnp.float32) if array.dtype.itemsize < 4 else array


def _log_probabilities(logits: Any, axis: int) -> Any:
    """The logarithm of the softmax of `logits` along `axis`."""
    shifted = logits - lax.stop_gradient(jnp.max(logits, axis, keepdims=True, initial=-jnp.inf))
    return shifted - jnp.log(jnp.sum(jnp.exp(shifted), axis, keepdims=True))


def _require_labels(labels: Any, logits: Any) -> None:
    if logits.ndim == 0 or labels.shape != logits.shape[:-1]:
        raise ValueError(
            "tf.nn.sparse_softmax_cross_entropy_with_logits: labels must have the shape of logits without its last dimension, "
            f"got {labels.shape} and {logits.shape}."
        )


@op(
    "nn.sparse_softmax_cross_entropy_with_logits",
    dtypes={"labels": INDEX, "logits": FLOATING},
    same=(),
    validate=_require_labels,
    differentiable=("logits",),
    check=Check(
        ("labels",),
        lambda labels, logits: (labels < 0) | (labels >= logits.shape[-1]),
        "labels must be in [0, number of classes)",
    ),
)
def sparse_softmax_cross_entropy_with_logits(labels: Array, logits: Array) -> Array:
    """The cross entropy of softmax(`logits`) along the last axis where only class `labels` is right.

    Shapes: [*batch], [*batch, classes] -> [*batch].
    Dtypes: int32 or int64, floating -> that of `logits`; computed in float32 at least.
    Gradient: None for `labels`.
    Raises: ValueError if shapes don't fit; InvalidArgumentError if a label is no class.
    Source: TF 2.21 `tf.nn.sparse_softmax_cross_entropy_with_logits`.
    """
    log_probabilities = _log_probabilities(_precise(logits), -1)
    is_right = labels[..., None] == lax.broadcasted_iota(labels.dtype, logits.shape, logits.ndim - 1)
    # A selection rather than an index: its derivative needs no scatter.
    return -jnp.sum(jnp.where(is_right, log_probabilities, 0), -1).astype(logits.dtype)
