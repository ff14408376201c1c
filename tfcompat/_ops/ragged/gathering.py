"""Rows and elements of ragged tensors, selected by index or by mask."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import integer
from tfcompat._core.calls.dispatch import dispatched, register
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import bool_, int64
from tfcompat._ops.array import gathering
from tfcompat._ops.array.known import known
from tfcompat._ops.array.layout import reshape
from tfcompat._ops.ragged.broadcasting import aligned
from tfcompat._ops.ragged.construction import count
from tfcompat._ops.ragged.coordinate import coordinates
from tfcompat._ops.ragged.joining import held, stack
from tfcompat._ops.ragged.partition import Partition, of_lengths, of_uniform
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.ragged.subscript import ragged_getitem, taken
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.sparse.coordinate import moved


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """The slices of `params` along `axis` at `indices`, one of them ragged; the first `batch_dims` are batch axes."""
    del name, validate_indices
    params, indices = held(params), held(indices)
    batch = int(batch_dims)
    if batch < 0:
        batch += len(indices.shape)
    if not 0 <= batch <= len(indices.shape):
        raise ValueError(f"tf.gather: batch_dims must be in [0, {len(indices.shape)}], got {batch_dims}.")
    along = batch if axis is None else integer(axis)
    assert along is not None
    along = along + len(params.shape) if along < 0 else along
    if along < batch:
        raise ValueError(f"tf.gather: axis must not be below batch_dims={batch}, got {axis}.")
    if batch:
        return _by_batch(params, indices, along, batch)
    if along:
        return _along(params, indices, along)
    if isinstance(indices, RaggedTensor):
        return indices.with_values(gather(params, indices.values))
    return _rows(params, indices)


def _rows(params: Any, indices: Tensor) -> Any:
    """The rows of `params` at `indices`, a tensor."""
    return _ragged_rows(params, indices) if isinstance(params, RaggedTensor) else gathering.gather(params, indices)


def _spec_of_rows(params: RaggedTensor, indices: Tensor) -> Any:
    """The spec of the rows of `params` at `indices`."""
    dims = [*[None] * indices.ndim, *params.shape[1:]]
    rank = params.ragged_rank + indices.ndim - 1
    if rank == 0:
        return TensorSpec(dims, params.dtype)
    return RaggedTensorSpec(dims, params.dtype, rank, params.row_splits.dtype)


@by_row("params", "indices", specs=_spec_of_rows)
def _ragged_rows(params: RaggedTensor, indices: Tensor) -> Any:
    places = known(indices, "tf.gather")
    nrows = params._row_partition.nrows
    if ((places < 0) | (places >= nrows)).any():
        raise InvalidArgumentError.of(f"tf.gather: indices must be in [0, {nrows}), got {places.tolist()}.")
    if places.ndim == 0:
        return params[int(places)]  # pyright: ignore[reportIndexIssue]
    return _shaped(taken(params, places.reshape(-1)), places.shape)


def _along(params: Any, indices: Any, axis: int) -> Any:
    """The slices of `params` at `indices` along an axis that is not the outermost."""
    if isinstance(indices, RaggedTensor) and not isinstance(params, RaggedTensor):
        return _ragged_places(params, indices, axis)
    if isinstance(params, RaggedTensor) and axis > 1:
        return params.with_values(gather(params.values, indices, axis=axis - 1))
    if isinstance(indices, RaggedTensor):
        starts = params._row_partition.host("tf.gather")
        lengths, rows = np.diff(starts), params._row_partition.nrows
        places = known(indices.flat_values, "tf.gather")
        spread = (slice(None), *[None] * places.ndim)
        _require_inside(places, lengths[spread])
        places = (starts[:-1][spread] + places).reshape(-1, *places.shape[1:])
        return RaggedTensor._of(_shaped(taken(params.values, places.ravel()), places.shape), _tiled(indices, rows))
    if not isinstance(params, RaggedTensor):
        return gathering.gather(params, indices, axis=axis)
    nrows = params._row_partition.nrows
    tiled = np.broadcast_to(np.asarray(indices), (nrows, *indices._aval.shape))
    return _by_batch(params, Tensor(np.ascontiguousarray(tiled)), 1, 1)


def _ragged_places(params: Tensor, indices: RaggedTensor, axis: int) -> Any:
    """The slices of the tensor `params` along `axis` at the ragged `indices`; the axes before it get uniform rows."""
    found = gathering.gather(params, indices.flat_values, axis=axis)
    outer = params._aval.shape[:axis]
    flat = reshape(found, (-1, *found._aval.shape[axis + 1 :]))
    integers = indices.row_splits.dtype
    uniform = [of_uniform(size, prod(outer[:k]), integers) for k, size in enumerate(outer) if k]
    return RaggedTensor._of(flat, [*uniform, *_tiled(indices, prod(outer))])


def _tiled(indices: RaggedTensor, rows: int) -> list[Partition]:
    """The partitions of `rows` copies of `indices`, stacked."""
    inner = [partition.host("tf.gather") for partition in indices._partitions()]
    outermost = of_uniform(inner[0].size - 1, rows, indices.row_splits.dtype)
    return [outermost, *[of_lengths(np.tile(np.diff(splits), rows)) for splits in inner]]


def _by_batch(params: Any, indices: Any, axis: int, batch: int) -> Any:
    """For each row of `params`, the elements at the same row of `indices`."""
    if not isinstance(params, RaggedTensor):
        params = RaggedTensor.from_tensor(params)
    if count(indices) != params._row_partition.nrows:
        raise ValueError(
            f"tf.gather: the batch shape of indices {indices.shape} does not match that of params {params.shape}."
        )
    if batch > 1 or axis > batch:
        return _rebuilt(params, indices, axis, batch)
    lengths = np.diff(params._row_partition.host("tf.gather"))
    starts = params._row_partition.host("tf.gather")[:-1]
    if isinstance(indices, RaggedTensor) and indices.ragged_rank == 1 and indices.flat_values.ndim == 1:
        owners = np.asarray(indices.value_rowids())
        places = known(indices.flat_values, "tf.gather")
        _require_inside(places, lengths[owners])
        return indices.with_values(taken(params.values, starts[owners] + places))
    if isinstance(indices, RaggedTensor):
        return _rebuilt(params, indices, axis, batch)
    places = known(indices, "tf.gather")
    spread = (slice(None), *[None] * (places.ndim - 1))
    _require_inside(places, np.broadcast_to(lengths[spread], places.shape))
    return _shaped(taken(params.values, (starts[spread] + places).reshape(-1)), places.shape)


def _shaped(found: Any, shape: tuple[int, ...]) -> Any:
    """`found` with its outermost axis reshaped to `shape`."""
    if isinstance(found, Tensor):
        return reshape(found, (*shape, *found._aval.shape[1:]))
    integers: Any = found.row_splits.dtype.as_numpy_dtype
    for k in reversed(range(1, len(shape))):
        lengths = np.full(int(np.prod(shape[:k])), shape[k], integers)
        found = RaggedTensor(found, of_lengths(lengths), internal=True)
    return found


def _require_inside(places: np.ndarray, sizes: np.ndarray) -> None:
    if ((places < 0) | (places >= sizes)).any():
        raise InvalidArgumentError.of(f"tf.gather: indices must lie within their rows, got {places.tolist()}.")


def _rebuilt(params: RaggedTensor, indices: Any, axis: int, batch: int) -> Any:
    """The gather row by row, where a row of indices is not a vector."""
    rows = range(params._row_partition.nrows)
    pairs = [(ragged_getitem(params, k), indices[k]) for k in rows]
    return stack([gather(one, places, axis=axis - 1, batch_dims=batch - 1) for one, places in pairs])


def gather_nd(
    params: Any, indices: Any, batch_dims: int = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Any:
    """The elements or rows of `params` at the coordinates in the last axis of `indices`, one of them ragged."""
    del name
    if batch_dims != 0 or bad_indices_policy not in ("", "DEFAULT", "ERROR"):
        raise ValueError("tf.gather_nd: batch_dims and bad_indices_policy are not supported for ragged tensors.")
    params, indices = held(params), held(indices)
    if isinstance(indices, RaggedTensor):
        if indices.shape[-1] is None:
            raise ValueError("tf.gather_nd: the last axis of indices must have one size for all rows.")
        return indices.with_values(gather_nd(params, indices.values))
    if not isinstance(params, RaggedTensor):
        return gathering.gather_nd(params, indices)
    places = known(indices, "tf.gather_nd")
    outer, depth = places.shape[:-1], places.shape[-1]
    found = _at_coordinates(params, places.reshape(-1, depth))
    if len(outer) == 1:
        return found
    return _shaped(found, outer) if outer else found[0]


def _at_coordinates(params: RaggedTensor, places: np.ndarray) -> Any:
    """The rows or elements of `params` at the rows of `places`."""
    value: Any = params
    index = places[:, 0]
    _require_inside(index, np.full(index.shape, params._row_partition.nrows))
    for column in places[:, 1:].T:
        if not isinstance(value, RaggedTensor):
            break
        splits = value._row_partition.host("tf.gather_nd")
        _require_inside(column, np.diff(splits)[index])
        index = splits[:-1][index] + column
        value = value.values
    if isinstance(value, RaggedTensor):
        return taken(value, index)
    rest = places[:, params.ragged_rank + 1 :]
    return gathering.gather_nd(value, Tensor(np.concatenate([index[:, None], rest], 1)))


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Elements of `x` where `condition` is true and of `y` elsewhere, at least one ragged; or only the coordinates."""
    del name
    if (x is None) != (y is None):
        raise ValueError("tf.where: x and y must both be given, or neither.")
    chosen = condition if isinstance(condition, RaggedTensor) else convert_to_tensor(condition, dtype_hint=bool_)
    if x is None:
        places = coordinates(chosen._partitions(), chosen.flat_values._aval.shape)
        return Tensor(places[known(chosen.flat_values, "tf.where").reshape(-1) != 0])
    first, second = _branches(x, y)
    flats, partitions = aligned([chosen, first, second])
    return RaggedTensor._of(gathering.where(*flats), partitions)


