"""The places of the true elements of an array, whose number a program finds."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp

from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import here, record
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.array.joining import concat
from tfcompat._ops.array.layout import reshape
from tfcompat._ops.array.repetition import source_of


def may_be_found(condition: Tensor) -> bool:
    """Whether a program can find the true elements of `condition`, an array that is not empty."""
    shape = condition._aval.shape
    return len(shape) > 0 and all(map(is_bounded, shape)) and math.prod(shape) > 0


def is_bounded(size: Any) -> bool:
    """Whether the largest value of `size` is known."""
    return type(size) is int or (here.graph is not None and here.graph.is_found(size))


def true_coordinates(condition: Tensor) -> Tensor:
    """The coordinates of the elements of `condition` that are not 0, as the rows of a matrix.

    Raises: UntraceableError in a trace without symbols for numbers that depend on data.
    """
    return _first_rows("tf.where", _COORDINATES, condition)


def true_places(condition: Tensor) -> Tensor:
    """The places of the elements of `condition`, flattened, that are not 0.

    Raises: UntraceableError in a trace without symbols for numbers that depend on data.
    """
    return _first_rows("tf.boolean_mask", _PLACES, condition)


def _first_rows(name: str, op: Op, condition: Tensor) -> Tensor:
    """The rows of `op`. A condition that repeats the elements of another one has as many true ones, times a number."""
    source, times = source_of(condition)
    if _is_one(math.prod(source._aval.shape)):
        source, times = condition, 1
    rows, number = record(op, (condition,)), record(_NUMBER, (source,))
    dims = rows._aval.shape[1:]
    if _is_one(rows._aval.shape[0]):  # the symbol of a size that is found may be 2
        rows = concat([rows, rows], 0)
    if times > 1:
        rows = reshape(rows, (math.prod(source._aval.shape), times, *dims))
    (found,) = here.graph.first_rows([rows], number, f"{name}: the number of true elements")
    return found if times == 1 else reshape(found, (found._aval.shape[0] * times, *dims))


def _is_one(size: Any) -> bool:
    """Whether `size` is known to be 1; a comparison with a symbol would count as a condition of the trace."""
    return not is_open(size) and size == 1


def _places(condition: Any) -> Any:
    """The places of the true elements, followed by zeros."""
    count = condition.size
    is_true = condition.ravel() != 0
    ranks = jnp.cumsum(is_true, dtype=jnp.int32) - 1
    places = jnp.arange(count, dtype=jnp.int64)
    return jnp.zeros([count], jnp.int64).at[jnp.where(is_true, ranks, count)].set(places, mode="drop")


def _coordinates(condition: Any) -> Any:
    return jnp.stack(jnp.unravel_index(_places(condition), condition.shape), axis=-1)


_RULE = GradientRule(blocked=True)
_COORDINATES = Op("where", _coordinates, gradient=_RULE)
_PLACES = Op("where", _places, gradient=_RULE)
_NUMBER = Op("count_nonzero", lambda condition: jnp.count_nonzero(condition).astype(jnp.int64), gradient=_RULE)
