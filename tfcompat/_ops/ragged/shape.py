"""Shapes of ragged tensors as objects: `tf.experimental.DynamicRaggedShape`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.dispatch import register
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.sizes import sizes_tensor
from tfcompat._core.types.dtype import DType, as_dtype, float32, int32, int64
from tfcompat._core.types.shape import TensorShape
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.array import creation, extent, layout
from tfcompat._ops.array.known import known
from tfcompat._ops.ragged.broadcasting import aligned
from tfcompat._ops.ragged.partition import Partition, of_lengths, of_uniform
from tfcompat._ops.ragged.row_partition import RowPartition
from tfcompat._ops.ragged.shape_spec import DynamicRaggedShapeSpec, RowPartitionSpec
from tfcompat._ops.ragged.tensor import RaggedTensor

_NAME = "tf.experimental.DynamicRaggedShape"


class DynamicRaggedShape:
    """The lengths of the rows of a ragged tensor: its row partitions, and the shape of the flat values.

    Source: TF 2.21 `tf.experimental.DynamicRaggedShape`.
    """

    Spec = DynamicRaggedShapeSpec

    def __init__(
        self,
        row_partitions: Sequence[RowPartition],
        inner_shape: Any,
        dtype: Any = None,
        validate: bool = False,
        static_inner_shape: Any = None,
    ) -> None:
        """The shape of values of `inner_shape` that `row_partitions`, the outermost first, divide into rows.

        Lengths are of `dtype`, by default that of the partitions, or of the inner shape.

        Raises: ValueError if inner_shape is not a vector, or does not fit `static_inner_shape`; with `validate`,
          InvalidArgumentError if the last partition has another number of values.
        """
        given = convert_to_tensor(inner_shape, dtype_hint=int64)
        given.shape.with_rank(1)
        dims = tuple(known(given, _NAME).tolist())
        if not TensorShape(static_inner_shape).is_compatible_with(dims):
            raise ValueError(f"{_NAME}: inner_shape {dims} does not fit static_inner_shape {static_inner_shape}.")
        partitions = [each._rows for each in row_partitions]
        if partitions and not dims:
            raise ValueError(f"{_NAME}: inner_shape must not be empty if row_partitions are given.")
        if validate and partitions and int(partitions[-1].host()[-1]) != dims[0]:
            raise InvalidArgumentError.of(f"{_NAME}: Last row partition does not match inner_shape {dims}.")
        own = partitions[0].dtype if partitions else given.dtype
        self._hold(partitions, dims, own if dtype is None else dtype)

    def _hold(self, partitions: Sequence[Partition], inner_shape: Any, dtype: Any) -> None:
        self._dtype: DType = as_dtype(dtype)
        self._partitions: tuple[Partition, ...] = tuple(rows.cast(self._dtype) for rows in partitions)
        # A tensor where a function takes or returns the shape: its value is read when it is needed.
        self._inner: Any = inner_shape

    @property
    def _inner_shape(self) -> tuple[int, ...]:
        """The shape of the flat values."""
        if isinstance(self._inner, Tensor):
            self._inner = known(self._inner, _NAME).tolist()
        return tuple(self._inner)

    @classmethod
    def _of(cls, partitions: Sequence[Partition], inner_shape: Any, dtype: Any) -> DynamicRaggedShape:
        made = object.__new__(cls)
        made._hold(partitions, inner_shape, dtype)
        return made

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> DynamicRaggedShape:
        """The shape of the tensor or ragged tensor `t`; lengths of `dtype`, by default as its row splits, or int32."""
        if isinstance(t, RaggedTensor):
            own = t.row_splits.dtype if dtype is None else dtype
            return cls._of(t._partitions(), t.flat_values._aval.shape, own)
        return cls._of((), convert_to_tensor(t)._aval.shape, int32 if dtype is None else dtype)

    @classmethod
    def from_lengths(
        cls, lengths: Sequence[Any], num_row_partitions: int | None = None, dtype: Any = int64
    ) -> DynamicRaggedShape:
        """The shape with the given `lengths` of each axis: a number, or a list with one number for each row.

        Raises: ValueError if `lengths` is not a list, or `num_row_partitions` does not fit; InvalidArgumentError if
          the length of a row is negative.
        """
        if not isinstance(lengths, (list, tuple)):
            raise ValueError("tf.experimental.DynamicRaggedShape: lengths should be a list.")
        if lengths and not isinstance(lengths[0], int):
            raise ValueError(f"{_NAME}: the first length must be a number, got {lengths[0]}.")
        last = max((k for k, length in enumerate(lengths) if not isinstance(length, int)), default=0)
        depth = last if num_row_partitions is None else num_row_partitions
        if not last <= depth < max(len(lengths), 1):
            raise ValueError(
                f"tf.experimental.DynamicRaggedShape: num_row_partitions must be from {last} to {len(lengths) - 1}, "
                f"got {depth}."
            )
        integers: Any = as_dtype(dtype).as_numpy_dtype
        partitions: list[Partition] = []
        size = lengths[0] if lengths else 1
        for length in lengths[1 : depth + 1]:
            rows = of_uniform(length, size, as_dtype(dtype)) if isinstance(length, int) else None
            rows = of_lengths(np.array(length, integers)) if rows is None else rows
            if (rows.lengths().numpy() < 0).any():
                raise InvalidArgumentError.of(f"{_NAME}: lengths of rows must not be negative, got {length}.")
            if rows.nrows != size:
                raise ValueError(f"tf.experimental.DynamicRaggedShape: expected {size} lengths, got {length}.")
            partitions.append(rows)
            size = int(rows.host()[-1])
        return cls._of(partitions, (size, *lengths[depth + 1 :]) if lengths else (), dtype)

    @classmethod
    def from_row_partitions(cls, row_partitions: Sequence[RowPartition], dtype: Any = None) -> DynamicRaggedShape:
        """The shape of values divided by `row_partitions`. Raises ValueError if these are empty."""
        if not row_partitions:
            raise ValueError(f"{_NAME}: row_partitions cannot be empty.")
        partitions = [each._rows for each in row_partitions]
        own = partitions[0].dtype if dtype is None else dtype
        return cls._of(partitions, (int(partitions[-1].host()[-1]),), own)

    @property
    def dtype(self) -> DType:
        """The dtype of the lengths."""
        return self._dtype

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self._partitions) + self.inner_rank

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The row partitions, the outermost first."""
        return tuple(map(RowPartition._of, self._partitions))

    @property
    def num_row_partitions(self) -> int:
        """The number of row partitions."""
        return len(self._partitions)

    @property
    def inner_shape(self) -> Tensor:
        """The shape of the flat values."""
        if isinstance(self._inner, Tensor) and self._inner.dtype is self._dtype:
            return self._inner
        return sizes_tensor(self._inner_shape, self._dtype)

    @property
    def inner_rank(self) -> int:
        """The number of axes of the flat values."""
        return self._inner._aval.size if isinstance(self._inner, Tensor) else len(self._inner)

    def is_uniform(self, axis: int) -> bool:
        """Whether all rows along `axis` were made with one length. Raises IndexError if the axis is out of range."""
        if not 0 <= axis < self.rank:
            raise IndexError(f"{_NAME}: axis must be in [0, {self.rank}), got {axis}.")
        return not 0 < axis <= self.num_row_partitions or self._partitions[axis - 1].uniform is not None

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """The length of each axis: a number, or a list with one number for each row (None if not `ragged_lengths`)."""
        if self.rank == 0:
            return []
        found: list[Any] = [self._partitions[0].nrows] if self._partitions else [self._inner_shape[0]]
        for rows in self._partitions:
            lengths = tuple(np.diff(rows.host()).tolist()) if ragged_lengths else None
            found.append(lengths if rows.uniform is None else rows.uniform)
        return [*found, *self._inner_shape[1:]]

    def with_dtype(self, dtype: Any) -> DynamicRaggedShape:
        """The same shape with lengths of `dtype`."""
        if as_dtype(dtype) is self._dtype:
            return self
        return DynamicRaggedShape._of(self._partitions, self._inner_shape, dtype)

    def __getitem__(self, index: Any) -> Any:
        """The length of an axis that is the same for all rows; or, for a slice, the shape of its axes.

        Raises: ValueError for a ragged axis; IndexError for an axis out of range, or a slice with a step; TypeError for
          an invalid index.
        """
        if isinstance(index, slice):
            return self._slice(index)
        if not isinstance(index, int):
            raise TypeError(f"{_NAME}: an index must be an integer or a slice, got {index!r}.")
        if not -self.rank <= index < self.rank:
            raise IndexError(f"{_NAME}: index {index} is out of range for rank {self.rank}.")
        length = self.static_lengths(ragged_lengths=False)[index]
        if length is None:
            raise ValueError(f"{_NAME}: Index {index % self.rank} is not uniform.")
        return sizes_tensor(length, self._dtype)

    def _slice(self, index: slice) -> DynamicRaggedShape:
        start, stop, step = index.indices(self.rank)
        if step != 1:
            raise IndexError(f"{_NAME}: a slice of a shape must have step 1, got {step}.")
        if start < stop and start > 0 and not all(map(self.is_uniform, range(stop))):
            raise ValueError(f"{_NAME}: All relevant dimensions must be uniform, to begin at axis {start}.")
        lengths = self.static_lengths()[start:stop]
        depth = 0 if start else min(self.num_row_partitions, max(len(lengths) - 1, 0))
        return DynamicRaggedShape.from_lengths(lengths, depth, self._dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DynamicRaggedShape):
            return NotImplemented
        mine, theirs = ((shape._dtype, shape.num_row_partitions, shape.static_lengths()) for shape in (self, other))
        return mine == theirs

    def __hash__(self) -> int:
        return hash((self._dtype, self.num_row_partitions, self._inner_shape))

    @property
    def _type_spec(self) -> DynamicRaggedShapeSpec:
        is_open = isinstance(self._inner, Tensor) and self._inner._array is None
        inner: Any = [None] * self.inner_rank if is_open else self._inner_shape
        sizes = [rows.nrows for rows in self._partitions[1:]] + list(inner[:1])
        rows = [
            RowPartitionSpec(each.nrows, size, each.uniform, self._dtype)
            for each, size in zip(self._partitions, sizes, strict=False)
        ]
        return DynamicRaggedShapeSpec(rows, inner, self._dtype)

    def _plain(self) -> tuple[Any, ...]:
        return (self._dtype, *[rows.uniform for rows in self._partitions])

    def _deciding(self) -> range:
        """The row splits and the inner shape."""
        return range(self.num_row_partitions + 1)

    def _flatten_composite(self) -> list[Any]:
        return [self.inner_shape, *[rows.splits for rows in self._partitions]]

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> DynamicRaggedShape:
        del spec
        inner, *splits = leaves
        return cls._of(list(map(Partition, splits)), inner, inner.dtype)

    def __repr__(self) -> str:
        lengths = ", ".join(map(_shown, self.static_lengths()))
        return f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={self.num_row_partitions}>"


