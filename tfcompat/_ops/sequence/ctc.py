"""Connectionist temporal classification: the loss of labels with unknown positions in the frames."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import (
    INDEX,
    NUMERIC,
    REAL,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int32,
    int64,
    uint8,
)
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.sequence.ctc_lattice import NEVER, losses
from tfcompat._ops.sparse.tensor import SparseTensor

_NARROW = frozenset((bfloat16, float16, float32))
_LABELS = frozenset((uint8, int8, int32, int64))
# TensorFlow allows dense labels to end in any state, with this small probability.
_FEW = 8
_MISSED_END = float(np.log(1e-307))


def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The negative log probability that `logits` yield `labels` after removing blanks and repeated classes.

    Dense labels are read up to `label_length`; the blank is by default class 0. Sparse ones have their own length, or
    end before the first outside of the classes, and `blank_index` must be given. `unique`, the result of
    `ctc_unique_labels`, is not needed here.

    Shapes: [batch, labels], [frames, batch, classes] (or batch first), [batch], [batch] -> [batch].
    Dtypes: logits bfloat16, float16, float32, or with sparse labels float64 -> same; labels and lengths integers.
    Gradient: for logits. Sparse labels also have a second derivative.
    Raises: ValueError if `labels` are sparse and `blank_index` is missing; InvalidArgumentError if shapes don't fit, or
      if sparse labels are empty, have fewer frames than they need, are negative, or continue after their end.
    Source: TF 2.21 `tf.nn.ctc_loss`.
    """
    del unique, name
    scores = convert_to_tensor(logits)
    if scores.ndim != 3:
        raise InvalidArgumentError.of(f"tf.nn.ctc_loss: logits must have rank 3, got shape {scores.shape}.")
    frames = convert_to_tensor(logit_length)
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError("tf.nn.ctc_loss: blank_index must be given when labels is a SparseTensor.")
        longest = labels.shape[1]
        if longest is None:  # not more than frames
            longest = scores._aval.shape[0 if logits_time_major else 1]
        blank = _blank(blank_index, scores)
        longest = _with_room(longest)
        return _sparse_loss(scores, labels.indices, labels.values, frames, longest, blank, bool(logits_time_major))
    blank = _blank(blank_index or 0, scores)
    lengths = convert_to_tensor(label_length)
    return _dense_loss(scores, convert_to_tensor(labels), lengths, frames, blank, bool(logits_time_major))


