"""The distinct elements of a vector, found by a program."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from tfcompat._core.calls.declare import Array, Dtype, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import INTEGER
from tfcompat._ops.array.true_place import is_bounded


def may_be_found(x: Tensor) -> bool:
    """Whether a program can find the distinct elements of `x`, of which there are one or more."""
    shape = x._aval.shape
    return x.dtype in INTEGER and len(shape) == 1 and is_bounded(shape[0]) and shape[0] > 0


def distinct(x: Tensor, out_idx: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The distinct elements of `x` in order of first occurrence, for each element its index among them, and counts.

    Raises: UntraceableError in a trace without symbols for numbers that depend on data.
    """
    elements, places, counts, number = _distinct(x, out_idx)
    elements, counts = here.graph.first_rows((elements, counts), number, "tf.unique: the number of distinct elements")
    return elements, places, counts


@op("unique", dtypes={"x": INTEGER}, differentiable=False, structure=tuple)
def _distinct(x: Array, out_idx: Dtype) -> tuple[Array, ...]:
    kind = out_idx.as_numpy_dtype
    (length,) = x.shape
    order = jnp.argsort(x, stable=True)
    ordered = x[order]
    # Shifted by one, which is possible for no elements, too.
    before = jax.lax.pad(ordered, jnp.zeros((), ordered.dtype), [(1, -1, 0)])
    starts = (jnp.arange(length) == 0) | (ordered != before)
    # For each element the place where its value occurs first, and the rank of that place among such places.
    group = jnp.cumsum(starts) - 1
    firsts = jnp.zeros([length], order.dtype).at[jnp.where(starts, group, length)].set(order, mode="drop")
    first = jnp.zeros([length], order.dtype).at[order].set(firsts[group], unique_indices=True)
    is_first = first == jnp.arange(length)
    ranks = jnp.cumsum(is_first) - 1
    places = ranks[first].astype(kind)
    elements = jnp.zeros_like(x).at[jnp.where(is_first, ranks, length)].set(x, mode="drop")
    counts = jnp.zeros([length], kind).at[places].add(1)
    return elements, places, counts, jnp.sum(is_first).astype(kind)
