"""Isotonic regression: the nearest non-increasing sequence."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import INTEGER, REAL, bfloat16, float16, float32, float64, int32, int64
from tfcompat._ops.axis import require_axis
from tfcompat._ops.elementwise.rounding import cast

_KEPT = frozenset((bfloat16, float16, float32, float64))
_TO_DOUBLE = frozenset((int32, int64))


class IsotonicRegression(NamedTuple):
    """The result of `tf.nn.isotonic_regression`."""

    output: Any
    segments: Any


def _blocks(row: Array) -> Array:
    """For each element of a row, the number of its block; neighbours in a block are replaced by their mean.

    Elements are added one by one; while a block's mean exceeds that of the block before it, the two are merged.
    """
    count = row.size

    def rises(state: tuple[Array, Array, Array]) -> Array:
        sums, sizes, last = state
        before = jnp.maximum(last - 1, 0)
        return (last > 0) & (sums[last] * sizes[before] > sums[before] * sizes[last])

    def merged(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        sums, sizes, last = state
        return sums.at[last - 1].add(sums[last]), sizes.at[last - 1].add(sizes[last]), last - 1

    def taken(place: Array, state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        sums, sizes, last = state
        alone = (sums.at[last + 1].set(row[place]), sizes.at[last + 1].set(1), last + 1)
        return lax.while_loop(rises, merged, alone)

    empty = (jnp.zeros(count + 1, row.dtype), jnp.zeros(count + 1, row.dtype), jnp.asarray(-1))
    _, sizes, last = lax.fori_loop(0, count, taken, empty)
    ends = jnp.where(jnp.arange(count + 1) <= last, jnp.cumsum(sizes), jnp.inf)
    return jnp.searchsorted(ends, jnp.arange(count), side="right").astype(jnp.int32)


def _means(row: Array, blocks: Array) -> Array:
    sums = jax.ops.segment_sum(row, blocks, row.size)
    sizes = jax.ops.segment_sum(jnp.ones_like(row), blocks, row.size)
    return (sums / jnp.maximum(sizes, 1))[blocks]


@op("nn.isotonic_regression", dtypes=REAL, structure=tuple)
def _regression(inputs: Array, is_falling: bool, axis: int) -> tuple[Array, Array]:
    """`isotonic_regression` of numbers in the result's dtype."""
    moved = jnp.moveaxis(inputs, axis, -1)
    rows = moved.reshape(-1, moved.shape[-1]).astype(jnp.float64)
    rows = rows if is_falling else -rows
    blocks = jax.vmap(_blocks)(lax.stop_gradient(rows))
    fitted = jax.vmap(_means)(rows, blocks)
    fitted = fitted if is_falling else -fitted
    placed = functools.partial(jnp.moveaxis, source=-1, destination=axis)
    return placed(fitted.reshape(moved.shape).astype(inputs.dtype)), placed(blocks.reshape(moved.shape))


def isotonic_regression(inputs: Any, decreasing: bool = True, axis: int = -1) -> tuple[Tensor, Tensor]:
    """The nearest numbers to `inputs` that never rise along `axis` (never fall, if not `decreasing`), and their blocks.

    Neighbours that were out of order share one value; the second result numbers such blocks.

    Shapes: [*dims] -> same, twice.
    Dtypes: floating -> same, int32 and int64 -> float64, other integers -> float32; and int32.
    Raises: InvalidArgumentError if `axis` is out of range.
    Source: TF 2.21 `tf.nn.isotonic_regression`; Best and Chakravarti, Active set algorithms for isotonic regression
      (1990).
    """
    tensor = convert_to_tensor(inputs)
    if not tensor.ndim:
        return IsotonicRegression(_widened(tensor), Tensor(np.zeros((), np.int32)))
    place = require_axis("nn.isotonic_regression", axis, tensor.ndim)
    if not tensor._aval.size:
        return IsotonicRegression(_widened(tensor), Tensor(np.zeros(tensor._aval.shape, np.int32)))
    found = _regression(_widened(tensor), bool(decreasing), place)
    return IsotonicRegression(*found) if decreasing and place == tensor.ndim - 1 else found


def _widened(tensor: Tensor) -> Tensor:
    if tensor.dtype in _KEPT:
        return tensor
    if tensor.dtype not in INTEGER:
        raise InvalidArgumentError.of(
            f"tf.nn.isotonic_regression: inputs must be real numbers, got {tensor.dtype.name}."
        )
    return cast(tensor, float64 if tensor.dtype in _TO_DOUBLE else float32)
