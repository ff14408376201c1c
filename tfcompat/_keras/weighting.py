"""Weights of the elements of a metric."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._ops.array.creation import ones_like
from tfcompat._ops.elementwise.algebraic import multiply


def broadcast_weights(weights: Any, values: Any) -> Tensor:
    """`weights` in the shape of `values`.

    Shapes: weights: a scalar, or of the rank of values, each dimension that of values or 1 -> values.
    Dtypes: that of values.
    Raises: ValueError for other shapes of weights.
    Source: TF 2.21 `tf.__internal__.ops.broadcast_weights`.
    """
    known = convert_to_tensor(values)
    given = convert_to_tensor(weights, known.dtype)
    if given.shape.is_fully_defined() and known.shape.is_fully_defined() and given.shape == known.shape:
        return given
    require_broadcasting(given, known)
    return multiply(given, ones_like(known))


def require_broadcasting(weights: Tensor, values: Tensor) -> None:
    """Raises ValueError unless `weights` is a scalar, or has the dimensions of `values` or 1. None counts as equal."""
    rank = weights.shape.rank
    if rank == 0 or None in (rank, values.shape.rank):
        return
    places = f"values.shape={values.shape}. weights.shape={weights.shape}."
    if rank != values.shape.rank:
        raise ValueError(
            f"weights can not be broadcast to values. values.rank={values.shape.rank}. weights.rank={rank}. {places}"
        )
    for size, wanted in zip(weights.shape, values.shape, strict=True):
        if None not in (size, wanted) and size not in (1, wanted):
            raise ValueError(f"weights can not be broadcast to values. {places}")
