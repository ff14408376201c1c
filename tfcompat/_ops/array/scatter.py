"""Writing elements at indices: into zeros, into a tensor, and into parts of variables.

If an index occurs more than once, sums, products and extremes combine all its updates; an assignment keeps the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Check, Ints, Shape, op, registry
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, NotFoundError
from tfcompat._core.tracing.trace import record
from tfcompat._core.types.dtype import INDEX, MOVABLE, NUMERIC, REAL, int16, int32
from tfcompat._ops.array.indexing import as_inputs, narrowed, outside_positions, parse
from tfcompat._ops.fold.segment import without_nan
from tfcompat._ops.inferred import like


def _require_coordinates(name: str, shape: Sequence[int], indices: Any, updates: Any) -> None:
    """Requires that `indices` are coordinates in a tensor of `shape`, each with an update of the right shape."""
    if indices.ndim < 1 or indices.shape[-1] > len(shape):
        raise InvalidArgumentError.of(
            f"tf.{name}: the last axis of indices must have at most {len(shape)} coordinates for shape {tuple(shape)}, "
            f"got shape {indices.shape}."
        )
    wanted = (*indices.shape[:-1], *shape[indices.shape[-1] :])
    if np.shape(updates) != wanted or not wanted:
        raise InvalidArgumentError.of(
            f"tf.{name}: updates must have shape {wanted} for indices {indices.shape}, got {np.shape(updates)}."
        )


def _is_ignoring(name: str, policy: str) -> bool:
    """Whether `policy` leaves out updates outside of the tensor. Raises InvalidArgumentError for an unknown one."""
    if policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        raise InvalidArgumentError.of(f"tf.{name}: unknown bad_indices_policy {policy!r}.")
    return policy == "IGNORE"


def _outside(shape: Sequence[int], indices: Array) -> Array:
    """Whether coordinates in the last axis of `indices` lie outside a tensor of `shape`."""
    bad = indices < 0
    for k in range(indices.shape[-1]):
        bad = bad | (indices[..., k : k + 1] >= shape[k])
    return bad


def _key(indices: Array) -> tuple[Array, ...]:
    """The coordinates in NumPy's form."""
    return tuple(indices[..., k] for k in range(indices.shape[-1]))


def _at(values: Array, indices: Array, updates: Array, mode: str) -> Array:
    """`values` with `updates` written at the coordinates; updates outside are dropped."""
    return getattr(values.at[_key(indices)], mode)(updates, mode="drop", wrap_negative_indices=False)


def _found(values: Array, indices: Array) -> Array:
    """The elements or slices of `values` at the coordinates."""
    return values.at[_key(indices)].get(mode="clip", wrap_negative_indices=False)


@dispatched
def scatter_nd(indices: Any, updates: Any, shape: Any, bad_indices_policy: str = "", name: str | None = None) -> Tensor:
    """Zeros of `shape` with `updates` added at the coordinates in the last axis of `indices`.

    With `bad_indices_policy` "IGNORE", updates at coordinates that are out of range are left out.

    Shapes: [*places, k], [*places, *rest] -> shape, whose axes from the k-th on are rest.
    Dtypes: updates any -> same; indices int32, int64.
    Raises: InvalidArgumentError if a coordinate is out of range, or the shapes do not fit; NotFoundError for int16.
    Source: TF 2.21 `tf.scatter_nd`.
    """
    indices = convert_to_tensor(indices)
    dims = as_tensor(shape)
    is_tensor = not isinstance(shape, list | tuple)  # the members of a list take the dtype of the indices
    if is_tensor and dims is not None and dims.dtype is not indices.dtype and indices.dtype is not int32:
        raise InvalidArgumentError.of(
            f"tf.scatter_nd: indices and shape must have one dtype, got {indices.dtype.name} and {dims.dtype.name}."
        )
    if isinstance(shape, int) or (dims is not None and dims.ndim != 1):
        raise InvalidArgumentError.of(f"tf.scatter_nd: shape must be a vector, got {shape!r}.")
    if indices.dtype is int16:
        raise NotFoundError.of("tf.scatter_nd: indices must be int32 or int64, got int16.")
    return _scatter_nd(indices, updates, shape, bad_indices_policy, name=name)


