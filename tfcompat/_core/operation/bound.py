"""Sizes that a program finds itself, such as the number of true elements: symbols in its trace, with upper bounds.

The steps with such sizes run on padded arrays (see `tfcompat._jaxpr.padded`), whose true sizes the program computes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.operation.recipe import made_once
from tfcompat._core.types.dtype import DType
from tfcompat._jaxpr.found_size import finding
from tfcompat._jaxpr.padded.bound import bounds
from tfcompat._jaxpr.size import is_open, symbols_of, value_of


class Bound(NamedTuple):
    """A size that a program finds.

    Attributes:
      name: its symbol.
      slot: the slot of its value, an integer.
      most: the largest value.
      within: the size that it does not exceed, which may have earlier symbols.
    """

    name: str
    slot: int
    most: int
    within: Any


def prefix(size: Any) -> Op:
    """The op that takes the first `size` rows of an array, for a symbol. Its second input is the value of `size`."""
    found = known_prefix(size)
    found.is_bound = True
    return found


@made_once
def known_prefix(size: Any) -> Op:
    """As `prefix`, for a known size: the op makes no size."""

    def taken(rows: Any, value: Any) -> Any:
        del value
        return jnp.take(rows, jnp.arange(size), axis=0, mode="clip")

    if is_open(size):
        taken = finding(size, taken)
    return Op("prefix", taken, gradient=GradientRule(blocked=frozenset((1,))))


def bound_of(inputs: Sequence[Any], signature: Sequence[Any], avals: Sequence[Any], earlier: Sequence[Bound]) -> Bound:
    """The size that a step of the op `prefix` makes; the sizes of its inputs may be `earlier` ones."""
    within = signature[0].shape[0]
    _, most = bounds(within, {bound.name: bound.most for bound in earlier})
    return Bound(str(avals[0].shape[0]), inputs[1], most, within)


def bounds_in(steps: Iterable[Any], bounds: Sequence[Bound]) -> list[Bound]:
    """Those of `bounds` whose symbols `steps` have."""
    if not bounds:
        return []
    names = symbols_of([size for step in steps for size in sizes_of(step)])
    return [bound for bound in bounds if bound.name in names]


def sizes_of(step: Any) -> Iterator[Any]:
    """The sizes of `step`, with symbols or without."""
    for aval in (*step.signature, *step.avals):
        yield from aval.shape
    yield from sizes_in_op(step.op)


def sizes_in_op(op: Any) -> Iterator[Any]:
    """The sizes among the attributes of `op`."""
    yield from _sizes_in(op)


def _sizes_in(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _sizes_in(part)
    elif getattr(value, "recipe", None) is not None:
        yield from _sizes_in(value.recipe.sized)
    elif hasattr(value, "shape"):
        yield from value.shape
    elif jax.export.is_symbolic_dim(value) or type(value) is int:
        yield value


@made_once
def found_sizes(sizes: Any, names: Any, dtype: DType) -> Op:
    """The op that computes `sizes`, a size or a tuple of them, from the values of the symbols `names`."""

    def computed(*values: Any) -> Any:
        known = dict(zip(names, values, strict=True))
        if isinstance(sizes, tuple):
            return jnp.stack([jnp.asarray(value_of(size, known), dtype.as_numpy_dtype) for size in sizes])
        return jnp.asarray(value_of(sizes, known), dtype.as_numpy_dtype)

    return Op("shape", computed, gradient=GradientRule(blocked=True))
