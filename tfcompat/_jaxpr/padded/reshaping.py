"""Reshapes: axes that are merged or split where symbols are in them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax

from tfcompat._jaxpr.padded.equation import Rule, sizes_in, sizes_out
from tfcompat._jaxpr.padded.padding import Padding, Sizes
from tfcompat._jaxpr.padded.placement import grown
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.size import is_open


class Group(NamedTuple):
    """Consecutive sizes of the input and of the output that have the same product."""

    before: Sizes
    after: Sizes

    @property
    def is_prefix(self) -> bool:
        """Whether the logical part stays a prefix: only the leading axis on either side has symbols."""
        return not any(map(is_open, (*self.before[1:], *self.after[1:])))


def groups(before: Sizes, after: Sizes) -> list[Group]:
    """The smallest groups of sizes into which a reshape from `before` to `after` falls; sizes of 1 are left out."""
    left = [size for size in before if is_open(size) or size != 1]
    right = [size for size in after if is_open(size) or size != 1]
    found: list[Group] = []
    while left or right:
        i, j = _smallest(left, right)
        found.append(Group(left[:i], right[:j]))
        left, right = left[i:], right[j:]
    return found


def _smallest(left: Sizes, right: Sizes) -> tuple[int, int]:
    """How many sizes of each side make the first group."""
    pairs = [(i, j) for i in range(1, len(left) + 1) for j in range(1, len(right) + 1)]
    for i, j in sorted(pairs, key=sum):
        if math.prod(left[:i]) == math.prod(right[:j]):
            return i, j
    raise NoRule("reshape", f"{left} and {right} may have different numbers of elements")


def _reshape(padding: Padding, equation: Any, array: Any) -> Any:
    before, after = sizes_in(equation), sizes_out(equation)
    if equation.params.get("dimensions") is not None:
        raise NoRule("reshape", "the axes are in another order")
    shape = padding.shape(after)
    if 0 in array.shape or 0 in shape:
        return jnp.zeros(shape, array.dtype)
    found = groups(before, after)
    array = lax.reshape(array, [math.prod(padding.shape(group.before)) for group in found])
    for axis, group in enumerate(found):
        if group.is_prefix:
            count = math.prod(padding.shape(group.after))
            array = grown(array, axis, count - array.shape[axis])
        else:
            array = _taken(array, axis, _places(padding, group))
    return lax.reshape(array, shape)


def _places(padding: Padding, group: Group) -> Any:
    """For each element of the padded output, where its element is in the padded input; any place behind that."""
    shape = padding.shape(group.after)
    linear: Any = 0
    stride: Any = 1
    for axis in reversed(range(len(shape))):
        linear = linear + lax.broadcasted_iota(jnp.int32, shape, axis) * stride
        stride = stride * padding.value(group.after[axis])
    linear = lax.reshape(jnp.asarray(linear, jnp.int32), (math.prod(shape),))
    place: Any = 0
    stride = 1
    for axis in reversed(range(len(group.before))):
        if axis:
            size = lax.max(jnp.asarray(padding.value(group.before[axis]), jnp.int32), jnp.int32(1))
            quotient = lax.div(linear, lax.broadcast(size, linear.shape))
            place = place + (linear - quotient * size) * stride
            linear = quotient
        else:
            place = place + linear * stride
        stride *= padding.physical(group.before[axis])
    return place


def _taken(array: Any, axis: int, places: Any) -> Any:
    """The elements of `axis` at `places`."""
    numbers = lax.GatherDimensionNumbers(
        offset_dims=tuple(k for k in range(array.ndim) if k != axis),
        collapsed_slice_dims=(axis,),
        start_index_map=(axis,),
    )
    sizes = tuple(1 if k == axis else size for k, size in enumerate(array.shape))
    mode = lax.GatherScatterMode.CLIP
    return lax.gather(array, lax.expand_dims(places, (1,)), numbers, sizes, mode=mode)


RULES: dict[str, Rule] = {"reshape": _reshape}