def _validate_scatter_nd(indices: Any, updates: Any, shape: Shape, bad_indices_policy: str = "") -> None:
    _is_ignoring("scatter_nd", bad_indices_policy)
    if any(size < 0 for size in shape):
        raise InvalidArgumentError.of(f"tf.scatter_nd: shape must not have negative sizes, got {shape}.")
    _require_coordinates("scatter_nd", shape, indices, updates)


def _is_outside_shape(indices: Array, updates: Array, shape: Shape, bad_indices_policy: str = "") -> Array:
    _validate_scatter_nd(indices, updates, shape, bad_indices_policy)
    return _outside(shape, indices) & (not _is_ignoring("scatter_nd", bad_indices_policy))


def _scatter_strings(
    indices: np.ndarray, updates: np.ndarray, shape: Shape, bad_indices_policy: str = ""
) -> np.ndarray:
    """Concatenates the strings written to the same place."""
    found = np.full(shape, b"", object)
    if _is_ignoring("scatter_nd", bad_indices_policy):
        is_inside = ~_outside(shape, indices).any(-1)
        indices, updates = indices[is_inside], updates[is_inside]
    np.add.at(found, _key(indices), updates)
    return found


@op(
    "scatter_nd",
    dtypes={"indices": INDEX, "updates": MOVABLE},
    same=("updates",),
    validate=_validate_scatter_nd,
    check=Check(("indices",), _is_outside_shape, "indices must lie inside of shape"),
    strings=_scatter_strings,
)
def _scatter_nd(indices: Array, updates: Array, shape: Shape, bad_indices_policy: str = "") -> Array:
    del bad_indices_policy  # the check has found coordinates that are out of range; they are dropped
    return _at(jnp.zeros(shape, updates.dtype), indices, updates, "max" if updates.dtype == bool else "add")


def _into_tensor(name: str, dtypes: Any) -> Any:
    """Declares an op that writes updates into a tensor."""

    def validate(tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "") -> None:
        _is_ignoring(name, bad_indices_policy)
        _require_coordinates(name, tensor.shape, indices, updates)

    def is_outside(tensor: Array, indices: Array, updates: Array, bad_indices_policy: str = "") -> Array:
        validate(tensor, indices, updates, bad_indices_policy)
        return _outside(tensor.shape, indices) & (not _is_ignoring(name, bad_indices_policy))

    return op(
        name,
        dtypes={"tensor": dtypes, "indices": INDEX, "updates": dtypes},
        same=("tensor", "updates"),
        validate=validate,
        check=Check(("indices",), is_outside, "indices must lie inside of tensor"),
    )


@_into_tensor("tensor_scatter_nd_update", MOVABLE)
def tensor_scatter_nd_update(tensor: Array, indices: Array, updates: Array) -> Array:
    """The tensor `tensor` with `updates` in place of its elements or slices at the coordinates `indices`.

    Shapes: [*dims], [*places, k], [*places, *dims[k:]] -> dims.
    Dtypes: any, both the same -> same; indices int32, int64.
    Gradient: every update gets that of its place, even if another update overwrote it.
    Raises: InvalidArgumentError if a coordinate is out of range, or the shapes do not fit.
    Source: TF 2.21 `tf.tensor_scatter_nd_update`.
    """
    return _replaced(tensor, updates, indices)


@jax.custom_jvp
def _replaced(tensor: Array, updates: Array, indices: Array) -> Array:
    return _at(tensor, indices, updates, "set")


@_replaced.defjvp
def _replaced_jvp(primals: Any, tangents: Any) -> tuple[Array, Array]:
    tensor, updates, indices = primals
    is_taken = _at(jnp.zeros(tensor.shape, bool), indices, jnp.ones(updates.shape, bool), "set")
    kept = jnp.where(is_taken, 0, tangents[0])
    return _replaced(tensor, updates, indices), _at(kept, indices, tangents[1], "add")


@_into_tensor("tensor_scatter_nd_add", NUMERIC)
def tensor_scatter_nd_add(tensor: Array, indices: Array, updates: Array, bad_indices_policy: str = "") -> Array:
    """The tensor `tensor` with `updates` added to its elements or slices at the coordinates `indices`.

    With `bad_indices_policy` "IGNORE", updates at coordinates that are out of range are left out.

    Shapes: [*dims], [*places, k], [*places, *dims[k:]] -> dims.
    Dtypes: NUMERIC, both the same -> same; indices int32, int64.
    Raises: InvalidArgumentError if a coordinate is out of range, or the shapes do not fit.
    Source: TF 2.21 `tf.tensor_scatter_nd_add`.
    """
    del bad_indices_policy
    return _at(tensor, indices, updates, "add")