def _branches(x: Any, y: Any) -> tuple[Any, Any]:
    """Two branches as tensors; one that is not a tensor takes the dtype of the other."""
    hint = next((getattr(one, "dtype", None) for one in (x, y) if getattr(one, "dtype", None) is not None), None)
    first, second = (
        one if isinstance(one, RaggedTensor) else convert_to_tensor(one, dtype_hint=hint) for one in (x, y)
    )
    return first, second


def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    """The rows of the matrix `params` at the ragged tensor `ids`, as `tf.nn.embedding_lookup` finds them."""
    del name
    if params is None:
        raise ValueError("tf.nn.embedding_lookup: params must be specified.")
    return ids.with_flat_values(gathering.embedding_lookup(params, ids.flat_values, max_norm))


@dispatched
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """The elements of `data` where `mask` is true; rows are kept, so the result may be ragged.

    Shapes: [*masked, *dims], [*masked] -> as `data`, without the elements that are masked out.
    Dtypes: data any -> same; mask bool.
    Raises: ValueError if mask is a scalar, or of another shape; InvalidArgumentError if its rows have other lengths.
    Source: TF 2.21 `tf.ragged.boolean_mask`.
    """
    del name
    data = held(data)
    chosen = mask if isinstance(mask, RaggedTensor) else convert_to_tensor(mask, bool_)
    if len(chosen.shape) == 0:
        raise ValueError("tf.ragged.boolean_mask: mask cannot be scalar.")
    chosen.shape.assert_is_compatible_with(data.shape[: len(chosen.shape)])
    return _masked(data, chosen)