def _shown(length: Any) -> str:
    if isinstance(length, tuple) and len(length) > 10:
        return f"({', '.join(map(str, length[:10]))}, ...)"
    return str(length)


DynamicRaggedShapeSpec._partition_type = RowPartition
DynamicRaggedShapeSpec._shape_type = DynamicRaggedShape


def shape(input: Any, out_type: Any = None, name: str | None = None) -> DynamicRaggedShape:
    """The shape of the ragged tensor `input`, with lengths of `out_type`, int32 if None."""
    del name
    return DynamicRaggedShape.from_tensor(input, int32 if out_type is None else out_type)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """The values of `tensor` in the ragged or dense shape `shape`."""
    del name
    flat = tensor.flat_values if isinstance(tensor, RaggedTensor) else convert_to_tensor(tensor)
    if isinstance(shape, DynamicRaggedShape):
        return RaggedTensor._of(layout.reshape(flat, shape._inner_shape), shape._partitions)
    return layout.reshape(flat, shape)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    """The tensor or ragged tensor `input` repeated along axes of size 1, up to the ragged or dense shape `shape`.

    Raises: InvalidArgumentError if it cannot be broadcast.
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
        raise InvalidArgumentError.of(f"tf.broadcast_to: cannot broadcast shape {value.shape} to {shape}.")
    return RaggedTensor._of(layout.broadcast_to(flats[0], flats[1]._aval.shape), partitions)


def _uniform(shape: DynamicRaggedShape, flat: Tensor) -> Any:
    return RaggedTensor._of(flat, shape._partitions)


def zeros(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Any:
    """Zeros of the ragged shape `shape`."""
    del name
    return _uniform(shape, creation.zeros(shape._inner_shape, dtype, layout=layout))


def ones(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Any:
    """Ones of the ragged shape `shape`."""
    del name
    return _uniform(shape, creation.ones(shape._inner_shape, dtype, layout=layout))


def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Any:
    """A tensor of the ragged shape `dims` filled with `value`."""
    del name
    return _uniform(dims, creation.fill(dims._inner_shape, value, layout=layout))


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> DynamicRaggedShape:
    """The ragged shape to which `shape_x` and `shape_y`, one of which may be a vector, broadcast together.

    Raises: InvalidArgumentError if they cannot be broadcast together.
    """
    shapes = [
        each if isinstance(each, DynamicRaggedShape) else DynamicRaggedShape((), each) for each in (shape_x, shape_y)
    ]
    dims, partitions = [each._inner_shape for each in shapes], []
    if any(each.num_row_partitions for each in shapes):
        flats, partitions = aligned([_uniform(each, creation.zeros(each._inner_shape)) for each in shapes])
        dims = [flat._aval.shape for flat in flats]
    try:
        inner = broadcast_shapes(*dims)
    except ValueError as refused:
        raise InvalidArgumentError.of(f"tf.broadcast_dynamic_shape: {shapes} do not broadcast.") from refused
    return DynamicRaggedShape._of(partitions, inner, shapes[0].dtype)


register(extent.shape, RaggedTensor, shape)
register(layout.reshape, RaggedTensor, reshape)
register(layout.reshape, DynamicRaggedShape, reshape)
register(layout.broadcast_to, RaggedTensor, broadcast_to)
register(layout.broadcast_to, DynamicRaggedShape, broadcast_to)
register(creation.zeros, DynamicRaggedShape, zeros)
register(creation.ones, DynamicRaggedShape, ones)
register(creation.fill, DynamicRaggedShape, fill)
register(extent.broadcast_dynamic_shape, DynamicRaggedShape, broadcast_dynamic_shape)