@_into_tensor("tensor_scatter_nd_sub", NUMERIC)
def tensor_scatter_nd_sub(tensor: Array, indices: Array, updates: Array, bad_indices_policy: str = "") -> Array:
    """The tensor `tensor` with `updates` subtracted from its elements or slices at the coordinates `indices`.

    With `bad_indices_policy` "IGNORE", updates at coordinates that are out of range are left out.

    Shapes: [*dims], [*places, k], [*places, *dims[k:]] -> dims.
    Dtypes: NUMERIC, both the same -> same; indices int32, int64.
    Raises: InvalidArgumentError if a coordinate is out of range, or the shapes do not fit.
    Source: TF 2.21 `tf.tensor_scatter_nd_sub`.
    """
    del bad_indices_policy
    return _at(tensor, indices, -updates, "add")


@_into_tensor("tensor_scatter_nd_max", REAL)
def tensor_scatter_nd_max(tensor: Array, indices: Array, updates: Array, bad_indices_policy: str = "") -> Array:
    """The tensor `tensor` with the maximum of its element and of all `updates` at each of the coordinates `indices`.

    With `bad_indices_policy` "IGNORE", updates at coordinates that are out of range are left out.

    Shapes: [*dims], [*places, k], [*places, *dims[k:]] -> dims.
    Dtypes: REAL, both the same -> same; indices int32, int64.
    Gradient: the element and the updates that tie share it evenly; nan where the result is nan.
    Raises: InvalidArgumentError if a coordinate is out of range, or the shapes do not fit.
    Source: TF 2.21 `tf.tensor_scatter_nd_max`.
    """
    del bad_indices_policy
    return _extreme(tensor, updates, indices, "max")


@_into_tensor("tensor_scatter_nd_min", REAL)
def tensor_scatter_nd_min(tensor: Array, indices: Array, updates: Array, bad_indices_policy: str = "") -> Array:
    """The tensor `tensor` with the minimum of its element and of all `updates` at each of the coordinates `indices`.

    With `bad_indices_policy` "IGNORE", updates at coordinates that are out of range are left out.

    Shapes: [*dims], [*places, k], [*places, *dims[k:]] -> dims.
    Dtypes: REAL, both the same -> same; indices int32, int64.
    Gradient: the element and the updates that tie share it evenly; nan where the result is nan.
    Raises: InvalidArgumentError if a coordinate is out of range, or the shapes do not fit.
    Source: TF 2.21 `tf.tensor_scatter_nd_min`.
    """
    del bad_indices_policy
    return _extreme(tensor, updates, indices, "min")


@partial(jax.custom_jvp, nondiff_argnums=(3,))
def _extreme(tensor: Array, updates: Array, indices: Array, mode: str) -> Array:
    return _at(tensor, indices, without_nan(updates, mode), mode)


@_extreme.defjvp
def _extreme_jvp(mode: str, primals: Any, tangents: Any) -> tuple[Array, Array]:
    tensor, updates, indices = primals
    found = _extreme(tensor, updates, indices, mode)
    is_kept, is_chosen = (tensor == found).astype(found.dtype), (updates == _found(found, indices)).astype(found.dtype)
    count = _at(is_kept, indices, is_chosen, "add")
    # nan is equal to nothing: as in TensorFlow, its share is 0 / 0.
    is_kept = jnp.where(count == 0, np.nan, is_kept)
    is_chosen = jnp.where(_found(count, indices) == 0, np.nan, is_chosen)
    return found, _at(is_kept * tangents[0], indices, is_chosen * tangents[1], "add") / count


_MODES = {"update": "set", "add": "add", "sub": "add", "mul": "multiply", "div": "divide", "max": "max", "min": "min"}


def _validate_rows(values: Any, indices: Any, updates: Any, mode: str) -> None:
    wanted = (*indices.shape, *values.shape[1:])
    if values.ndim < 1 or np.shape(updates) not in ((), wanted):
        raise InvalidArgumentError.of(
            f"tf.Variable.scatter_{mode}: updates must be a scalar or have shape {wanted} for a variable of shape "
            f"{values.shape} and indices of shape {indices.shape}, got {np.shape(updates)}."
        )


def _is_outside_rows(values: Array, indices: Array, updates: Array, mode: str) -> Array:
    _validate_rows(values, indices, updates, mode)
    return (indices < 0) | (indices >= values.shape[0])


