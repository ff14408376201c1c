"""Sparse tensors: reordering, reshaping, joining and splitting."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, integer, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.tracing.constancy import settled, size_value
from tfcompat._core.types.dtype import INDEX, MOVABLE, bool_, int64
from tfcompat._ops.array import joining
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.array.known import known
from tfcompat._ops.debugging.value_assertion import assert_less_equal
from tfcompat._ops.identity import stop_gradient
from tfcompat._ops.sparse.coordinate import (
    at_numbers,
    columns,
    dims_of,
    moved,
    numbers,
    require_sparse,
    shaped,
    sorted_by,
    structural,
)
from tfcompat._ops.sparse.tensor import SparseTensor


def _is_settled(sizes: Tensor) -> bool:
    return not sizes._is_symbolic() or size_value(sizes) is not None


def _integers(value: Any, subject: str) -> list[int]:
    """The numbers of a vector as integers. Raises InvalidArgumentError for another rank."""
    tensor = convert_to_tensor(value, dtype_hint=int64)
    if tensor.ndim != 1:
        raise InvalidArgumentError.of(f"{subject}: a vector is expected, got shape {tensor.shape}.")
    return known(tensor, subject).astype(np.int64).tolist()


def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The sparse tensor `sp_input` with its coordinates in row-major order.

    Shapes: [*dims] -> same.
    Dtypes: any -> same.
    Raises: TypeError if sp_input is not a sparse tensor.
    Source: TF 2.21 `tf.sparse.reorder`.
    """
    del name
    sparse = require_sparse("sparse.reorder", sp_input)
    dims = dims_of(sparse, "tf.sparse.reorder")
    return shaped(*sorted_by(sparse.indices, sparse.values, dims), dims)


