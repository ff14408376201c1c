"""Reductions of rows by segment, and the parting and joining of rows by number."""

from __future__ import annotations

import jax.numpy as jnp

from tfcompat._core.declare import Array, Check, op
from tfcompat._core.dtype import INDEX, NUMERIC


def _is_beyond(segment_ids: Array, num_segments: int, **_: Array) -> Array:
    return segment_ids >= num_segments


def _places(segment_ids: Array, num_segments: int) -> Array:
    """`segment_ids` with an out-of-range place in the stead of negative ones, which JAX would count from the end."""
    return jnp.where(segment_ids < 0, num_segments, segment_ids)


@op(
    "math.unsorted_segment_sum",
    dtypes={"data": NUMERIC, "segment_ids": INDEX},
    same=("data",),
    check=Check(("segment_ids",), _is_beyond, "segment_ids must be below num_segments"),
)
def unsorted_segment_sum(data: Array, segment_ids: Array, num_segments: int) -> Array:
    """Sums the rows of `data` that have the same number in `segment_ids`; negative numbers drop theirs.

    Shapes: data [*ids, *row], segment_ids [*ids] -> [num_segments, *row].
    Dtypes: data NUMERIC -> same; segment_ids INDEX.
    Raises: InvalidArgumentError if a segment id is not below num_segments.
    Source: TF 2.21 `tf.math.unsorted_segment_sum`.
    """
    rows = jnp.zeros((num_segments, *data.shape[segment_ids.ndim :]), data.dtype)
    return rows.at[_places(segment_ids, num_segments)].add(data, mode="drop")
