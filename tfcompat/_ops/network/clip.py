"""Clipping: by value, by norm, by the norm of a whole list. IndexedSlices stay IndexedSlices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Axes, Number, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import FLOATING, NUMERIC, REAL
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.derivative import larger, smaller, square_root
from tfcompat._ops.elementwise.row import no_bool
from tfcompat._ops.fold.axes import folded_axes
from tfcompat._ops.indexed_slices.rows import IndexedSlices


def _require_shape(name: str, tensor: Any, *bounds: Any) -> None:
    """Raises ValueError if broadcasting with `bounds` would enlarge `tensor`."""
    shapes = [tensor.shape, *(bound.shape for bound in bounds)]
    try:
        shape = broadcast_shapes(*shapes)
    except ValueError as refused:
        raise InvalidArgumentError.of(f"tf.{name}: shapes must broadcast, got {shapes}.") from refused
    if shape != tensor.shape:
        raise ValueError(f"tf.{name}: the bounds must broadcast to shape {tensor.shape}, but enlarge it to {shape}.")


def _validate_clip_by_value(t: Any, clip_value_max: Any, clip_value_min: Any) -> None:
    no_bool("clip_by_value")(t=t)
    if t.dtype not in REAL:
        raise InvalidArgumentError.of(f"tf.clip_by_value: t must be real numbers, got {t.dtype.name}.")
    _require_shape("clip_by_value", t, clip_value_max, clip_value_min)


@op("clip_by_value", validate=_validate_clip_by_value)
def _clip_by_value(t: Array, clip_value_max: Array, clip_value_min: Array) -> Array:
    """`clip_by_value` of a tensor."""
    return larger(smaller(t, clip_value_max), clip_value_min)


@dispatched
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """`t`, at most `clip_value_max` and then at least `clip_value_min`; IndexedSlices stay IndexedSlices.

    Shapes: [*dims], bounds that broadcast to it -> the same.
    Dtypes: real numbers -> the same.
    Gradient: 1 at the bounds.
    Raises: InvalidArgumentError if the dtypes differ; ValueError if the bounds have a larger shape than `t`.
    Source: TF 2.21 `tf.clip_by_value`.
    """
    clipped = _clip_by_value(_values(t), clip_value_max, clip_value_min, name)
    return _like(t, clipped)


@op(
    "clip_by_norm",
    dtypes=FLOATING,
    same=("t",),
    validate=lambda t, clip_norm, axes: _validate_clip_by_norm(t, clip_norm, axes),
)
def _clip_by_norm(t: Array, clip_norm: Number, axes: Axes) -> Array:
    """`clip_by_norm` of a tensor."""
    total = jnp.sum(t * t, axes, keepdims=True, dtype=t.dtype)
    is_positive = total > 0
    size = jnp.where(is_positive, square_root(jnp.where(is_positive, total, jnp.ones_like(total))), total)
    limit = clip_norm.astype(t.dtype)
    limit = larger(limit, jnp.zeros_like(limit))
    return t * limit / larger(size, limit)


def _validate_clip_by_norm(t: Any, clip_norm: Any, axes: Any) -> None:
    folded_axes("clip_by_norm", axes, t.ndim)
    _require_shape("clip_by_norm", t, clip_norm)


@dispatched
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """`t`, scaled so that its norm over `axes` (all if None) is at most `clip_norm`; IndexedSlices stay IndexedSlices.

    A negative limit counts as 0.

    Shapes: [*dims], a limit that broadcasts to it -> the same.
    Dtypes: floating -> the same.
    Gradient: 1 at 0.
    Raises: InvalidArgumentError for another dtype or an axis out of range; ValueError if the limit has a larger shape
      than `t`.
    Source: TF 2.21 `tf.clip_by_norm`.
    """
    is_array = isinstance(clip_norm, (list, tuple, np.ndarray))
    return _like(t, _clip_by_norm(_values(t), convert_to_tensor(clip_norm) if is_array else clip_norm, axes, name))


@op("linalg.global_norm", dtypes=FLOATING)
def _global_norm(t_list: Arrays) -> Array:
    """`global_norm` of a list of tensors."""
    halves = [jnp.sum(t * t, dtype=t.dtype) / 2 for t in t_list]
    return square_root(sum(halves[1:], halves[0]) * 2)


@dispatched
def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The euclidean norm of all elements of the tensors in the list `t_list`; Nones are ignored.

    The values of IndexedSlices count separately: repeated rows are not summed.

    Shapes: any -> [].
    Dtypes: floating -> the same; of nothing float32.
    Raises: TypeError if `t_list` is not a list; InvalidArgumentError for another dtype, or if the dtypes differ.
    Source: TF 2.21 `tf.linalg.global_norm`.
    """
    values = [_values(t) for t in _listed("linalg.global_norm", t_list) if t is not None]
    return _global_norm(values, name) if values else convert_to_tensor(0.0)


@op("clip_by_global_norm", dtypes={"t_list": NUMERIC, "use_norm": FLOATING}, same=(), structure=list)
def _scaled(t_list: Arrays, use_norm: Array, clip_norm: Number) -> tuple[Array, ...]:
    """The tensors of `t_list` scaled by the factor that clips `use_norm` to `clip_norm`; nan if it is not finite."""
    limit = clip_norm.astype(use_norm.dtype)
    scale = limit * smaller(1 / use_norm, 1 / limit) + (use_norm - use_norm)
    return tuple(t * scale.astype(t.dtype) for t in t_list)


@dispatched
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """The tensors of `t_list`, scaled so that their global norm is at most `clip_norm`; and the norm before.

    None stays None, and IndexedSlices stay IndexedSlices. `use_norm` is their norm, if it is known already.

    Shapes: any -> the same, and [].
    Dtypes: floating -> the same.
    Gradient: nan where the norm is not finite.
    Raises: TypeError if `t_list` is not a list, or `clip_norm` is a tensor of another dtype than the norm;
      InvalidArgumentError for another dtype, or, without `use_norm`, if the dtypes differ.
    Source: TF 2.21 `tf.clip_by_global_norm`.
    """
    tensors = _listed("clip_by_global_norm", t_list)
    size = global_norm(tensors, name) if use_norm is None else convert_to_tensor(use_norm)
    limit = as_tensor(clip_norm)
    if limit is not None and limit.dtype is not size.dtype and any(t is not None for t in tensors):
        raise TypeError(
            f"tf.clip_by_global_norm: clip_norm must have the dtype of the norm, got {limit.dtype} and {size.dtype}."
        )
    present = [t for t in tensors if t is not None]
    clipped = iter(_scaled([_values(t) for t in present], size, clip_norm, name) if present else ())
    return [None if t is None else _like(t, next(clipped)) for t in tensors], size


def _listed(name: str, t_list: Any) -> list[Any]:
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"tf.{name}: t_list must be a list of tensors, got {type(t_list).__name__}.")
    return list(t_list)


def _values(t: Any) -> Any:
    return t.values if isinstance(t, IndexedSlices) else t


def _like(t: Any, values: Tensor) -> Any:
    return IndexedSlices(values, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else values
