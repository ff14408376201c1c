"""Moves along one axis: cutting, growing, shifting."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax


def grown(array: Any, axis: int, after: int, value: Any = 0) -> Any:
    """`array` with room for `after` more elements at the end of `axis`; fewer if it is negative."""
    return spread(array, axis, 0, after, 0, value)


def spread(array: Any, axis: int, before: int, after: int, between: int, value: Any = 0) -> Any:
    """`array` with `value` before, after and between the elements of `axis`."""
    if before == after == between == 0:
        return array
    config = [(before, after, between) if k == axis else (0, 0, 0) for k in range(array.ndim)]
    return lax.pad(array, jnp.asarray(value, array.dtype), config)


def resized(array: Any, shape: tuple[int, ...]) -> Any:
    """`array` with each axis cut or grown at its end."""
    for axis, size in enumerate(shape):
        array = grown(array, axis, size - array.shape[axis])
    return array


def window(array: Any, axis: int, start: Any, size: int, last: int) -> Any:
    """The `size` elements of `axis` from `start` on, which is at most `last`; any behind its end are 0."""
    array = grown(array, axis, max(last + size - array.shape[axis], 0))
    return lax.dynamic_slice_in_dim(array, start, size, axis)


def shifted(array: Any, axis: int, offset: Any, least: int, most: int, size: int, value: Any = 0) -> Any:
    """`size` elements along `axis`, the element `k` of `array` at `k + offset`, and `value` elsewhere.

    `offset` is between `least` and `most`.
    """
    before = max(most, 0)
    array = spread(array, axis, before, max(size - least - array.shape[axis], 0), 0, value)
    return lax.dynamic_slice_in_dim(array, before - offset, size, axis)