@op(
    "scatter_rows",
    dtypes={"values": MOVABLE, "indices": INDEX, "updates": MOVABLE},
    same=("values", "updates"),
    validate=_validate_rows,
    infers=like("values"),
    check=Check(("indices",), _is_outside_rows, "indices must be in [0, n) for n rows"),
)
def scatter_rows(values: Array, indices: Array, updates: Array, mode: str) -> Array:
    """The tensor `values` with its rows at `indices` replaced by, or combined with, `updates`.

    `mode` is update, add, sub, mul, div, max or min.

    Shapes: [n, *row], [*places], [*places, *row] or [] -> [n, *row].
    Dtypes: any, both the same -> same; indices int32, int64.
    Raises: InvalidArgumentError if an index is not in [0, n), or the shapes do not fit.
    Source: TF 2.21 `tf.Variable.scatter_update` and its relatives.
    """
    places = indices[..., None]
    if mode == "div" and jnp.issubdtype(values.dtype, jnp.integer):
        return jax.lax.div(values, _at(jnp.ones_like(values), places, updates, "multiply"))
    return _at(values, places, -updates if mode == "sub" else updates, _MODES[mode])


def scatter_elements(values: Any, indices: Any, updates: Any, mode: str) -> Tensor:
    """The tensor `values` with its elements or slices at the coordinates `indices` combined with `updates`.

    Shapes: [*dims], [*places, k], [*places, *dims[k:]] -> dims.
    Dtypes: any, both the same -> same; indices int32, int64.
    Raises: InvalidArgumentError if a coordinate is out of range, or the shapes do not fit.
    Source: TF 2.21 `tf.Variable.scatter_nd_update` and its relatives.
    """
    return _ELEMENTS[mode](values, indices, updates)


_ELEMENTS = {
    "update": tensor_scatter_nd_update,
    "add": tensor_scatter_nd_add,
    "sub": tensor_scatter_nd_sub,
    "max": tensor_scatter_nd_max,
    "min": tensor_scatter_nd_min,
}


def assign_part(tensor: Any, key: Any, value: Any) -> Tensor:
    """The tensor `tensor` with the part selected by the subscript `key` replaced by `value`, which is broadcast.

    Shapes: [*dims] -> same.
    Dtypes: any, both the same -> same.
    Raises: InvalidArgumentError if an index is out of range, or value does not broadcast to the part (unless that is
      empty); TypeError for an invalid index; ValueError if the dtypes differ.
    Source: TF 2.21 `tf.Variable.__getitem__(...).assign`.
    """
    tensor = convert_to_tensor(tensor)
    value = convert_to_tensor(value, tensor.dtype)
    structure, positions, is_checked = parse(tensor._aval.shape, key)
    bound = registry["strided_slice_assign"].bind((structure,), len(positions), is_checked)
    return record(bound, (tensor, *as_inputs(tensor, positions), value))


def _validate_part(tensor: Any, positions: Any, value: Any, key: Ints) -> None:
    _, sizes, inside = narrowed(tensor.shape, key, [np.zeros((), np.int32)] * len(positions))
    part = np.broadcast_to(np.int8(0), sizes)[inside].shape
    if 0 not in part and not _broadcasts(value.shape, part):
        raise InvalidArgumentError.of(
            f"tf.Variable.assign: cannot assign a value of shape {value.shape} to a part of shape {part}."
        )


def _broadcasts(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    aligned = wanted[len(wanted) - len(shape) :]
    return len(shape) <= len(wanted) and all(m in (1, n) for m, n in zip(shape, aligned, strict=True))


def _is_outside_part(tensor: Array, positions: Sequence[Array], value: Array, key: Ints) -> Array:
    del value
    return outside_positions(tensor, positions, key)


@op(
    "strided_slice_assign",
    same=("tensor", "value"),
    validate=_validate_part,
    check=Check(("positions",), _is_outside_part, "slice index out of bounds"),
)
def _assign_part(tensor: Array, positions: Arrays, value: Array, key: Ints) -> Array:
    starts, sizes, inside = narrowed(tensor.shape, key, positions)
    if 0 in np.broadcast_to(np.int8(0), sizes)[inside].shape:
        return tensor
    if not positions:
        return tensor.at[inside].set(value)
    window = jax.lax.dynamic_slice(tensor, starts, sizes).at[inside].set(value)
    return jax.lax.dynamic_update_slice(tensor, window, starts)