def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """The sparse tensor `sp_input` with its axes in the order `perm`, reversed if that is None.

    Shapes: [*dims] -> dims in the order perm.
    Dtypes: any -> same.
    Raises: ValueError if perm has another length; InvalidArgumentError if it contains an axis out of range.
    Source: TF 2.21 `tf.sparse.transpose`.
    """
    del name
    sparse = require_sparse("sparse.transpose", sp_input)
    dims = dims_of(sparse, "tf.sparse.transpose")
    order = list(reversed(range(len(dims)))) if perm is None else _integers(perm, "tf.sparse.transpose")
    if any(not 0 <= axis < len(dims) for axis in order):
        raise InvalidArgumentError.of(f"tf.sparse.transpose: perm must hold axes in [0, {len(dims)}), got {order}.")
    if len(order) != len(dims):
        raise ValueError(f"tf.sparse.transpose: perm must hold {len(dims)} axes, got {order}.")
    turned = tuple(dims[axis] for axis in order)
    return shaped(*sorted_by(columns(sparse.indices, tuple(order)), sparse.values, turned), turned)


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The sparse tensor `sp_input` in `shape`, where one size may be -1.

    Shapes: [*dims] -> shape.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if shape has another number of elements.
    Source: TF 2.21 `tf.sparse.reshape`.
    """
    del name
    sparse = require_sparse("sparse.reshape", sp_input)
    dims = dims_of(sparse, "tf.sparse.reshape")
    wanted = _integers(shape, "tf.sparse.reshape")
    if wanted.count(-1) > 1:
        raise InvalidArgumentError.of(f"tf.sparse.reshape: only one output dimension may be -1, got {wanted}.")
    if -1 in wanted:
        rest = math.prod(size for size in wanted if size != -1)
        if not rest:
            raise InvalidArgumentError.of(f"tf.sparse.reshape: a size beside 0 cannot be inferred, got {wanted}.")
        wanted[wanted.index(-1)] = math.prod(dims) // rest
    if math.prod(wanted) != math.prod(dims):
        raise InvalidArgumentError.of(
            f"tf.sparse.reshape: shape must have {math.prod(dims)} elements, as {dims} does, got {wanted}."
        )
    return shaped(at_numbers(numbers(sparse.indices, dims), tuple(wanted)), sparse.values, tuple(wanted))


def _widened(xp: Any, indices: Any, axis: int) -> Any:
    return xp.concatenate([indices[:, :axis], xp.zeros_like(indices[:, :1]), indices[:, axis:]], 1)


def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """The sparse tensor `sp_input` with a new axis of size 1 at `axis`, at the end if None.

    Shapes: [*dims] -> dims with 1 at axis.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if axis is out of range; TypeError if it is not an integer.
    Source: TF 2.21 `tf.sparse.expand_dims`.
    """
    del name
    sparse = require_sparse("sparse.expand_dims", sp_input)
    dims = dims_of(sparse, "tf.sparse.expand_dims")
    along = -1 if axis is None else integer(axis)
    if not -len(dims) - 1 <= along <= len(dims):
        raise InvalidArgumentError.of(
            f"tf.sparse.expand_dims: axis must be in [{-len(dims) - 1}, {len(dims)}], got {along}."
        )
    along %= len(dims) + 1
    indices = structural(_widened, sparse.indices, attributes=(along,))
    return shaped(indices, sparse.values, (*dims[:along], 1, *dims[along:]))


def _shifted(xp: Any, *parts: Any) -> Any:
    """Concatenated coordinates, each part offset by the sum of the sizes before; these offsets are the last inputs."""
    axis, sizes = parts[-2:]
    moved: list[Any] = []
    start = 0
    for indices, size in zip(parts[:-2], sizes, strict=True):
        unit = xp.asarray([start if k == axis else 0 for k in range(indices.shape[1])], dtype=indices.dtype)
        moved.append(indices + unit)
        start += size
    return xp.concatenate(moved)


def concat(axis: Any, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None) -> SparseTensor:
    """Concatenates the sparse tensors of the list `sp_inputs` along `axis`.

    With `expand_nonconcat_dims` their other sizes may differ: the result has the largest.

    Shapes: [*before, n1, *after], ... -> [*before, n1 + n2 + ..., *after].
    Dtypes: any, all the same -> same.
    Gradient: None.
    Raises: InvalidArgumentError if shapes or dtypes differ, or axis is out of range.
    Source: TF 2.21 `tf.sparse.concat`.
    """
    del name
    listed = sp_inputs if isinstance(sp_inputs, (list, tuple)) else [sp_inputs]
    if not listed:
        raise InvalidArgumentError.of("tf.sparse.concat: sp_inputs must not be empty.")
    parts = [require_sparse("sparse.concat", part, "sp_inputs") for part in listed]
    if len(parts) == 1:
        return parts[0]
    shapes = [dims_of(part, "tf.sparse.concat") for part in parts]
    rank = len(shapes[0])
    along = int(convert_to_tensor(axis))
    if not -rank <= along < rank or any(len(shape) != rank for shape in shapes):
        raise InvalidArgumentError.of(f"tf.sparse.concat: axis must be in [{-rank}, {rank}), got {axis}.")
    along %= rank
    largest = [max(sizes) for sizes in zip(*shapes, strict=True)]
    if not expand_nonconcat_dims and any(
        size != largest[k] for shape in shapes for k, size in enumerate(shape) if k != along
    ):
        raise found_early(f"tf.sparse.concat: shapes must agree except along axis {axis}, got {shapes}.")
    sizes = tuple(shape[along] for shape in shapes)
    dims = tuple(sum(sizes) if k == along else size for k, size in enumerate(largest))
    indices = structural(_shifted, *(part.indices for part in parts), attributes=(along, sizes))
    values = stop_gradient(joining.concat([part.values for part in parts], 0))
    return shaped(*sorted_by(indices, values, dims), dims)


def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """The part of `sp_input` of `size` that begins at `start`, clipped to the tensor.

    Shapes: [*dims] -> size, cut off at dims.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if start or size are not one number for each axis, or a size is negative.
    Source: TF 2.21 `tf.sparse.slice`.
    """
    del name
    sparse = require_sparse("sparse.slice", sp_input)
    dims = dims_of(sparse, "tf.sparse.slice")
    first, sizes = _integers(start, "tf.sparse.slice"), _integers(size, "tf.sparse.slice")
    if len(first) != len(dims) or len(sizes) != len(dims):
        raise InvalidArgumentError.of(
            f"tf.sparse.slice: start and size must be {len(dims)} numbers each, got {first} and {sizes}."
        )
    if min(sizes, default=0) < 0:
        raise InvalidArgumentError.of(f"tf.sparse.slice: size must not be negative, got {sizes}.")
    return _part(sparse, dims, first, sizes, moved)


def _part(
    sparse: SparseTensor, dims: Sequence[int], first: list[int], sizes: list[int], pick: Callable[..., Tensor]
) -> SparseTensor:
    """The part of `sizes` that begins at `first`; `pick` selects the values in it."""
    found = [max(0, min(size, dim - begin)) for size, dim, begin in zip(sizes, dims, first, strict=True)]
    indices = known(sparse.indices, "tf.sparse.slice") - np.array(first, np.int64)
    inside = ((indices >= 0) & (indices < np.array(found, np.int64))).all(1)
    places = np.flatnonzero(inside)
    return shaped(Tensor(indices[places]), pick(sparse.values, Tensor(places)), tuple(found))


@op(
    "sparse.split",
    dtypes={"values": MOVABLE, "places": INDEX},
    same=("values",),
    no_gradient="SparseSplit",
)
def _cut(values: Array, places: Array) -> Array:
    return values[places]


def split(sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None) -> list[SparseTensor]:
    """The sparse tensor `sp_input` split along `axis` into `num_split` parts, the first of which may be larger by one.

    Shapes: [*before, n, *after] -> num_split times [*before, n_k, *after].
    Dtypes: any -> same.
    Gradient: LookupError.
    Raises: ValueError if an argument is missing; InvalidArgumentError if there are more parts than n.
    Source: TF 2.21 `tf.sparse.split`.
    """
    del name
    for parameter, value in (("num_split", num_split), ("axis", axis), ("sp_input", sp_input)):
        if value is None:
            raise ValueError(f"tf.sparse.split: {parameter} is required")
    sparse = require_sparse("sparse.split", sp_input)
    dims = dims_of(sparse, "tf.sparse.split")
    along, parts = int(convert_to_tensor(axis)), int(convert_to_tensor(num_split))
    if not -len(dims) <= along < len(dims) or not 1 <= parts <= dims[along]:
        raise (found_early if parts > 0 else InvalidArgumentError.of)(
            f"tf.sparse.split: num_split must be in [1, {dims[along % len(dims)]}] for shape {dims}, got {parts} "
            f"along {along}."
        )
    along %= len(dims)
    small, rest = divmod(dims[along], parts)
    answers: list[SparseTensor] = []
    begin = 0
    for k in range(parts):
        length = small + (k < rest)
        first = [begin if j == along else 0 for j in range(len(dims))]
        sizes = [length if j == along else size for j, size in enumerate(dims)]
        answers.append(_part(sparse, dims, first, sizes, _cut))
        begin += length
    return answers


def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The elements of `sp_input` for which `to_retain` is true; it is read on the host.

    Shapes: [*dims], [n] -> dims.
    Dtypes: any -> same; to_retain bool.
    Raises: ValueError if to_retain is not one boolean for each value.
    Source: TF 2.21 `tf.sparse.retain`.
    """
    sparse = require_sparse("sparse.retain", sp_input)
    kept = convert_to_tensor(to_retain, dtype_hint=bool_)
    count = sparse.values._aval.size
    if kept.shape.with_rank(1) != [count]:
        raise ValueError(f"tf.sparse.retain: Dimensions {count} and {kept._aval.size} are not compatible.")
    dims = dims_of(sparse, "tf.sparse.retain")
    places = np.flatnonzero(known(kept, "tf.sparse.retain")) if count else np.zeros(0, np.int64)
    indices = known(sparse.indices, "tf.sparse.retain")[places]
    return shaped(Tensor(indices), gather(sparse.values, Tensor(places)), dims)


