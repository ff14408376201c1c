"""Losses on logits, and averages of losses."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, Number, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.system.thread_state import recorder
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.container import is_composite
from tfcompat._core.types.dtype import DENSE, FLOATING, INDEX, INTEGER, NUMERIC, float32
from tfcompat._jaxpr import lean
from tfcompat._ops.derivative import absolute, unmoved, with_derivative
from tfcompat._ops.elementwise.algebraic import divide, divide_no_nan, multiply
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold.axes import folded_axes
from tfcompat._ops.fold.reduction import reduce_sum
from tfcompat._ops.network.activation import log_probabilities, probabilities, rectified


def _precise(array: Any) -> Any:
    """`array`, converted to float32 if it has 16 bits: TensorFlow computes cross entropies in at least float32."""
    return array.astype(jnp.float32) if array.dtype.itemsize < 4 else array


def _require_classes(labels: Any, logits: Any) -> None:
    if logits.ndim == 0 or labels.shape != logits.shape[:-1]:
        raise ValueError(
            "tf.nn.sparse_softmax_cross_entropy_with_logits: labels must have the shape of logits without the last "
            f"dimension, got {labels.shape} and {logits.shape}."
        )
    if logits.shape[-1] == 0:
        raise InvalidArgumentError.of(
            f"tf.nn.sparse_softmax_cross_entropy_with_logits: Must have at least one class, got {logits.shape}."
        )


@op(
    "nn.sparse_softmax_cross_entropy_with_logits",
    dtypes={"labels": INDEX, "logits": FLOATING},
    same=(),
    validate=_require_classes,
    infers=lambda labels, logits: aval_of(labels.shape, logits.dtype),
    differentiable=("logits",),
    check=Check(
        ("labels",),
        lambda labels, logits: (labels < 0) | (labels >= logits.shape[-1]),
        "labels must be in [0, number of classes)",
    ),
)
def sparse_softmax_cross_entropy_with_logits(labels: Array, logits: Array) -> Array:
    """The cross entropy of the softmax of `logits` along the last axis, for the true classes `labels`.

    Shapes: [*batch], [*batch, classes] -> [*batch].
    Dtypes: int32 or int64, floating -> that of `logits`; computed in float32 at least.
    Gradient: None for `labels`.
    Raises: ValueError if shapes don't fit; InvalidArgumentError if there are no classes, or a label is not one.
    Source: TF 2.21 `tf.nn.sparse_softmax_cross_entropy_with_logits`.
    """
    return _sparse_cross_entropy(labels[..., None], _precise(logits)).astype(logits.dtype)


def _sparse_cross_entropy(labels: Any, logits: Any) -> Any:
    """The derivative is a custom rule, because that of indexing would be a scatter."""

    def entropy(labels: Any, logits: Any) -> Any:
        return lax.neg(jnp.take_along_axis(log_probabilities(logits, -1), labels, -1)[..., 0])

    def slope(t: Any, _: Any, labels: Any, logits: Any) -> Any:
        is_right = lax.eq(labels, lax.broadcasted_iota(labels.dtype, logits.shape, logits.ndim - 1))
        change = lax.sub(probabilities(logits, -1), is_right.astype(logits.dtype))
        return lean.total(lax.mul(t, change), -1, keepdims=False)

    return with_derivative(entropy, None, slope)(labels, logits)


def _cross_entropy(labels: Any, logits: Any, axis: int) -> Any:
    """TensorFlow's derivative assumes that the labels sum to 1."""

    def entropy(labels: Any, logits: Any) -> Any:
        return -jnp.sum(labels * log_probabilities(logits, axis), axis)

    rule = with_derivative(
        entropy,
        lambda t, _entropy, _labels, logits: -jnp.sum(t * log_probabilities(logits, axis), axis),
        lambda t, _, labels, logits: jnp.sum(t * (probabilities(logits, axis) - unmoved(labels)), axis),
    )
    return rule(labels, logits)


def _require_distribution(labels: Any, logits: Any, axis: int) -> None:
    for array in (labels, logits):
        folded_axes("nn.softmax_cross_entropy_with_logits", axis, array.ndim)
    (rows, classes), (most_rows, most_classes) = _rows(labels, axis), _rows(logits, axis)
    if rows not in (1, most_rows) or (classes != most_classes and 1 not in (classes, most_classes)):
        raise InvalidArgumentError.of(
            "tf.nn.softmax_cross_entropy_with_logits: labels must have the shape of logits, or broadcast to it as rows "
            f"of classes, got {labels.shape} and {logits.shape}."
        )


