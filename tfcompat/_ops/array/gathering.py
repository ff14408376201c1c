"""Elements and rows picked by index or by mask."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Check, integer, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.operation.op import Window
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, NotFoundError, found_early
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.dtype import BOOL, COPIED, FLOATING, MOVABLE, bool_, int16, int32, int64, string
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.array.true_place import may_be_found, true_coordinates, true_places
from tfcompat._ops.axis import require_axis, require_rank_above

PLACES = frozenset((int16, int32, int64))


@dispatched
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """The slices of `params` along `axis` at `indices`; the first `batch_dims` axes are batch axes.

    Shapes: [*batch, *before, n, *after], [*batch, *places] -> [*batch, *before, *places, *after], with n at axis.
    Dtypes: params any -> same; indices int16, int32, int64.
    Gradient: for axis 0 a `tf.IndexedSlices` of the gathered rows.
    Raises: InvalidArgumentError if an index is not in [0, n), or the axes do not exist.
    Source: TF 2.21 `tf.gather`.
    """
    del validate_indices
    params = convert_to_tensor(params)
    batch = integer(batch_dims) or 0
    along = batch if axis is None else integer(axis)
    assert along is not None
    if along == 0:
        return _gather_rows(params, indices, name=name)
    indices = convert_to_tensor(indices)
    batch = batch + indices.ndim if batch < 0 else batch
    along = require_axis("gather", along if axis is not None else batch, params.ndim)
    _require_batches(params, indices, along, batch)
    return _gather(params, indices, along, batch, name=name)


def _require_batches(params: Tensor, indices: Tensor, axis: int, batch_dims: int) -> None:
    fits = 0 <= batch_dims <= min(axis, indices.ndim)
    if not fits or params._aval.shape[:batch_dims] != indices._aval.shape[:batch_dims]:
        refuse = found_early if fits else InvalidArgumentError.of
        raise refuse(
            f"tf.gather: the first {batch_dims} axes of params and indices, which come before axis {axis}, must agree, "
            f"got shapes {params.shape} and {indices.shape}."
        )


def _is_outside(indices: Array, params: Array, axis: int) -> Array:
    """Whether `indices` are outside of `params` along `axis`. TensorFlow accepts any where slices have no elements."""
    if 0 in (*params.shape[:axis], *params.shape[axis + 1 :]):
        return indices != indices
    return (indices < 0) | (indices >= params.shape[axis])


def _slices_at(params: Array, *places: Array) -> Array:
    """The slices of `params` at `places` along its first axes; zeros for places out of range, which are rejected."""
    if 0 in params.shape[: len(places)]:
        shape = broadcast_shapes(*[along.shape for along in places])
        return jnp.zeros((*shape, *params.shape[len(places) :]), params.dtype)
    return params.at[places].get(mode="clip", wrap_negative_indices=False)


def _validate_rows(params: Any, indices: Any) -> None:
    del indices
    require_rank_above("gather", params, 1, "params")


def _has_outside_rows(params: Array, indices: Array) -> Array:
    _validate_rows(params, indices)
    return _is_outside(indices, params, 0)


@op(
    "gather",
    dtypes={"params": COPIED, "indices": PLACES},
    same=("params",),
    validate=_validate_rows,
    infers=lambda params, indices: aval_of((*indices.shape, *params.shape[1:]), params.dtype),
    rows=(0, 1),
    windows=lambda: {1: Window(0, None, 0)},
    check=Check(("indices",), _has_outside_rows, "indices must be in [0, n) for n rows of params"),
    fold=lambda params, indices: _folded_rows(params, indices),
    gradient_reads=False,
)
def _gather_rows(params: Array, indices: Array) -> Array:
    return _slices_at(params, indices)


def _folded_rows(params: np.ndarray, indices: np.ndarray) -> np.ndarray:
    if _has_outside_rows(params, indices).any():
        raise InvalidArgumentError.of(f"tf.gather: indices must be in [0, {params.shape[0]}), got {indices.tolist()}.")
    return params[indices] if params.size else np.zeros((*indices.shape, *params.shape[1:]), params.dtype)


def _has_outside_places(params: Array, indices: Array, axis: int, batch_dims: int) -> Array:
    del batch_dims
    return _is_outside(indices, params, axis)


@op(
    "gather",
    dtypes={"params": COPIED, "indices": PLACES},
    same=("params",),
    windows=lambda axis, batch_dims: {} if batch_dims else {1: Window(axis, None, axis)},
    check=Check(("indices",), _has_outside_places, "indices must be in [0, n) for n slices of params along axis"),
    gradient_reads=False,
)
def _gather(params: Array, indices: Array, axis: int, batch_dims: int = 0) -> Array:
    count = max(indices.ndim - batch_dims, 0)
    key: list[Any] = []
    for k in range(axis):
        spread = [1] * (axis + count)
        spread[k] = params.shape[k]
        key.append(jnp.arange(params.shape[k], dtype=jnp.int32).reshape(spread))
    batches, places = indices.shape[:batch_dims], indices.shape[batch_dims:]
    key.append(indices.reshape((*batches, *(1,) * (axis - batch_dims), *places)))
    return _slices_at(params, *key)


@dispatched
def gather_nd(
    params: Any, indices: Any, batch_dims: int = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Tensor:
    """The elements or slices of `params` at the coordinates in the last axis of `indices`.

    With `bad_indices_policy` "IGNORE", those at coordinates that are out of range are 0.

    Shapes: [*batch, n1, ..., nk, *row], [*batch, *places, k] -> [*batch, *places, *row].
    Dtypes: params any -> same; indices int16, int32, int64.
    Gradient: for indices of shape [m, 1] a `tf.IndexedSlices` of the gathered rows.
    Raises: InvalidArgumentError if a coordinate is out of range, or k exceeds the rank; ValueError for bad batch_dims.
    Source: TF 2.21 `tf.gather_nd`.
    """
    if bad_indices_policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        raise NotFoundError.of(f"tf.gather_nd: unknown bad_indices_policy {bad_indices_policy!r}.")
    params, indices = convert_to_tensor(params), convert_to_tensor(indices)
    batch = integer(batch_dims) or 0
    if not 0 <= batch < max(indices.ndim, 1):
        raise ValueError(f"tf.gather_nd: batch_dims must be in [0, {indices.ndim}), got {batch}.")
    if batch and batch >= params.ndim:
        raise ValueError(f"tf.gather_nd: batch_dims must be below the rank of params, {params.ndim}, got {batch}.")
    if bad_indices_policy == "IGNORE":
        return _gather_inside(params, indices, batch, name=name)
    are_rows = batch == 0 and indices.ndim == 2 and indices._aval.shape[1] == 1
    if are_rows and (params._aval.size or not indices._aval.size):
        return _gather_rows(params, _coordinates(indices), name=name)
    return _gather_nd(params, indices, batch, name=name)


@op("reshape", dtypes=PLACES, gradient_reads=False)
def _coordinates(indices: Array) -> Array:
    return indices.reshape(-1)


def _validate_gather_nd(params: Any, indices: Any, batch_dims: int) -> None:
    require_rank_above("gather_nd", indices, 1, "indices")
    if indices.shape[-1] > params.ndim - batch_dims or indices.shape[:batch_dims] != params.shape[:batch_dims]:
        raise InvalidArgumentError.of(
            f"tf.gather_nd: the last axis of indices must have at most {params.ndim - batch_dims} coordinates for "
            f"params of shape {params.shape}, got shape {indices.shape}."
        )


def _has_outside_elements(params: Array, indices: Array, batch_dims: int) -> Array:
    _validate_gather_nd(params, indices, batch_dims)
    if 0 in params.shape:
        # TensorFlow rejects every index into an empty tensor, even for slices that need no coordinate.
        return (indices < 0).any(-1) | True
    bad = indices < 0
    for k in range(indices.shape[-1]):
        bad = bad | (indices[..., k : k + 1] >= params.shape[batch_dims + k])
    return bad


@op(
    "gather_nd",
    dtypes={"params": COPIED, "indices": PLACES},
    same=("params",),
    validate=_validate_gather_nd,
    check=Check(("indices",), _has_outside_elements, "indices must lie inside of params"),
    gradient_reads=False,
)
def _gather_nd(params: Array, indices: Array, batch_dims: int = 0) -> Array:
    return _at_coordinates(params, indices, batch_dims)


def _are_inside(params: Any, indices: Any, batch_dims: int) -> Any:
    """Whether the elements or slices of `params` at `indices` exist, as booleans that broadcast with them."""
    count = indices.shape[-1]
    sizes = np.array(params.shape[batch_dims : batch_dims + count], np.int64)
    are_inside = ((indices >= 0) & (indices < sizes)).all(-1)
    return are_inside.reshape(are_inside.shape + (1,) * (params.ndim - batch_dims - count))


def _gather_strings_inside(params: np.ndarray, indices: np.ndarray, batch_dims: int = 0) -> np.ndarray:
    if batch_dims:
        raise NotImplementedError("tf.gather_nd: with bad_indices_policy, strings can't have batch_dims; use tf.where.")
    are_inside = _are_inside(params, indices, 0)
    safe = np.where(are_inside.reshape(*indices.shape[:-1], 1), indices, 0)
    found = params[tuple(safe[..., k] for k in range(indices.shape[-1]))]
    return np.where(are_inside, found, b"")


@op(
    "gather_nd",
    dtypes={"params": COPIED, "indices": PLACES},
    same=("params",),
    validate=_validate_gather_nd,
    gradient_reads=False,
    strings=_gather_strings_inside,
)
def _gather_inside(params: Array, indices: Array, batch_dims: int = 0) -> Array:
    """`_gather_nd` with zeros at coordinates that are out of range."""
    found = _at_coordinates(params, indices, batch_dims)
    return jnp.where(_are_inside(params, indices, batch_dims), found, jnp.zeros((), params.dtype))


def _at_coordinates(params: Array, indices: Array, batch_dims: int) -> Array:
    between = indices.ndim - 1 - batch_dims
    key: list[Any] = []
    for k in range(batch_dims):
        spread = [1] * (indices.ndim - 1)
        spread[k] = params.shape[k]
        key.append(jnp.arange(params.shape[k], dtype=indices.dtype).reshape(spread))
    key += [indices[..., k] for k in range(indices.shape[-1])]
    if not key:
        return jnp.broadcast_to(params, (*indices.shape[:between], *params.shape))
    return _slices_at(params, *key)


@dispatched
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Elements of `x` where `condition` is true and of `y` elsewhere; without both, the coordinates of true elements.

    The number of coordinates is part of a shape: in a function the program finds it, else the host.

    Shapes: [*dims], [*dims], [*dims] (broadcast) -> dims; condition [*dims] alone -> [count, rank(dims)].
    Dtypes: condition bool, x and y any, both the same -> same; condition alone any -> int64.
    Raises: ValueError if only one of x and y is given; InvalidArgumentError if dtypes or shapes do not agree.
    Source: TF 2.21 `tf.where`.
    """
    if (x is None) != (y is None):
        raise ValueError("tf.where: x and y must both be given, or neither.")
    if x is None:
        return _coordinates_of(condition)
    chosen = as_tensor(condition)
    if chosen is None:
        is_array = isinstance(condition, (np.ndarray, np.generic))
        chosen = convert_to_tensor(condition.astype(bool) if is_array else condition, bool_)
    return _where(chosen, x, y, name=name)


