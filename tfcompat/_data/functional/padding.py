"""Datasets of batches of elements of different shapes: `padded_batch`, `ragged_batch`, `sparse_batch`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.system.error import DataLossError, InvalidArgumentError
from tfcompat._core.types.dtype import int64, string
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.blocks.block import Block, entries
from tfcompat._data.blocks.component import shown
from tfcompat._data.blocks.dataset_spec import DatasetSpec
from tfcompat._data.blocks.host_value import Array, HostSparse, ragged_of, stacked_sparse
from tfcompat._data.blocks.nesting import container, flatten, flatten_up_to, is_nested
from tfcompat._data.blocks.structure import host_array
from tfcompat._data.nodes.batching import POSITIVE, AnyBatch, Batch
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import Node, Unary, flag, positive
from tfcompat._extension.extension_type import ExtensionTypeSpec
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.sparse.tensor import SparseTensorSpec


class PaddedBatch(AnyBatch):
    """Batches whose elements are padded to `shapes`, where None stands for the longest of the batch."""

    label = "_PaddedBatchDataset"

    def __init__(self, source: Node, size: Any, padded_shapes: Any, padding_values: Any, drop_remainder: Any) -> None:
        structure = source.structure
        specs = structure.specs
        for place, spec in enumerate(specs):
            _require_tensor(spec)
            if padded_shapes is None and spec.shape.rank is None:
                raise ValueError(
                    f"You must provide `padded_shapes` argument because component {place} has unknown rank."
                )
        given = (
            [spec.shape for spec in specs] if padded_shapes is None else flatten_up_to(structure.spec, padded_shapes)
        )
        self.shapes = [_shape(shape, spec.shape) for shape, spec in zip(given, specs, strict=True)]
        if is_nested(padding_values) or not is_nested(structure.spec):
            values = _values(structure.spec, padding_values)
        else:
            values = [padding_values] * len(specs)
        self.values = [_padding(value, spec.dtype) for value, spec in zip(values, specs, strict=True)]
        number, is_dropped = positive(size, "batch_size", POSITIVE), flag(drop_remainder, "drop_remainder")
        first = TensorShape([number if is_dropped else None])
        batched = [
            TensorSpec(first.concatenate(shape), spec.dtype) for shape, spec in zip(self.shapes, specs, strict=True)
        ]
        super().__init__(source, structure.like(batched), number, is_dropped)

    def made(self, columns: list[list[Any]]) -> list[Any]:
        return [
            _padded(rows, shape, value, place)
            for place, (rows, shape, value) in enumerate(zip(columns, self.shapes, self.values, strict=True))
        ]


def _require_tensor(spec: Any) -> None:
    if isinstance(spec, DatasetSpec):
        raise TypeError("`padded_batch` is not supported for datasets of datasets")
    if not isinstance(spec, TensorSpec):
        refusal = NotImplementedError if isinstance(spec, ExtensionTypeSpec) else TypeError
        raise refusal(
            "`padded_batch` is only supported for datasets that produce tensor elements but type spec of elements in "
            f"the input dataset is not a subclass of TensorSpec: `{spec}`."
        )


def _values(spec: Any, given: Any) -> list[Any]:
    """The padding values of the components of `spec`; None in `given` stands for a structure of defaults."""
    if given is None:
        return [None] * len(flatten(spec))
    found = container(spec)
    if found is None:
        return [given]
    children = list(found.children(spec))
    parts = flatten_up_to(found.rebuild(spec, [None] * len(children)), given)
    return [value for child, part in zip(children, parts, strict=True) for value in _values(child, part)]


def _shape(given: Any, own: TensorShape) -> TensorShape:
    """A padded shape for elements of the shape `own`; -1 in a vector is None."""
    try:
        given = TensorShape(given)
    except (AttributeError, TypeError, ValueError):  # an element of a tensor of floats cannot be an index
        given = TensorShape([None if size == -1 else size for size in _sizes(given)])
    if given.rank is None:
        raise ValueError("tf.data.Dataset.padded_batch: padded_shapes must have known ranks, got an unknown one.")
    pairs = zip(given, own, strict=False) if own.rank is not None else ()
    is_small = any(padded is not None and size is not None and padded < size for padded, size in pairs)
    if is_small or own.rank not in (None, given.rank):
        raise ValueError(
            f"The padded shape {given} is not compatible with the shape {own} of the corresponding input component."
        )
    return given


def _sizes(given: Any) -> list[int]:
    """The sizes in a vector. Raises ValueError for another rank, TypeError for another dtype."""
    try:
        vector = convert_to_tensor(given, int64)
    except (TypeError, ValueError):
        vector = convert_to_tensor(given)
    if vector.shape.rank != 1:
        raise ValueError(f"Padded shape {given} must be a `tf.int64` vector tensor, but its shape was {vector.shape}.")
    if vector.dtype is not int64:
        raise TypeError(
            f"Padded shape {given} must be a `tf.int64` vector tensor, but its element type was {vector.dtype.name}."
        )
    return host_array(vector).tolist()


def _padding(value: Any, dtype: Any) -> Any:
    """The padding of a component. Raises TypeError if it has another dtype; ValueError if it is not a scalar."""
    if value is None:
        return b"" if dtype is string else np.zeros((), dtype.as_numpy_dtype)
    tensor = convert_to_tensor(value, name="padding_value")
    if tensor.shape.rank != 0:
        raise ValueError(
            f"Invalid `padding_values`. `padding_values` values should be scalars, but got {tensor.shape}."
        )
    if tensor.dtype is not dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {tensor.dtype!r} does not match type {dtype!r} of "
            "the corresponding input component."
        )
    return host_array(tensor)[()]


def _padded(rows: Sequence[Array], shape: TensorShape, value: Any, place: int) -> Array:
    for row in rows:
        if row.ndim != len(shape):
            raise InvalidArgumentError.of(
                "All elements in a batch must have the same rank as the padded shape for component"
                f"{place}: expected rank {len(shape)} but got element with rank {row.ndim}"
            )
    dims = [max(row.shape[axis] for row in rows) if size is None else size for axis, size in enumerate(shape)]
    if any(size > limit for row in rows for size, limit in zip(row.shape, dims, strict=True)):
        raise DataLossError.of("Attempted to pad to a smaller size than the input element.")
    batch = np.full((len(rows), *dims), value, rows[0].dtype)
    for number, row in enumerate(rows):
        batch[(number, *[slice(size) for size in row.shape])] = row if row.ndim else row[()]
    return batch


class _Ragged(Unary):
    """The elements with components of partly unknown shapes as ragged tensors."""

    label = "_DenseToRaggedDataset"

    def __init__(self, source: Node, splits_dtype: Any) -> None:
        specs = [_ragged_spec(spec, splits_dtype) for spec in source.structure.specs]
        super().__init__(source, source.structure.like(specs))

    def count(self) -> int:
        return self.source.cardinality

    @property
    def transparent(self) -> bool:
        return all(spec is old for spec, old in zip(self.structure.specs, self.source.structure.specs, strict=True))

    @property
    def is_fused_with_batch(self) -> bool:
        return True

    def cursor(self) -> Cursor:
        pairs = zip(self.source.structure.specs, self.structure.specs, strict=True)
        return _RaggedCursor(self.source.cursor(), [None if spec is old else spec for old, spec in pairs])


def _ragged_spec(spec: Any, splits_dtype: Any) -> Any:
    if not isinstance(spec, TensorSpec) or spec.shape.rank is None or spec.shape.is_fully_defined():
        return spec
    rank = max(axis for axis, size in enumerate(spec.shape) if size is None)
    return RaggedTensorSpec(spec.shape, spec.dtype, rank, splits_dtype)


class _RaggedCursor(Cursor):
    saved = ("_cursor",)

    def __init__(self, cursor: Cursor, specs: list[Any]) -> None:
        self._cursor = cursor
        self._specs = specs

    def read(self, most: int) -> Block | None:
        block = self._cursor.read(most)
        if block is None:
            return None
        columns = [
            column
            if spec is None or spec.ragged_rank == 0
            else [ragged_of(row, spec.ragged_rank, spec.row_splits_dtype.as_numpy_dtype) for row in entries(column)]
            for spec, column in zip(self._specs, block.columns, strict=True)
        ]
        return Block(tuple(columns), block.count)


def ragged_batch(source: Node, size: Any, drop_remainder: Any, splits_dtype: Any) -> Node:
    """Batches whose components of partly unknown shape are ragged tensors."""
    return Batch(_Ragged(source, splits_dtype), size, drop_remainder)


class SparseBatch(AnyBatch):
    """Batches as sparse tensors with rows of the shape `row_shape`, where None stands for the longest of the batch."""

    label = "_DenseToSparseBatchDataset"

    def __init__(self, source: Node, size: Any, row_shape: Any) -> None:
        spec = source.structure.spec
        if not isinstance(spec, TensorSpec):
            dtypes = source.structure.pack([part.dtype for part in source.structure.specs])
            raise TypeError(
                "`dense_to_sparse_batch` requires an input dataset whose elements have a single component, but the "
                f"given dataset has the following component types: {dtypes}."
            )
        self.row_shape = TensorShape([None if dim == -1 else dim for dim in TensorShape(row_shape)])
        batched = SparseTensorSpec(TensorShape([None]).concatenate(self.row_shape), spec.dtype)
        number = positive(size, "batch_size", POSITIVE)
        super().__init__(source, source.structure.like([batched]), number, drop_remainder=False)

    def made(self, columns: list[list[Any]]) -> list[Any]:
        (rows,) = columns
        limits = list(self.row_shape)
        for row in rows:
            if row.ndim != len(limits):
                raise InvalidArgumentError.of(
                    f"Input element had shape ({shown(row.shape)}) that is incompatible with the row shape "
                    f"({self._shown()})."
                )
            if any(limit is not None and size > limit for size, limit in zip(row.shape, limits, strict=True)):
                raise DataLossError.of(
                    f"Input element had shape ({shown(row.shape)}) that is larger than the row shape ({self._shown()})."
                )
        dims = [max(row.shape[axis] for row in rows) if size is None else size for axis, size in enumerate(limits)]
        return [stacked_sparse([_sparse(row) for row in rows], dims)]

    def _shown(self) -> str:
        return shown([-1 if size is None else size for size in self.row_shape])


def _sparse(row: Array) -> HostSparse:
    """All elements of an array, zeros included."""
    indices = np.argwhere(np.ones(row.shape, bool)).astype(np.int64)
    return HostSparse(indices, row.ravel(), np.array(row.shape, np.int64))