def _rows(array: Any, axis: int) -> tuple[int, int]:
    """The numbers of rows and of classes, with the classes along `axis`."""
    classes = array.shape[axis]
    return math.prod(array.shape[:axis] + array.shape[axis % array.ndim + 1 :]), classes


@op(
    "nn.softmax_cross_entropy_with_logits",
    dtypes={"labels": DENSE, "logits": FLOATING},
    same=(),
    validate=_require_distribution,
)
def softmax_cross_entropy_with_logits(labels: Array, logits: Array, axis: int = -1) -> Array:
    """The cross entropy of the softmax of `logits` along `axis`, where `labels` are the true probabilities.

    Shapes: [*dims] twice -> dims without `axis`; labels may broadcast over rows or over classes.
    Dtypes: numbers, floating -> that of `logits`; computed in float32 at least.
    Gradient: softmax(logits) - labels for `logits`, whatever the sum of the labels; `labels` have one too.
    Raises: InvalidArgumentError if shapes do not fit.
    Source: TF 2.21 `tf.nn.softmax_cross_entropy_with_logits`.
    """
    scores = _precise(logits)
    truth = labels.astype(scores.dtype)
    if truth.shape == scores.shape:
        return _cross_entropy(truth, scores, axis).astype(logits.dtype)
    tables = (jnp.moveaxis(array, axis, -1).reshape(_rows(array, axis)) for array in (truth, scores))
    truth, scores = jnp.broadcast_arrays(*tables)
    entropies = _cross_entropy(truth, scores, -1)
    return entropies.reshape(np.delete(logits.shape, axis)).astype(logits.dtype)


def _require_same_shape(name: str, labels: Any, logits: Any) -> None:
    if labels.shape != logits.shape:
        raise ValueError(
            f"tf.{name}: labels and logits must have the same shape, got {labels.shape} and {logits.shape}."
        )


@op(
    "nn.sigmoid_cross_entropy_with_logits",
    dtypes=FLOATING,
    validate=lambda labels, logits: _require_same_shape("nn.sigmoid_cross_entropy_with_logits", labels, logits),
)
def _sigmoid_cross_entropy(labels: Array, logits: Array) -> Array:
    """`sigmoid_cross_entropy_with_logits` with both arguments given."""
    is_positive = lax.ge(logits, np.zeros((), logits.dtype))
    magnitude = lax.select(is_positive, lax.neg(logits), logits)
    linear = lax.sub(lean.where(is_positive, logits, 0), lax.mul(logits, labels))
    return lax.add(linear, lax.log1p(lax.exp(magnitude)))


@dispatched
def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """The cross entropy of the sigmoid of `logits`, where `labels` are the true probabilities.

    Shapes: [*dims] twice -> the same.
    Dtypes: floating -> the same.
    Raises: ValueError if shapes differ or an argument is missing; InvalidArgumentError if the dtypes differ.
    Source: TF 2.21 `tf.nn.sigmoid_cross_entropy_with_logits`.
    """
    if labels is None or logits is None:
        raise ValueError("tf.nn.sigmoid_cross_entropy_with_logits: both labels and logits must be given.")
    return _sigmoid_cross_entropy(_of_its_own_dtype(labels), _of_its_own_dtype(logits), name)


def _of_its_own_dtype(value: Any) -> Any:
    """`value` as a tensor without a dtype hint from other arguments; ragged tensors are returned unchanged."""
    return value if is_composite(type(value)) else convert_to_tensor(value)


def _require_weighable(labels: Any, logits: Any, pos_weight: Any) -> None:
    del pos_weight
    if logits.dtype not in FLOATING:
        kind = TypeError if logits.dtype not in NUMERIC or logits.dtype.is_integer else InvalidArgumentError.of
        raise kind(f"tf.nn.weighted_cross_entropy_with_logits: logits must be floating, got {logits.dtype.name}.")
    _require_same_shape("nn.weighted_cross_entropy_with_logits", labels, logits)


@op("nn.weighted_cross_entropy_with_logits", dtypes=DENSE, validate=_require_weighable)
def weighted_cross_entropy_with_logits(labels: Array, logits: Array, pos_weight: Number) -> Array:
    """The cross entropy of the sigmoid of `logits` with `labels`, where positive labels are weighted by `pos_weight`.

    Shapes: [*dims] twice, a `pos_weight` that broadcasts to it -> the same.
    Dtypes: floating -> the same.
    Raises: ValueError if shapes differ; TypeError for integers and bool.
    Source: TF 2.21 `tf.nn.weighted_cross_entropy_with_logits`.
    """
    weight = 1 + (pos_weight.astype(logits.dtype) - 1) * labels
    return (1 - labels) * logits + weight * (jnp.log1p(jnp.exp(-absolute(logits))) + rectified(-logits))