@by_row("condition", specs=lambda condition: TensorSpec([None, convert_to_tensor(condition).ndim], int64))
def _coordinates_of(condition: Any) -> Tensor:
    tensor = convert_to_tensor(condition)
    if tensor.ndim == 0 or tensor.dtype is string:
        raise InvalidArgumentError.of(
            f"tf.where: condition must have rank 1 or more and must not hold strings, got {tensor._aval!r}."
        )
    if tensor._is_symbolic() and may_be_found(tensor):
        return true_coordinates(tensor)
    return Tensor(np.argwhere(np.asarray(tensor)).astype(np.int64))


@op("where", dtypes={"condition": BOOL, "x": MOVABLE, "y": MOVABLE}, same=("x", "y"), gradient_reads=False)
def _where(condition: Array, x: Array, y: Array) -> Array:
    return jnp.where(condition, x, y)


@dispatched
@by_row("tensor", "mask", specs=lambda tensor, mask, axis, **_: _masked(tensor, mask, axis))
def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Tensor:
    """The slices of `tensor` where `mask` is true; the mask covers the axes from `axis` on.

    Their number is part of a shape: in a function the program finds it, else the host.

    Shapes: [*before, *masked, *after], [*masked] -> [*before, count, *after].
    Dtypes: any -> same; mask bool.
    Raises: ValueError if mask is a scalar, or its shape differs from that of tensor from axis on.
    Source: TF 2.21 `tf.boolean_mask`.
    """
    tensor, chosen = convert_to_tensor(tensor), convert_to_tensor(mask)
    is_found = chosen._is_symbolic() and may_be_found(chosen)
    known = None if is_found else np.flatnonzero(np.asarray(chosen))
    if chosen.ndim == 0:
        raise ValueError("tf.boolean_mask: mask cannot be scalar.")
    along = require_axis("boolean_mask", integer(axis) or 0, tensor.ndim or 1, ValueError)
    masked, dims = tensor._aval.shape[along : along + chosen.ndim], chosen._aval.shape
    if masked != dims:
        raise ValueError(f"tf.boolean_mask: Shapes {masked} and {dims} are incompatible.")
    places = true_places(chosen) if known is None else Tensor(known)
    return _boolean_mask(tensor, places, along, chosen.ndim, name=name)


