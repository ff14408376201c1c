"""The shape of a ragged tensor as a value: `tf.experimental.DynamicRaggedShape`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dispatch import register
from tfcompat._core.dtype import DType, as_dtype, float32, int32, int64
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.tensor import Tensor
from tfcompat._ops.array import creation, extent, layout
from tfcompat._ops.ragged.broadcasting import aligned
from tfcompat._ops.ragged.partition import RowPartition, of_lengths, of_uniform
from tfcompat._ops.ragged.tensor import RaggedTensor


class DynamicRaggedShape:
    """The lengths of the rows of a ragged tensor: its division into rows, and the shape of the flat values.

    Source: TF 2.21 `tf.experimental.DynamicRaggedShape`.
    """

    def __init__(self, row_partitions: Sequence[Any], inner_shape: Any, dtype: Any = None) -> None:
        """`row_partitions`, the outermost first, and the shape `inner_shape` of what they cut into rows."""
        self._dtype: DType = int64 if dtype is None else as_dtype(dtype)
        self._row_partitions: tuple[RowPartition, ...] = tuple(rows.cast(self._dtype) for rows in row_partitions)
        self._inner_shape: tuple[int, ...] = tuple(np.asarray(inner_shape).tolist())

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> DynamicRaggedShape:
        """The shape of the tensor or ragged tensor `t`."""
        if isinstance(t, RaggedTensor):
            own = t.row_splits.dtype if dtype is None else dtype
            return cls(t._partitions(), t.flat_values._aval.shape, own)
        return cls((), convert_to_tensor(t)._aval.shape, dtype)

    @classmethod
    def from_lengths(
        cls, lengths: Sequence[Any], num_row_partitions: int | None = None, dtype: Any = int64
    ) -> DynamicRaggedShape:
        """The shape with the given `lengths` of each axis: a number, or a list with one for each row.

        Raises: ValueError if `lengths` is no list, or `num_row_partitions` does not fit.
        """
        if not isinstance(lengths, (list, tuple)):
            raise ValueError("tf.experimental.DynamicRaggedShape: lengths should be a list.")
        last = max((k for k, length in enumerate(lengths) if not isinstance(length, int)), default=0)
        depth = last if num_row_partitions is None else num_row_partitions
        if not last <= depth < max(len(lengths), 1):
            raise ValueError(
                f"tf.experimental.DynamicRaggedShape: num_row_partitions must be from {last} to {len(lengths) - 1}, "
                f"got {depth}."
            )
        integers: Any = as_dtype(dtype).as_numpy_dtype
        partitions: list[RowPartition] = []
        size = lengths[0] if lengths else 1
        for length in lengths[1 : depth + 1]:
            rows = of_uniform(length, size, as_dtype(dtype)) if isinstance(length, int) else None
            rows = of_lengths(np.array(length, integers)) if rows is None else rows
            if rows.nrows != size:
                raise ValueError(f"tf.experimental.DynamicRaggedShape: {size} lengths are expected, got {length}.")
            partitions.append(rows)
            size = int(rows.host()[-1])
        return cls(partitions, (size, *lengths[depth + 1 :]) if lengths else (), dtype)

    @classmethod
    def from_row_partitions(cls, row_partitions: Sequence[Any], dtype: Any = None) -> DynamicRaggedShape:
        """The shape of values that `row_partitions` cut into rows. Raises ValueError if there are none."""
        if not row_partitions:
            raise ValueError("tf.experimental.DynamicRaggedShape: row_partitions cannot be empty.")
        own = row_partitions[0].dtype if dtype is None else dtype
        return cls(row_partitions, (int(row_partitions[-1].host()[-1]),), own)

    @property
    def dtype(self) -> DType:
        """The dtype of the lengths."""
        return self._dtype

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self._row_partitions) + len(self._inner_shape)

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The division into rows, the outermost first."""
        return self._row_partitions

    @property
    def num_row_partitions(self) -> int:
        """How many times the values are cut into rows."""
        return len(self._row_partitions)

    @property
    def inner_shape(self) -> Tensor:
        """The shape of the flat values."""
        return Tensor(np.array(self._inner_shape, self._dtype.as_numpy_dtype))

    @property
    def inner_rank(self) -> int:
        """The number of axes of the flat values."""
        return len(self._inner_shape)

    def is_uniform(self, axis: int) -> bool:
        """Whether all rows along `axis` were made of one length."""
        return not 0 < axis <= self.num_row_partitions or self._row_partitions[axis - 1].uniform is not None

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """The length of each axis: a number, or a list with one for each row (None if not `ragged_lengths`)."""
        if self.rank == 0:
            return []
        found: list[Any] = [self._row_partitions[0].nrows] if self._row_partitions else [self._inner_shape[0]]
        for rows in self._row_partitions:
            told = tuple(np.diff(rows.host()).tolist()) if ragged_lengths else None
            found.append(told if rows.uniform is None else rows.uniform)
        return [*found, *self._inner_shape[1:]]

    def with_dtype(self, dtype: Any) -> DynamicRaggedShape:
        """The same shape with lengths of `dtype`."""
        return DynamicRaggedShape(self._row_partitions, self._inner_shape, dtype)

    def __getitem__(self, index: Any) -> Any:
        """The length of an axis that is the same for all rows; or the shape of the first axes, for a slice.

        Raises: ValueError for a ragged axis; IndexError if there is no such axis; TypeError for what is no index.
        """
        if isinstance(index, slice):
            return self._first(*index.indices(self.rank))
        if not isinstance(index, int):
            raise TypeError(f"tf.experimental.DynamicRaggedShape: an index is an integer or a slice, got {index!r}.")
        if not -self.rank <= index < self.rank:
            raise IndexError(f"tf.experimental.DynamicRaggedShape: index {index} is out of range for rank {self.rank}.")
        length = self.static_lengths()[index]
        if isinstance(length, tuple):
            raise ValueError(f"tf.experimental.DynamicRaggedShape: Index {index} is not uniform.")
        return Tensor(np.array(length, self._dtype.as_numpy_dtype))

    def _first(self, start: int, stop: int, step: int) -> DynamicRaggedShape:
        lengths = self.static_lengths()[start:stop:step]
        if step != 1 or (start and any(isinstance(length, tuple) for length in lengths)):
            raise NotImplementedError(
                "tf.experimental.DynamicRaggedShape: only slices of the first axes are supported, without a step."
            )
        return DynamicRaggedShape.from_lengths(lengths, min(self.num_row_partitions, max(len(lengths) - 1, 0)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DynamicRaggedShape):
            return NotImplemented
        mine, theirs = ((shape._dtype, shape.num_row_partitions, shape.static_lengths()) for shape in (self, other))
        return mine == theirs

    def __hash__(self) -> int:
        return hash((self._dtype, self.num_row_partitions, self._inner_shape))

    def __repr__(self) -> str:
        lengths = ", ".join(map(_shown, self.static_lengths()))
        return f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={self.num_row_partitions}>"


def _shown(length: Any) -> str:
    if isinstance(length, tuple) and len(length) > 10:
        return f"({', '.join(map(str, length[:10]))}, ...)"
    return str(length)


def shape(input: Any, out_type: Any = None, name: str | None = None) -> DynamicRaggedShape:
    """The shape of the ragged tensor `input`, with lengths of `out_type`, int32 if None."""
    del name
    return DynamicRaggedShape.from_tensor(input, int32 if out_type is None else out_type)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """The values of `tensor` in the ragged or dense shape `shape`."""
    del name
    flat = tensor.flat_values if isinstance(tensor, RaggedTensor) else convert_to_tensor(tensor)
    if isinstance(shape, DynamicRaggedShape):
        return RaggedTensor._of(layout.reshape(flat, shape._inner_shape), shape.row_partitions)
    return layout.reshape(flat, shape)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    """The tensor or ragged tensor `input` repeated along axes of size 1, up to the ragged or dense shape `shape`.

    Raises: InvalidArgumentError if it does not broadcast.
    """
    del name
    if not isinstance(shape, DynamicRaggedShape):
        raise NotImplementedError("tf.broadcast_to: a ragged tensor needs a DynamicRaggedShape; see tf.shape.")
    value = input if isinstance(input, RaggedTensor) else convert_to_tensor(input)
    like = _uniform(shape, creation.zeros(shape._inner_shape, value.dtype))
    if not isinstance(like, RaggedTensor):
        return layout.broadcast_to(value, shape._inner_shape)
    flats, partitions = aligned([value, like])
    if len(value.shape) > shape.rank or math.prod(flats[1]._aval.shape) != math.prod(shape._inner_shape):
        raise InvalidArgumentError.of(f"tf.broadcast_to: shape {value.shape} does not broadcast to {shape}.")
    return RaggedTensor._of(layout.broadcast_to(flats[0], flats[1]._aval.shape), partitions)


def _uniform(shape: DynamicRaggedShape, flat: Tensor) -> Any:
    return RaggedTensor._of(flat, shape.row_partitions)


def zeros(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Any:
    """Zeros of the ragged shape `shape`."""
    del name
    return _uniform(shape, creation.zeros(shape._inner_shape, dtype, layout=layout))


def ones(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Any:
    """Ones of the ragged shape `shape`."""
    del name
    return _uniform(shape, creation.ones(shape._inner_shape, dtype, layout=layout))


def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Any:
    """A tensor of the ragged shape `dims` that holds `value` everywhere."""
    del name
    return _uniform(dims, creation.fill(dims._inner_shape, value, layout=layout))


register(extent.shape, RaggedTensor, shape)
register(layout.reshape, RaggedTensor, reshape)
register(layout.reshape, DynamicRaggedShape, reshape)
register(layout.broadcast_to, RaggedTensor, broadcast_to)
register(layout.broadcast_to, DynamicRaggedShape, broadcast_to)
register(creation.zeros, DynamicRaggedShape, zeros)
register(creation.ones, DynamicRaggedShape, ones)
register(creation.fill, DynamicRaggedShape, fill)