def _masked(data: Any, mask: Any) -> Any:
    if len(mask.shape) == 1:
        places = np.flatnonzero(known(mask, "tf.ragged.boolean_mask"))
        return taken(data, places, moved)
    like = mask if isinstance(mask, RaggedTensor) else data if isinstance(data, RaggedTensor) else None
    dtype = int64 if like is None else like.row_splits.dtype
    data, mask = _as_rows(data, dtype), _as_rows(mask, dtype)
    splits = mask._row_partition.host("tf.ragged.boolean_mask")
    if not np.array_equal(splits, data._row_partition.host("tf.ragged.boolean_mask")):
        raise InvalidArgumentError.of("tf.ragged.boolean_mask: Inputs must have identical ragged splits.")
    values = _masked(data.values, mask.values)
    if len(mask.shape) > 2:
        return RaggedTensor(values, data._row_partition, internal=True)
    kept = known(mask.values, "tf.ragged.boolean_mask")
    before = np.concatenate([np.zeros(1, splits.dtype), np.cumsum(kept, dtype=splits.dtype)])
    return RaggedTensor(values, of_lengths(np.diff(before[splits])), internal=True)


def _as_rows(value: Any, dtype: Any) -> RaggedTensor:
    return value if isinstance(value, RaggedTensor) else RaggedTensor.from_tensor(value, row_splits_dtype=dtype)


register(gathering.gather, RaggedTensor, gather)
register(gathering.gather_nd, RaggedTensor, gather_nd)
register(gathering.where, RaggedTensor, where)
register(gathering.embedding_lookup, RaggedTensor, embedding_lookup)
