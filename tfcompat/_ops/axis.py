"""Validation of axes: within the rank; negative axes count from the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfcompat._core.error import InvalidArgumentError


def require_axis(
    name: str, axis: int, ndim: int, error: type[Exception] = InvalidArgumentError, what: str = "axis"
) -> int:
    """`axis` counted from the front. Raises `error` if rank `ndim` has no such axis."""
    if -ndim <= axis < ndim:
        return axis % ndim
    message = f"tf.{name}: {what} must be in [{-ndim}, {ndim}), got {axis}."
    raise InvalidArgumentError.of(message) if error is InvalidArgumentError else error(message)


def require_axes(name: str, axes: Iterable[int], ndim: int) -> tuple[int, ...]:
    """`axes` counted from the front. Raises InvalidArgumentError if one is out of range or repeated."""
    found = tuple(require_axis(name, axis, ndim) for axis in axes)
    if len(set(found)) != len(found):
        raise InvalidArgumentError.of(f"tf.{name}: each axis may be given only once, got {found}.")
    return found


def require_rank_above(name: str, tensor: Any, least: int, what: str) -> None:
    """Raises InvalidArgumentError unless `tensor`, an aval or an array, has at least rank `least`."""
    if tensor.ndim < least:
        raise InvalidArgumentError.of(f"tf.{name}: {what} must have rank {least} or more, got shape {tensor.shape}.")
