"""Greedy CTC decoding in a program, which finds the number of labels."""

from __future__ import annotations

import jax.numpy as jnp

from tfcompat._core.calls.declare import Array, Check, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import float32, float64, int32, int64
from tfcompat._ops.array.extent import shape
from tfcompat._ops.array.gathering import gather, gather_nd
from tfcompat._ops.array.joining import stack
from tfcompat._ops.array.true_place import is_bounded, true_coordinates
from tfcompat._ops.sparse.tensor import SparseTensor


def may_decode(logits: Tensor) -> bool:
    """Whether a program can find the labels of `logits`."""
    frames, batch, _ = logits._aval.shape
    return is_bounded(frames) and is_bounded(batch)


def greedy_labels(
    logits: Tensor, lengths: Tensor, merges_repeated: bool, blank: int
) -> tuple[list[SparseTensor], Tensor]:
    """As `tf.nn.ctc_greedy_decoder`. Raises UntraceableError in a trace that cannot find sizes."""
    is_label, best, places, longest, total = _decoded(logits, lengths, merges_repeated, blank)
    found = true_coordinates(is_label)  # the example and the frame of each label
    indices = stack([gather(found, 0, axis=1), gather_nd(places, found)], axis=1)
    size = stack([gather(shape(logits, out_type=int64), 1), longest])
    return [SparseTensor(indices, gather_nd(best, found), size)], total


def _are_too_long(logits: Array, lengths: Array, merges_repeated: bool, blank: int) -> Array:
    del merges_repeated, blank
    return lengths > logits.shape[0]


@op(
    "nn.ctc_greedy_decoder",
    dtypes={"logits": frozenset((float32, float64)), "lengths": frozenset((int32,))},
    same=(),
    differentiable=False,
    structure=tuple,
    check=Check(
        ("logits", "lengths"),
        _are_too_long,
        "sequence_length must not exceed the number of frames",
    ),
)
def _decoded(logits: Array, lengths: Array, merges_repeated: bool, blank: int) -> tuple[Array, ...]:
    """Which frames of an example are labels, their classes and places, the most labels, and the scores."""
    is_running = jnp.arange(logits.shape[0])[:, None] < lengths
    best = logits.argmax(-1)
    is_label = is_running & (best != blank)
    if merges_repeated:
        is_label = is_label.at[1:].set(is_label[1:] & (best[1:] != best[:-1]))
    is_label = is_label.T
    places = jnp.cumsum(is_label, axis=1, dtype=jnp.int64) - 1
    longest = is_label.sum(1, dtype=jnp.int64).max(initial=0)
    total = 0 - jnp.where(is_running, logits.max(-1), 0).sum(0)[:, None]
    return is_label, best.T.astype(jnp.int64), places, longest, total
