"""Sizes that a program finds itself, such as the number of distinct elements: symbols in its trace, with upper bounds.

The steps with such sizes run on padded arrays (see `tfcompat._jaxpr.padded`), whose true sizes the program computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp

from tfcompat._core.dtype import DType
from tfcompat._core.op import GradientRule, Op
from tfcompat._core.recipe import made_once
from tfcompat._jaxpr.size import value_of


class Bound(NamedTuple):
    """A size that a program finds.

    Attributes:
      name: its symbol.
      slot: the slot of its value, an integer of at least 1.
      most: the largest value.
    """

    name: str
    slot: int
    most: int


@made_once
def prefix(size: Any) -> Op:
    """The op that takes the first `size` elements of a vector. Its second input is the value of `size`."""

    def taken(vector: Any, value: Any) -> Any:
        del value
        return jnp.take(vector, jnp.arange(size), mode="clip")

    found = Op("prefix", taken, gradient=GradientRule(blocked=True))
    found.is_bound = True
    return found


def bound_of(inputs: Sequence[Any], signature: Sequence[Any], avals: Sequence[Any]) -> Bound:
    """The size that a step of the op `prefix` makes."""
    return Bound(str(avals[0].shape[0]), inputs[1], signature[0].shape[0])


@made_once
def found_sizes(sizes: Any, names: Any, dtype: DType) -> Op:
    """The op that computes `sizes`, a size or a tuple of them, from the values of the symbols `names`."""

    def computed(*values: Any) -> Any:
        known = dict(zip(names, values, strict=True))
        if isinstance(sizes, tuple):
            return jnp.stack([jnp.asarray(value_of(size, known), dtype.as_numpy_dtype) for size in sizes])
        return jnp.asarray(value_of(sizes, known), dtype.as_numpy_dtype)

    return Op("shape", computed, gradient=GradientRule(blocked=True))