def _masked(tensor: Any, mask: Any, axis: Any) -> TensorSpec:
    """The type of the slices where a mask is true."""
    tensor, chosen = convert_to_tensor(tensor), convert_to_tensor(mask)
    if chosen.ndim == 0:
        raise ValueError("tf.boolean_mask: mask cannot be scalar.")
    along = require_axis("boolean_mask", integer(axis) or 0, tensor.ndim or 1, ValueError)
    dims = tensor.shape.as_list()
    return TensorSpec([*dims[:along], None, *dims[along + chosen.ndim :]], tensor.dtype)


def picked_along(tensor: Tensor, places: Tensor, axis: int) -> Tensor:
    """The slices of `tensor` along `axis` at `places`, all of which exist."""
    return _boolean_mask(tensor, places, axis, 1)


def _picked_strings(array: Any, places: Any, axis: int, count: int) -> Any:
    return _flattened(array, axis, count)[(slice(None),) * axis + (places,)]


def _flattened(array: Any, axis: int, count: int) -> Any:
    """`array` with its `count` axes from `axis` on as one axis."""
    before, after = array.shape[:axis], array.shape[axis + count :]
    return array.reshape((*before, math.prod(array.shape[axis : axis + count]), *after))


@op("boolean_mask", dtypes=MOVABLE, same=("tensor",), strings=_picked_strings)
def _boolean_mask(tensor: Array, places: Array, axis: int, count: int) -> Array:
    return slices_at(_flattened(tensor, axis, count), places, axis)


