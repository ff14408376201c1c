"""Joining tensors along an axis, and splitting them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Ints, integers, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.aval import Aval, aval_of
from tfcompat._core.types.dtype import COPIED, INT4
from tfcompat._ops.axis import require_axis, require_rank_above
from tfcompat._ops.identity import identity


@dispatched
def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """Concatenates the tensors of the list `values` along `axis`. A single tensor is returned whatever its shape.

    Shapes: [*before, n1, *after], [*before, n2, *after], ... -> [*before, n1 + n2 + ..., *after].
    Dtypes: any, all the same -> same.
    Raises: InvalidArgumentError if shapes or dtypes differ, axis is out of range, or is a tensor of several numbers;
      ValueError if axis is a list of several numbers.
    Source: TF 2.21 `tf.concat`.
    """
    if isinstance(axis, (list, tuple)) and len(axis) != 1:
        raise ValueError(f"tf.concat: axis must be a scalar, got a list of {len(axis)}; the values come first.")
    along = integers(axis)
    if isinstance(along, tuple):
        if len(along) != 1:
            raise InvalidArgumentError.of(f"tf.concat: axis must be a scalar, got {len(along)} numbers.")
        along = along[0]
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise InvalidArgumentError.of("tf.concat: values must not be empty.")
    if len(values) == 1:
        return identity(values[0], name=name)
    return _concat(values, along, name=name)


def _validate_concat(values: Any, axis: int) -> None:
    require_rank_above("concat", values[0], 1, "values")
    along = require_axis("concat", axis, values[0].ndim)
    kept = [(*value.shape[:along], *value.shape[along + 1 :]) for value in values]
    if any(value.ndim != values[0].ndim for value in values) or any(dims != kept[0] for dims in kept):
        shapes = ", ".join(str(value.shape) for value in values)
        raise InvalidArgumentError.of(f"tf.concat: shapes must agree except along axis {axis}, got {shapes}.")


def _fold_concat(*values: np.ndarray, axis: int) -> np.ndarray:
    _validate_concat(values, axis)
    return np.concatenate(values, axis)


def _infer_concat(values: Sequence[Aval], axis: int) -> Aval | None:
    """The type of the result; None, so that JAX refuses them, for open sizes that may differ elsewhere."""
    shape = list(values[0].shape)
    along = axis % len(shape)
    if any((*each.shape[:along], *each.shape[along + 1 :]) != (*shape[:along], *shape[along + 1 :]) for each in values):
        return None
    shape[axis] = sum(value.shape[axis] for value in values)
    return aval_of(tuple(shape), values[0].dtype)


@op(
    "concat",
    dtypes=COPIED,
    validate=_validate_concat,
    infers=_infer_concat,
    fold=_fold_concat,
    gradient_reads=False,
    passes=True,
)
def _concat(values: Arrays, axis: int) -> Array:
    return jnp.concatenate(values, axis)


@dispatched
def stack(values: Any, axis: Any = 0, name: str = "stack") -> Tensor:
    """Stacks the tensors of the list `values`, all of one shape, along a new axis at `axis`.

    Shapes: n times [*dims] -> dims with n at position axis.
    Dtypes: any, all the same -> same.
    Raises: ValueError if axis is out of range; InvalidArgumentError if shapes or dtypes differ.
    Source: TF 2.21 `tf.stack`.
    """
    whole = _whole(values)
    if whole is not None:
        along = require_axis("stack", int(axis), whole.ndim or 1, ValueError)
        if along == 0:
            return whole
        # Arrays without elements have no dtype in a list, but each has its own.
        if isinstance(values, Tensor) or math.prod(whole._aval.shape):
            return _moved(whole, along)
    first = convert_to_tensor(values[0])
    return _stack(values, require_axis("stack", int(axis), first.ndim + 1, ValueError), name=name)


def _whole(values: Any) -> Tensor | None:
    """`values` as one tensor; None if some are tensors already, or cannot be rows of one."""
    if isinstance(values, Tensor):
        return values
    if any(as_tensor(value) is not None for value in values):
        return None
    try:
        return convert_to_tensor(values)
    except (TypeError, ValueError):
        return None


@op("stack", dtypes=COPIED, gradient_reads=False)
def _moved(values: Array, axis: int) -> Array:
    return jnp.moveaxis(values, 0, axis)


def _validate_stack(values: Any, axis: int) -> None:
    del axis
    if any(value.shape != values[0].shape for value in values):
        shapes = ", ".join(str(value.shape) for value in values)
        raise InvalidArgumentError.of(f"tf.stack: shapes of all inputs must match, got {shapes}.")


def _fold_stack(*values: np.ndarray, axis: int) -> np.ndarray:
    _validate_stack(values, axis)
    return np.stack(values, axis)


@op("stack", dtypes=COPIED, validate=_validate_stack, fold=_fold_stack, gradient_reads=False)
def _stack(values: Arrays, axis: int = 0) -> Array:
    return jnp.stack(values, axis)


@dispatched
def unstack(value: Any, num: int | None = None, axis: Any = 0, name: str = "unstack") -> list[Tensor]:
    """The slices of `value` along `axis` as a list of tensors without that axis.

    Shapes: [*before, n, *after] -> n times [*before, *after].
    Dtypes: any -> same.
    Raises: ValueError if axis is out of range; InvalidArgumentError if the axis does not have size `num`.
    Source: TF 2.21 `tf.unstack`.
    """
    value = convert_to_tensor(value)
    along = require_axis("unstack", int(axis), value.ndim, ValueError)
    size = value._aval.shape[along]
    if num is not None and num != size:
        raise InvalidArgumentError.of(
            f"tf.unstack: num must be {size} for axis {axis} of shape {value.shape}, got {num}."
        )
    if size == 0:
        return []
    if value._aval.is_small_integer and type(value._array) is np.ndarray:
        return [Tensor(np.array(part)) for part in np.moveaxis(value._array, along, 0)]
    return _unstack(value, along, name=name)


@op("unstack", dtypes=COPIED, structure=list, gradient_reads=False)
def _unstack(value: Array, axis: int = 0) -> tuple[Array, ...]:
    parts = jax.lax.split(value, (1,) * value.shape[axis], axis)
    return tuple(jnp.squeeze(part, axis) for part in parts)


@dispatched
def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """Splits `value` along `axis` into equal parts, or into parts of the given sizes (one may be -1).

    Shapes: [*before, n, *after] -> a list of [*before, n_k, *after].
    Dtypes: any -> same.
    Raises: InvalidArgumentError if the sizes do not add up to n, or the axis is out of range.
    Source: TF 2.21 `tf.split`.
    """
    value = convert_to_tensor(value)
    along = require_axis("split", int(axis), value.ndim)
    sizes = _sizes(integers(num_or_size_splits), value._aval.shape[along])
    if num is not None and num != len(sizes):
        raise InvalidArgumentError.of(f"tf.split: num must be the number of sizes, {len(sizes)}, got {num}.")
    return _split(value, sizes, along, name=name)


def _sizes(parts: Any, size: int) -> tuple[int, ...]:
    """The sizes of the parts of an axis of `size` elements."""
    if isinstance(parts, int):
        if parts <= 0 or size % parts:
            raise InvalidArgumentError.of(f"tf.split: cannot split an axis of size {size} into {parts} equal parts.")
        return (size // parts,) * parts
    rest = size - sum(part for part in parts if part != -1)
    sizes = tuple(rest if part == -1 else part for part in parts)
    if parts.count(-1) > 1 or sum(sizes) != size or any(part < 0 for part in sizes):
        raise InvalidArgumentError.of(f"tf.split: the sizes must add up to {size}, with -1 at most once, got {parts}.")
    return sizes


@op("split", dtypes=COPIED | INT4, structure=list, gradient_reads=False)
def _split(value: Array, num_or_size_splits: Ints, axis: int = 0) -> tuple[Array, ...]:
    return tuple(jax.lax.split(value, num_or_size_splits, axis))
