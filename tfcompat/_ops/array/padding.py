"""Elements added around a tensor."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.by_row import ElementTrace, element_trace
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Ints, integers, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, UntraceableError, found_early
from tfcompat._core.tracing.constancy import size_value
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import MOVABLE, int32, int64, string


@dispatched
def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None
) -> Tensor:
    """The tensor `tensor` with `paddings[k]` = (before, after) elements added at the ends of each axis k.

    The new elements are `constant_values` in mode "CONSTANT"; "REFLECT" and "SYMMETRIC" mirror the elements inside,
    without and with the edge.

    Shapes: [*dims], [rank(dims), 2] -> dims + before + after.
    Dtypes: any -> same.
    Gradient: None for constant_values.
    Raises: ValueError for another mode; InvalidArgumentError if paddings has another shape or negative numbers, or
      exceeds the number of elements that can be mirrored.
    Source: TF 2.21 `tf.pad`.
    """
    tensor = convert_to_tensor(tensor)
    trace = element_trace() if mode.upper() == "CONSTANT" else None
    if trace is not None:
        found = _padded_by_row(trace, tensor, paddings, constant_values)
        if found is not None:
            return found
    widths = integers(paddings)
    if isinstance(paddings, (list, tuple)) and not paddings:
        raise InvalidArgumentError.of("tf.pad: paddings must be a matrix with 2 columns, got an empty list.")
    if mode.upper() in _MIRRORS:
        return _pad_mirrored(tensor, widths, mode.upper(), name=name)
    if mode.upper() != "CONSTANT":
        raise ValueError(f"tf.pad: mode must be 'CONSTANT', 'REFLECT' or 'SYMMETRIC', got {mode!r}.")
    if as_tensor(constant_values) is None and np.ndim(constant_values) == 0 and constant_values == 0:
        return _pad_zeros(tensor, widths, name=name)
    return _pad(tensor, constant_values, widths, name=name)


def _padded_by_row(trace: ElementTrace, tensor: Tensor, paddings: Any, constant_values: Any) -> Tensor | None:
    """As `pad` with constant values, if widths are computed for each element of a dataset: by NumPy.

    In a program each width would be a symbol of its own, and most widths are new. None if a program has to do it.
    """
    if tensor.dtype is string or not any(map(_is_computed, nest.flatten(paddings))):
        return None
    widths, value = convert_to_tensor(paddings), convert_to_tensor(constant_values, tensor.dtype)
    if widths.dtype not in (int32, int64) or widths._aval.shape != (tensor.ndim, 2) or value.ndim:
        return None

    def compute(values: Any, array: np.ndarray, given: np.ndarray, filling: np.ndarray) -> list[np.ndarray]:
        del values
        pairs = given.tolist()
        _require_paddings(array, pairs)
        padded = np.full(
            [size + sum(pair) for size, pair in zip(array.shape, pairs, strict=True)], filling, array.dtype
        )
        inside = [slice(pair[0], pair[0] + size) for size, pair in zip(array.shape, pairs, strict=True)]
        padded[tuple(inside)] = array
        return [padded]

    rows = paddings if isinstance(paddings, (list, tuple)) else [None] * tensor.ndim
    dims = [_padded_size(size, pair) for size, pair in zip(tensor._aval.shape, rows, strict=True)]
    try:
        outputs = [(dims, tensor.dtype)]
        return trace.attempt(
            lambda: trace.hosted("pad", compute, [tensor, widths, value], outputs, op=_pad_computed)[0]
        )
    except UntraceableError:
        return None


def _pad_computed(tensor: Tensor, paddings: Tensor, constant_values: Tensor) -> Tensor:
    return pad(tensor, paddings, constant_values=constant_values)


def _is_computed(width: Any) -> bool:
    """Whether `width`, one number or several, has no value before an element is known, nor follows from its sizes."""
    return isinstance(width, Tensor) and width._is_symbolic() and size_value(width) is None


def _padded_size(size: Any, pair: Any) -> Any:
    """The size of an axis with the widths `pair` around it; None unless they are plain numbers."""
    is_plain = isinstance(pair, (list, tuple)) and all(type(width) is int for width in pair)
    return size + sum(pair) if is_plain else None


# The number of elements of the edge that are not mirrored.
_MIRRORS = {"REFLECT": 1, "SYMMETRIC": 0}


def _require_paddings(tensor: Any, paddings: Ints) -> None:
    is_matrix = np.shape(paddings) == (tensor.ndim, 2) or (tensor.ndim == 0 and not paddings)
    if not is_matrix or any(width < 0 for pair in paddings for width in pair):
        raise InvalidArgumentError.of(
            f"tf.pad: paddings must be {tensor.ndim} pairs of non-negative numbers for shape {tensor.shape}; "
            f"got {paddings}."
        )


def _validate_pad_zeros(tensor: Any, paddings: Ints) -> None:
    _require_paddings(tensor, paddings)


@op("pad", dtypes=MOVABLE, validate=_validate_pad_zeros, gradient_reads=False)
def _pad_zeros(tensor: Array, paddings: Ints) -> Array:
    return jax.lax.pad(tensor, jnp.zeros((), tensor.dtype), [(before, after, 0) for before, after in paddings])


def _validate_pad(tensor: Any, constant_values: Any, paddings: Ints) -> None:
    _require_paddings(tensor, paddings)
    if constant_values.ndim:
        raise InvalidArgumentError.of(f"tf.pad: constant_values must be a scalar, got shape {constant_values.shape}.")


@op("pad", dtypes=MOVABLE, validate=_validate_pad, differentiable=("tensor",), gradient_reads=False)
def _pad(tensor: Array, constant_values: Array, paddings: Ints) -> Array:
    return jax.lax.pad(tensor, constant_values, [(before, after, 0) for before, after in paddings])


def _validate_pad_mirrored(tensor: Any, paddings: Ints, mode: str) -> None:
    _require_paddings(tensor, paddings)
    for size, pair in zip(tensor.shape, paddings, strict=True):
        if max(pair) > size - _MIRRORS[mode]:
            raise found_early(
                f"tf.pad: in mode {mode} paddings must not exceed {size - _MIRRORS[mode]} for an axis of size {size}, "
                f"got {paddings}."
            )


@op("pad", dtypes=MOVABLE, validate=_validate_pad_mirrored, gradient_reads=False)
def _pad_mirrored(tensor: Array, paddings: Ints, mode: str) -> Array:
    return jnp.pad(tensor, paddings, mode=mode.lower()) if paddings else tensor