def slices_at(array: jax.Array, places: jax.Array, axis: int) -> jax.Array:
    """The slices of `array` along `axis` at `places`, a vector of places that exist.

    Its derivative is linear in the cotangent for no places, too. That of an index expression is then a constant.
    """
    if array.shape[axis] == 0:
        return array
    others = [k for k in range(array.ndim) if k != axis]
    numbers = jax.lax.GatherDimensionNumbers(tuple(others), (axis,), (axis,))
    sizes = [1 if k == axis else size for k, size in enumerate(array.shape)]
    return jax.lax.gather(array, places[:, None], numbers, tuple(sizes), mode="promise_in_bounds")


@dispatched
def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Tensor:
    """The rows of the matrix `params` at `ids`, scaled down to norm `max_norm` where theirs is greater, if it is given.

    `params` may be a list of matrices, whose rows are numbered as if they were stacked vertically.

    Shapes: [n, *row], [*ids] -> [*ids, *row].
    Dtypes: params any -> same; ids int16, int32, int64.
    Gradient: a `tf.IndexedSlices` of the looked up rows.
    Raises: InvalidArgumentError if an id is not in [0, n); ValueError if params is empty.
    Source: TF 2.21 `tf.nn.embedding_lookup`.
    """
    if params is None or (isinstance(params, (list, tuple)) and not params):
        raise ValueError("tf.nn.embedding_lookup: params must be a tensor or a non-empty list of tensors.")
    if isinstance(params, (list, tuple)) and all(np.ndim(part) or as_tensor(part) is not None for part in params):
        params = params[0] if len(params) == 1 else _below(params)
    rows = _gather_rows(convert_to_tensor(params), ids, name=name)
    if max_norm is None:
        return rows
    return _clip_rows(rows, max_norm, convert_to_tensor(ids).ndim)


@op("concat", dtypes=MOVABLE, gradient_reads=False)
def _below(values: Arrays) -> Array:
    return jnp.concatenate(values)


@op("clip_by_norm", dtypes=FLOATING)
def _clip_rows(values: Array, max_norm: Array, rank: int) -> Array:
    axes = tuple(range(rank, values.ndim))
    squares = jnp.sum(values * values, axes, keepdims=True)
    is_positive = squares > 0
    norm = jnp.where(is_positive, jnp.sqrt(jnp.where(is_positive, squares, 1)), squares)
    return values * max_norm / jnp.maximum(norm, max_norm)
