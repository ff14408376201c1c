"""The sizes that padded arrays have, those of their logical parts, and the masks that follow from both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._jaxpr.padded.bound import LIMIT, bounds
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.size import is_open, value_of

Sizes = Sequence[Any]
# Those of some axes.
AxisSizes = Sequence[Any] | Mapping[int, Any]


class Padding:
    """The sizes of one program, while it is traced.

    Attributes:
      largest: the physical size of each symbol.
      true: the true size of each symbol, a traced int32 scalar.
      run: evaluates a jaxpr inside of an equation: takes a Padding, the jaxpr and its inputs, returns its outputs.
    """

    def __init__(
        self,
        largest: Mapping[str, int],
        true: Mapping[str, Any],
        run: Callable[[Padding, Any, Sequence[Any]], list[Any]],
    ) -> None:
        self.largest = largest
        self.true = true
        self.run = run
        self._values: dict[Any, Any] = {}
        self._prefixes: dict[Any, Any] = {}
        self._masks: dict[Any, Any] = {}
        # By symbol, what `find` has given it.
        self._sources: dict[str, Any] = {}

    def inside(self) -> Padding:
        """The sizes inside of a loop or branch. Values computed there may not be used outside."""
        found = Padding(self.largest, self.true, self.run)
        found._values = dict(self._values)
        found._prefixes = dict(self._prefixes)
        found._masks = dict(self._masks)
        found._sources = dict(self._sources)
        return found

    def find(self, name: str, within: Any, value: Any) -> None:
        """Gives the symbol `name` its `value`, a number of the rows of an array, which has as many as `within` says.

        Inside of a loop or a branch it has this value only there.
        """
        is_known = name in self.true and name not in self._sources
        if is_known or self._sources.get(name) is value:
            return
        most = self.largest[name] if name in self.largest else self.bounds(within)[1]
        self._sources[name] = value
        self.largest = {**self.largest, name: most}
        self.true = {**self.true, name: jnp.minimum(jnp.asarray(value, jnp.int32), most)}
        self._values, self._prefixes, self._masks = {}, {}, {}

    def bounds(self, size: Any) -> tuple[int, int]:
        """The least and the largest value of `size`."""
        return bounds(size, self.largest)

    def physical(self, size: Any) -> int:
        """The size of the axis that holds one of `size`."""
        return max(self.bounds(size)[1], 0)

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        """The shape of the array that holds one with `sizes`. Raises NoRule if 32 bits cannot index it."""
        return physical_shape(sizes, self.largest)

    def value(self, size: Any) -> Any:
        """The value of `size` at run time: an int, or an int32 scalar."""
        if not is_open(size):
            return int(size)
        if size not in self._values:
            self.bounds(size)  # refuses what 32 bits cannot hold
            self._values[size] = jnp.asarray(value_of(size, self.true), jnp.int32)
        return self._values[size]

    def prefix(self, size: Any) -> Any:
        """Which elements of an axis of `size` are logical: a boolean vector."""
        if size not in self._prefixes:
            self._prefixes[size] = lax.lt(lax.iota(jnp.int32, self.physical(size)), self.value(size))
        return self._prefixes[size]

    def mask(self, sizes: Sizes, axes: Iterable[int], shape: tuple[int, ...] | None = None) -> Any | None:
        """Which elements of an array with `sizes` are logical along `axes`, or None if all are.

        It has the array's physical shape, unless another `shape` is given whose other axes differ.
        """
        kept = tuple((axis, sizes[axis]) for axis in sorted(axes) if is_open(sizes[axis]))
        if not kept:
            return None
        shape = self.shape(sizes) if shape is None else shape
        if (shape, kept) not in self._masks:
            rows = [lax.broadcast_in_dim(self.prefix(size), shape, (axis,)) for axis, size in kept]
            mask = rows[0]
            for row in rows[1:]:
                mask = lax.bitwise_and(mask, row)
            self._masks[shape, kept] = mask
        return self._masks[shape, kept]

    def filled(self, array: Any, sizes: Sizes, axes: Iterable[int], value: Any) -> Any:
        """`array` with `value` behind its logical part along `axes`."""
        mask = self.mask(sizes, axes, array.shape)
        if mask is None:
            return array
        return lax.select(mask, array, lax.broadcast(jnp.asarray(value, array.dtype), array.shape))


def physical_shape(sizes: Sizes, largest: Mapping[str, int]) -> tuple[int, ...]:
    """The shape of the array that holds one with `sizes`, if each symbol is at most what `largest` says.

    Raises NoRule if 32 bits cannot index it.
    """
    shape = tuple(max(bounds(size, largest)[1], 0) for size in sizes)
    count = 1
    for size in shape:
        count *= size
    if count >= LIMIT and any(map(is_open, sizes)):
        raise NoRule("size", f"an array of shape {shape} has more elements than 32 bits can index")
    return shape