@op(
    "nn.log_poisson_loss",
    dtypes=FLOATING,
    validate=lambda targets, log_input, **_: _require_same_shape("nn.log_poisson_loss", targets, log_input),
)
def log_poisson_loss(targets: Array, log_input: Array, compute_full_loss: bool = False) -> Array:
    """The negative log likelihood of the counts `targets` under Poisson distributions with log means `log_input`.

    The term without `log_input` is omitted, or, if `compute_full_loss`, approximated by Stirling's formula.

    Shapes: [*dims] twice -> the same.
    Dtypes: floating -> the same.
    Raises: ValueError if shapes differ; InvalidArgumentError if the dtypes differ.
    Source: TF 2.21 `tf.nn.log_poisson_loss`.
    """
    loss = jnp.exp(log_input) - log_input * targets
    if not compute_full_loss:
        return loss
    stirling = targets * jnp.log(targets) - targets + 0.5 * jnp.log(2 * math.pi * targets)
    return loss + jnp.where((targets >= 0) & (targets <= 1), 0, stirling)


@op("nn.l2_loss", dtypes=FLOATING)
def l2_loss(t: Array) -> Array:
    """Half the sum of the squares of `t`.

    Shapes: any -> [].
    Dtypes: floating -> the same.
    Source: TF 2.21 `tf.nn.l2_loss`.
    """
    return jnp.sum(t * t, dtype=t.dtype) / 2


def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> Tensor:
    """The sum of `per_example_loss` times `sample_weight`, over `global_batch_size`.

    By default that is the first dimension, times the number of replicas.

    Shapes: [batch, *dims], a weight that broadcasts -> [].
    Dtypes: INEXACT -> the same; int8, int16, uint8, uint16 -> float32; other integers -> float64. Weighted losses are
      computed in float32, and rounded towards 0 for integers.
    Raises: ValueError if `per_example_loss` has rank 0 or `global_batch_size` has not; TypeError if that is not an
      integer, InvalidArgumentError if it is a negative number of Python; RuntimeError without it in code that runs for
      all replicas of a strategy.
    Source: TF 2.21 `tf.nn.compute_average_loss`.
    """
    losses = convert_to_tensor(per_example_loss)
    if losses.ndim == 0:
        raise ValueError("tf.nn.compute_average_loss: per_example_loss must have rank 1 or more, got rank 0.")
    if sample_weight is not None:
        losses = cast(multiply(cast(losses, float32), cast(sample_weight, float32)), losses.dtype)
    count = _replicas("compute_average_loss") if global_batch_size is None else 1
    size = losses.shape[0] if global_batch_size is None else convert_to_tensor(global_batch_size)
    if isinstance(size, Tensor) and size.dtype not in INTEGER:
        raise TypeError(f"tf.nn.compute_average_loss: global_batch_size must be an integer, got {size.dtype.name}.")
    if isinstance(size, Tensor) and size.ndim != 0:
        raise ValueError(f"tf.nn.compute_average_loss: global_batch_size must be a scalar, got shape {size.shape}.")
    if isinstance(global_batch_size, int) and global_batch_size < 0:
        raise InvalidArgumentError.of(
            f"tf.nn.compute_average_loss: global_batch_size must not be negative, got {global_batch_size}."
        )
    examples = cast(size, losses.dtype)
    return divide_no_nan(reduce_sum(losses), examples if count == 1 else multiply(examples, cast(count, losses.dtype)))


def _replicas(name: str) -> int:
    """The number of replicas of the strategy in which the code runs. Raises RuntimeError if it runs for all of them."""
    place = recorder.place
    if place is None or place.strategy is None or place.strategy.is_default:  # without one, code is saved
        return 1
    if place.replica is None:
        raise RuntimeError(
            f"You are calling `{name}` in cross replica context, while it was expected to be called in replica context."
        )
    return place.strategy.num_replicas_in_sync


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of `regularization_loss`, divided by the number of replicas.

    Shapes: any -> [].
    Dtypes: INEXACT -> the same; int8, int16, uint8, uint16 -> float32; other integers -> float64.
    Raises: RuntimeError in code that runs for all replicas of a strategy.
    Source: TF 2.21 `tf.nn.scale_regularization_loss`.
    """
    total = reduce_sum(convert_to_tensor(regularization_loss))
    count = _replicas("scale_regularization_loss")
    return divide(total, count) if total.dtype in INTEGER or count > 1 else total