def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The sparse tensor `sp_input` in `new_shape`, at least as large, or in the smallest shape that holds its values.

    Shapes: [*dims] -> new_shape.
    Dtypes: any -> same.
    Raises: ValueError if new_shape has another rank or is too small; InvalidArgumentError for sizes that are only known
      when a function runs.
    Source: TF 2.21 `tf.sparse.reset_shape`.
    """
    sparse = require_sparse("sparse.reset_shape", sp_input)
    if new_shape is not None:
        before, after = settled(sparse.dense_shape), settled(convert_to_tensor(new_shape, int64))
        if before.shape == after.shape and not (_is_settled(before) and _is_settled(after)):
            assert_less_equal(before, after, "tf.sparse.reset_shape: new_shape must be at least as large in each axis")
            return SparseTensor._of(sparse.indices, sparse.values, after)
    dims = dims_of(sparse, "tf.sparse.reset_shape")
    if new_shape is None:
        indices = known(sparse.indices, "tf.sparse.reset_shape")
        return shaped(sparse.indices, sparse.values, tuple((indices.max(0, initial=-1) + 1).tolist()))
    wanted = _integers(new_shape, "tf.sparse.reset_shape")
    if len(wanted) != len(dims):
        raise ValueError(f"tf.sparse.reset_shape: Dimensions {len(wanted)} and {len(dims)} are not compatible.")
    if any(new < old for new, old in zip(wanted, dims, strict=True)):
        raise ValueError(f"tf.sparse.reset_shape: new_shape must be at least {dims} in each axis, got {wanted}.")
    return shaped(sparse.indices, sparse.values, tuple(wanted))


def fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> tuple[SparseTensor, Tensor]:
    """The sparse tensor `sp_input` with `default_value` at the start of each empty row; and whether each row is empty.

    Shapes: [rows, *dims], [] -> [rows, *dims] and [rows].
    Dtypes: any -> same, and bool.
    Raises: InvalidArgumentError if default_value is not a scalar, or the index of a row is out of range.
    Source: TF 2.21 `tf.sparse.fill_empty_rows`.
    """
    del name
    sparse = require_sparse("sparse.fill_empty_rows", sp_input)
    default = convert_to_tensor(default_value, sparse.dtype)
    if default.ndim:
        raise InvalidArgumentError.of(
            f"tf.sparse.fill_empty_rows: default_value must be a scalar, got shape {default.shape}."
        )
    dims = dims_of(sparse, "tf.sparse.fill_empty_rows")
    indices = known(sparse.indices, "tf.sparse.fill_empty_rows")
    bad = np.flatnonzero((indices[:, 0] < 0) | (indices[:, 0] >= dims[0]))
    if bad.size:
        raise InvalidArgumentError.of(
            f"tf.sparse.fill_empty_rows: indices({bad[0]}, 0) is invalid: it must be in [0, {dims[0]}), got "
            f"{indices[bad[0], 0]}."
        )
    is_empty = np.ones(dims[0], bool)
    is_empty[indices[:, 0]] = False
    added = np.zeros((int(is_empty.sum()), len(dims)), np.int64)
    added[:, 0] = np.flatnonzero(is_empty)
    together = np.concatenate([indices, added])
    order = np.argsort(together[:, 0], kind="stable")
    places = np.where(order < len(indices), order, len(indices))
    values = joining.concat([sparse.values, joining.stack([default])], 0)
    filled = shaped(Tensor(together[order]), gather(values, Tensor(places)), dims)
    return filled, Tensor(is_empty)
