"""Axes of ragged tensors: adding, removing, reversing and repeating."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.dispatch import register
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import as_dtype, int32
from tfcompat._ops.array import creation, extent, joining, layout
from tfcompat._ops.ragged.partition import of_lengths, of_uniform, spans
from tfcompat._ops.ragged.subscript import taken
from tfcompat._ops.ragged.tensor import RaggedTensor


def axis_of(name: str, axis: Any, rank: int) -> int:
    """`axis` counted from the front. Raises ValueError if it is out of range."""
    if isinstance(axis, bool) or not isinstance(axis, (int, np.integer, Tensor)):
        raise TypeError(f"{name}: axis must be an int; got {type(axis).__name__}.")
    if not -rank <= int(axis) < rank:
        raise ValueError(f"{name}: axis={int(axis)} out of bounds: expected {-rank}<=axis<{rank}.")
    return int(axis) % rank


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    """The ragged tensor `input` with a new axis of size 1 at `axis`."""
    del name
    if not isinstance(input, RaggedTensor):
        return layout.expand_dims(input, axis)
    along = axis_of("tf.expand_dims", axis, len(input.shape) + 1)
    rows = input._row_partition
    if along == 0:
        return RaggedTensor(input, of_uniform(rows.nrows, 1, rows.dtype), internal=True)
    if along == 1:
        return RaggedTensor(input, of_uniform(1, rows.nrows, rows.dtype), internal=True)
    return input.with_values(expand_dims(input.values, along - 1))


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """The ragged tensor `input` without the axes of the list `axis`, which all have size 1."""
    del name
    if axis is None:
        raise ValueError("tf.squeeze: axis must be given for a ragged tensor.")
    rank = len(input.shape)
    axes = sorted({axis_of("tf.squeeze", one, rank) for one in (axis if isinstance(axis, (list, tuple)) else [axis])})
    for one in reversed(axes):
        input = _squeezed(input, one)
    return input


def _squeezed(value: Any, axis: int) -> Any:
    if not isinstance(value, RaggedTensor):
        return layout.squeeze(value, [axis])
    rows = value._row_partition
    if axis > 1:
        return value.with_values(_squeezed(value.values, axis - 1))
    is_single = rows.nrows == 1 if axis == 0 else bool((np.diff(rows.host("tf.squeeze")) == 1).all())
    if not is_single:
        raise InvalidArgumentError.of(f"tf.squeeze: axis {axis} must have size 1, got shape {value.shape}.")
    return value.values


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """The ragged tensor `tensor` with the order of elements reversed along each axis of the list `axis`."""
    del name
    listed = axis if isinstance(axis, (list, tuple)) else np.asarray(axis).reshape(-1).tolist()
    for one in listed:
        tensor = _reversed(tensor, axis_of("tf.reverse", one, len(tensor.shape)))
    return tensor


def _reversed(value: Any, axis: int) -> Any:
    if not isinstance(value, RaggedTensor):
        return layout.reverse(value, [axis])
    whole = slice(None)
    return value[(*[whole] * axis, slice(None, None, -1))]  # pyright: ignore[reportIndexIssue]


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """The ragged tensor `input` repeated `multiples[k]` times along each axis k."""
    del name
    counts = np.asarray(convert_to_tensor(multiples)).tolist()
    if len(counts) != len(input.shape):
        raise IndexError(f"tf.tile: multiples must be {len(input.shape)} numbers, got {counts}.")
    return _tiled(input, counts)


def _tiled(value: Any, counts: list[int]) -> Any:
    """`value` repeated along each axis, from the innermost axis on."""
    if not isinstance(value, RaggedTensor):
        return layout.tile(value, counts)
    inner = counts[2:]
    values = value.values
    if any(count != 1 for count in inner):
        value = value.with_values(_tiled(values, [1, *inner]))
    outer, across = counts[:2]
    rows = np.tile(np.arange(value._row_partition.nrows), outer)
    return repeated_rows(value, rows, across)


def repeated_rows(value: RaggedTensor, rows: np.ndarray, count: int) -> RaggedTensor:
    """The rows at `rows`, each with its elements repeated `count` times."""
    own = value._row_partition
    if count == 1:
        return taken(value, rows)
    splits = own.host("tf.tile")
    lengths = np.diff(splits)[rows]
    places = spans(np.repeat(splits[:-1][rows], count), np.repeat(lengths, count))
    values = taken(value.values, places)
    if own.uniform is not None:
        return RaggedTensor(values, of_uniform(own.uniform * count, rows.size, own.dtype), internal=True)
    return RaggedTensor(values, of_lengths(lengths * count), internal=True)


def size(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The number of elements of the ragged tensor `input`."""
    del name
    dtype = int32 if out_type is None else as_dtype(out_type)
    return extent.size(input.flat_values, dtype)


def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of axes of the ragged tensor `input`."""
    del name
    return Tensor(np.array(len(input.shape), np.int32))


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """The ragged tensor `indices` with each number as a row of `depth`, as `tf.one_hot` makes it."""
    del name
    if isinstance(axis, int) and axis >= 0:
        if axis <= indices.ragged_rank:
            raise ValueError(f"tf.one_hot: axis ({axis}) must be greater than ragged_rank ({indices.ragged_rank}).")
        axis -= indices.ragged_rank
    return indices.with_flat_values(creation.one_hot(indices.flat_values, depth, on_value, off_value, axis, dtype))


def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split") -> list[Any]:
    """The ragged tensor `value` split along an `axis` that is the same for all rows, as by `tf.split`."""
    del name
    along = axis_of("tf.split", axis, len(value.shape))
    length = value.shape[along]
    if length is None:
        raise ValueError(f"tf.split: Cannot split a ragged dimension, got shape {value.shape} and axis {axis}.")
    sizes = _sizes(np.asarray(convert_to_tensor(num_or_size_splits)), length)
    if num is not None and num != len(sizes):
        raise ValueError(f"tf.split: num must be the number of sizes, {len(sizes)}, got {num}.")
    bounds = np.cumsum([0, *sizes]).tolist()
    before = [slice(None)] * along
    return [value[(*before, slice(start, stop))] for start, stop in itertools.pairwise(bounds)]


def _sizes(parts: np.ndarray, length: int) -> Sequence[int]:
    sizes = [length // max(int(parts), 1)] * int(parts) if parts.ndim == 0 else parts.tolist()
    if any(one < 0 for one in sizes) or sum(sizes) != length:
        raise InvalidArgumentError.of(
            f"tf.split: the sizes must be non-negative and add up to {length}, got {parts.tolist()}."
        )
    return sizes


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Any:
    """The elements of the ragged tensor `input`, flattened and each repeated; an `axis` is not supported."""
    del name
    if axis is not None:
        raise ValueError(f"tf.repeat: axis must be None for a RaggedTensor, got {axis}.")
    return layout.repeat(input.flat_values, repeats)


for _dense, _ragged in (
    *((layout.expand_dims, expand_dims), (layout.squeeze, squeeze), (layout.reverse, reverse), (layout.tile, tile)),
    *((extent.size, size), (extent.rank, rank), (creation.one_hot, one_hot), (joining.split, split)),
    (layout.repeat, repeat),
):  # fmt: skip
    register(_dense, RaggedTensor, _ragged)
