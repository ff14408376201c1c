"""Validation of axes: within the rank; negative axes count from the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tfcompat._core.system.error import InvalidArgumentError


def require_axis(
    name: str, axis: int, ndim: int, error: Callable[[str], Exception] = InvalidArgumentError.of, what: str = "axis"
) -> int:
    """`axis` counted from the front. Raises the `error` of a message if rank `ndim` has no such axis."""
    if -ndim <= axis < ndim:
        return axis % ndim
    raise error(f"tf.{name}: {what} must be in [{-ndim}, {ndim}), got {axis}.")


def require_axes(
    name: str,
    axes: Iterable[int],
    ndim: int,
    error: Callable[[str], Exception] = InvalidArgumentError.of,
    repeated: Callable[[str], Exception] = InvalidArgumentError.of,
) -> tuple[int, ...]:
    """`axes` counted from the front. Raises `error` if one is out of range, and `repeated` if one is repeated."""
    found = tuple(require_axis(name, axis, ndim, error) for axis in axes)
    if len(set(found)) != len(found):
        raise repeated(f"tf.{name}: each axis may be given only once, got {found}.")
    return found


def require_rank_above(name: str, tensor: Any, least: int, what: str) -> None:
    """Raises InvalidArgumentError unless `tensor`, an aval or an array, has at least rank `least`."""
    if tensor.ndim < least:
        raise InvalidArgumentError.of(f"tf.{name}: {what} must have rank {least} or more, got shape {tensor.shape}.")
