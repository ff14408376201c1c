"""The greatest elements of rows, as many as the program of a function computes."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from tfcompat._core.operation.op import Op, ValueCheck
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.constancy import size_value
from tfcompat._core.tracing.sizes import sizes_tensor
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.dtype import INDEX, int64
from tfcompat._ops.array.creation import range as numbers_from
from tfcompat._ops.array.gathering import picked_along
from tfcompat._ops.array.true_place import is_bounded
from tfcompat._ops.elementwise.rounding import cast


def may_be_found(x: Tensor, k: Any) -> bool:
    """Whether a program computes `k`, and can take as many elements of each row of `x`."""
    if type(k) is not Tensor or not k._is_symbolic() or k.ndim or k.dtype not in INDEX or size_value(k) is not None:
        return False
    return x.ndim > 0 and is_bounded(x._aval.shape[-1]) and x._aval.shape[-1] > 1


def first_of(ranked: tuple[Tensor, Tensor], k: Tensor) -> list[Tensor]:
    """The first `k` columns of each of `ranked`."""
    axis = ranked[0].ndim - 1
    count = sizes_tensor(ranked[0]._aval.shape[axis], int64)
    checked = record(_CHECKED, (cast(k, int64), count))
    what = "tf.math.top_k: the number of elements"
    (places,) = here.graph.first_rows([numbers_from(0, count, dtype=int64)], checked, what)
    return [picked_along(each, places, axis) for each in ranked]


def _is_outside(k: Any, count: Any) -> Any:
    return jnp.logical_or(k < 0, k > count)


def _same(k: Any, count: Any) -> Any:
    del count
    return k


_CHECKED = Op("math.top_k", _same, check=ValueCheck(_is_outside, "k must be in [0, number of columns]"))