def _with_room(longest: int) -> int:
    """A number of labels that is not less than `longest`, and the same for similar ones, which share a program."""
    step = max(_FEW, 1 << max(longest.bit_length() - 3, 0))
    return -(-longest // step) * step


def _blank(index: int, logits: Tensor) -> int:
    classes = logits._aval.shape[2]
    if not -classes <= index < classes:
        raise InvalidArgumentError.of(f"tf.nn.ctc_loss: blank_index must be in [{-classes}, {classes}), got {index}.")
    return index % classes


def _validate_dense(
    logits: Any, labels: Any, label_length: Any, logit_length: Any, blank: int, is_time_major: bool
) -> None:
    del blank
    batch = logits.shape[1 if is_time_major else 0]
    if labels.ndim != 2 or not labels.shape[0] == batch == label_length.size == logit_length.size:
        raise InvalidArgumentError.of(
            f"tf.nn.ctc_loss: labels must have rank 2, and all arguments one batch size; got labels {labels.shape}, "
            f"logits {logits.shape}, label_length {label_length.shape}, logit_length {logit_length.shape}."
        )


@op(
    "nn.ctc_loss",
    dtypes={"logits": _NARROW, "labels": _LABELS, "label_length": _LABELS, "logit_length": REAL},
    same=(),
    validate=_validate_dense,
)
def _dense_loss(
    logits: Array, labels: Array, label_length: Array, logit_length: Array, blank: int, is_time_major: bool
) -> Array:
    """`ctc_loss` of dense labels."""
    wide = logits.astype(jnp.float32)
    found = _without_blank(labels.astype(jnp.int32), blank)
    aligned = wide if is_time_major else jnp.swapaxes(wide, 0, 1)
    return losses(aligned, found, label_length, logit_length, blank, _MISSED_END).astype(logits.dtype)


def _without_blank(labels: Array, blank: int) -> Array:
    """TensorFlow moves the blank to the front, so a label with its number means the class before it."""
    return jnp.where(labels == blank, max(blank - 1, 0), labels)


def _lacks_time(
    logits: Any, indices: Any, values: Any, logit_length: Any, longest: int, blank: int, is_time_major: bool
) -> Any:
    """Whether an example has no labels, fewer frames than labels, or more frames than `logits`; or labels are wrong."""
    del longest
    frames, batch = logits.shape[:2] if is_time_major else logits.shape[1::-1]
    rows = indices[:, 0]
    count = (rows[:, None] == np.arange(batch)).sum(0)
    is_end = values >= logits.shape[2]
    is_behind = (is_end[:-1] > is_end[1:]) & (rows[:-1] == rows[1:])
    is_wrong = is_behind.any() | (values < 0).any() | ((values == 0).any() & (blank == 0))
    return is_wrong | (count == 0) | (logit_length > frames) | (logit_length < count)


@op(
    "nn.ctc_loss",
    dtypes={
        "logits": _NARROW | {float64},
        "indices": INDEX,
        "values": frozenset((int32,)),
        "logit_length": frozenset((int32,)),
    },
    same=(),
    check=Check(
        ("indices", "values", "logit_length"),
        _lacks_time,
        "every example must have labels, at least as many frames as labels, and not more frames than logits; labels "
        "must not be negative, nor the blank 0, nor follow one outside of the classes",
    ),
)
def _sparse_loss(
    logits: Array,
    indices: Array,
    values: Array,
    logit_length: Array,
    longest: int,
    blank: int,
    is_time_major: bool,
) -> Array:
    """`ctc_loss` of sparse labels."""
    wide = logits.astype(jnp.promote_types(logits.dtype, jnp.float32))
    aligned = wide if is_time_major else jnp.swapaxes(wide, 0, 1)
    batch, rows = aligned.shape[1], indices[:, 0]
    counts = jnp.zeros(batch, rows.dtype).at[rows].add(1)
    place = jnp.arange(rows.shape[0]) - (jnp.cumsum(counts) - counts)[rows]
    # A number outside of the classes ends the labels.
    is_label = values < aligned.shape[2]
    known = jnp.where(is_label, _without_blank(values, blank), 0)
    labels = jnp.zeros((batch, longest), jnp.int32).at[rows, place].set(known)
    lengths = jnp.zeros(batch, rows.dtype).at[rows].add(is_label.astype(rows.dtype))
    found = losses(aligned, labels, lengths, logit_length, blank, NEVER)
    # TensorFlow's loss of labels that need more frames, between repeated ones, is infinite; its gradient is that of the
    # probability of any path.
    is_frame = jnp.arange(aligned.shape[0])[:, None] < logit_length
    of_any_path = jnp.sum(jnp.where(is_frame, jax.nn.logsumexp(aligned, 2), 0.0), 0)
    return jnp.where(found < -NEVER / 2, found, jnp.inf + of_any_path).astype(logits.dtype)


def _validate_unique(labels: Any) -> None:
    if labels.ndim != 2:
        kind = InvalidArgumentError.of if labels.ndim else ValueError
        raise kind(f"tf.nn.ctc_unique_labels: labels must have rank 2, got shape {labels.shape}.")


@op(
    "nn.ctc_unique_labels",
    dtypes=REAL | {bool_},
    validate=_validate_unique,
    differentiable=False,
    structure=list,
)
def ctc_unique_labels(labels: Array) -> tuple[Array, Array]:
    """The distinct labels of each row of `labels` in order of occurrence, and the index of each label among them.

    Shapes: [batch, n] -> [batch, n] (padded with zeros), [batch, n].
    Dtypes: numbers -> int64, int32.
    Raises: InvalidArgumentError if `labels` is not a matrix.
    Source: TF 2.21 `tf.nn.ctc_unique_labels`.
    """
    if not labels.size:
        shape = labels.shape if labels.shape[0] else (0,)
        return jnp.zeros(shape, jnp.int64), jnp.zeros(shape, jnp.int32)
    first = jnp.argmax(labels[:, :, None] == labels[:, None, :], -1)
    is_first = first == jnp.arange(labels.shape[1])
    number = jnp.cumsum(is_first, -1) - 1
    place = jnp.where(is_first, number, labels.shape[1])
    rows = jnp.arange(labels.shape[0])[:, None]
    different = jnp.zeros(labels.shape, jnp.int64).at[rows, place].set(labels.astype(jnp.int64), mode="drop")
    return different, jnp.take_along_axis(number, first, -1).astype(jnp.int32)


def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The rows of `labels` up to `seq_length` with equal neighbours merged, and their lengths.

    Shapes: [batch, n], [batch] -> [batch, longest] (padded with zeros), [batch].
    Dtypes: numbers, integers -> same, same.
    Raises: InvalidArgumentError if the rank of `labels` is not 2.
    Source: TF 2.21 `tf.nn.collapse_repeated`.
    """
    del name
    tensor, lengths = convert_to_tensor(labels), convert_to_tensor(seq_length)
    if tensor.ndim != 2:
        raise InvalidArgumentError.of(f"tf.nn.collapse_repeated: labels must have rank 2, got shape {tensor.shape}.")
    values, limits = np.asarray(tensor), np.asarray(lengths)
    if limits.ndim > 1 or limits.size not in (1, len(values)):
        raise InvalidArgumentError.of(
            f"tf.nn.collapse_repeated: seq_length must have an element for each row of labels of shape {values.shape}, "
            f"got shape {limits.shape}."
        )
    is_kept = np.arange(values.shape[1]) < np.broadcast_to(limits, len(values))[:, None]
    is_kept[:, 1:] &= values[:, 1:] != values[:, :-1]
    counts = is_kept.sum(1)
    # The kept positions are moved to the front.
    order = np.argsort(~is_kept, axis=1, kind="stable")[:, : counts.max(initial=0)]
    chosen = gather(tensor, Tensor(order.astype(np.int32)), batch_dims=1)
    return _cut(chosen, Tensor(counts)), Tensor(counts.astype(lengths.dtype.as_numpy_dtype))


@op("nn.collapse_repeated", same=("labels",), dtypes={"labels": NUMERIC | {bool_}, "counts": INDEX})
def _cut(labels: Array, counts: Array) -> Array:
    """The rows up to `counts`, padded with zeros."""
    return jnp.where(jnp.arange(labels.shape[1]) < counts[:, None], labels, jnp.zeros((), labels.dtype))
