"""The kinds of components: how their rows become a batch, how a batch is divided, how users receive them."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from tfcompat._core.structure.none_spec import NoneTensorSpec
from tfcompat._core.structure.spec import TensorSpec, TypeSpec
from tfcompat._core.structure.tensor import Tensor, finished
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.container import is_composite
from tfcompat._core.types.dtype import string
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.blocks.block import Column, column_of, entries
from tfcompat._data.blocks.dataset_spec import AnyDataset, DatasetSpec
from tfcompat._data.blocks.host_value import Array, HostParts, HostRagged, ragged, stacked_ragged, stacked_sparse
from tfcompat._ops.ragged.partition import Partition
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.sparse.tensor import SparseTensor, SparseTensorSpec


class Component(ABC):
    """One component of the elements of a dataset.

    Attributes:
      spec: its type.
    """

    def __init__(self, spec: Any) -> None:
        self.spec = spec

    @abstractmethod
    def batched(self, size: int | None) -> TypeSpec:
        """The type of `size` rows."""

    @abstractmethod
    def unbatched(self) -> TypeSpec:
        """The type of one row of a value of this type."""

    @abstractmethod
    def stacked(self, rows: Sequence[Any], place: int) -> Any:
        """The batch of `rows`, for the component at `place`."""

    @abstractmethod
    def divided(self, batch: Any) -> Column:
        """The rows of a batch."""

    @abstractmethod
    def values(self, column: Column) -> list[Any]:
        """The entries of a column as users receive them."""

    @abstractmethod
    def numpy_values(self, column: Column) -> list[Any]:
        """The entries of a column as `as_numpy_iterator` gives them."""

    def require_numpy(self) -> None:  # noqa: B027  # most kinds have a form
        """Raises TypeError if NumPy has no form for such values."""

    def shapes(self) -> list[TensorShape]:
        """The shapes whose first sizes are the number of rows."""
        return [self.spec.shape]


class Dense(Component):
    """A tensor."""

    def batched(self, size: int | None) -> TypeSpec:
        return TensorSpec(TensorShape([size]).concatenate(self.spec.shape), self.spec.dtype)

    def unbatched(self) -> TypeSpec:
        return TensorSpec(self.spec.shape[1:], self.spec.dtype)

    def stacked(self, rows: Sequence[Any], place: int) -> Any:
        first = rows[0].shape
        for number, row in enumerate(rows):
            if row.shape != first:
                raise InvalidArgumentError.of(
                    f"Cannot batch tensors with different shapes in component {place}. First element had shape "
                    f"{shown(first)} and element {number} had shape {shown(row.shape)}."
                )
        return np.stack(rows)

    def divided(self, batch: Any) -> Column:
        return batch

    def values(self, column: Column) -> list[Any]:
        dtype = self.spec.dtype
        if isinstance(column, np.ndarray):
            aval = aval_of(column.shape[1:], dtype)
            return [finished(column[place, ...], aval) for place in range(len(column))]
        return [finished(entry, aval_of(entry.shape, dtype)) for entry in column]

    def numpy_values(self, column: Column) -> list[Any]:
        return [entry[()] if entry.ndim == 0 else _read_only(entry) for entry in entries(column)]


class Ragged(Component):
    """A ragged tensor; a plain one if its ragged rank is 0."""

    def batched(self, size: int | None) -> TypeSpec:
        spec = self.spec
        return RaggedTensorSpec(
            TensorShape([size]).concatenate(spec.shape), spec.dtype, spec.ragged_rank + 1, spec.row_splits_dtype
        )

    def unbatched(self) -> TypeSpec:
        spec = self.spec
        if spec.ragged_rank == 0:
            return TensorSpec(spec.shape[1:], spec.dtype)
        return RaggedTensorSpec(spec.shape[1:], spec.dtype, spec.ragged_rank - 1, spec.row_splits_dtype)

    def stacked(self, rows: Sequence[Any], place: int) -> Any:
        del place
        return stacked_ragged(rows, self.spec.row_splits_dtype.as_numpy_dtype)

    def divided(self, batch: Any) -> Column:
        rows = ragged(batch)
        return [rows.row(place) for place in range(rows.length)] if rows.splits else rows.values

    def values(self, column: Column) -> list[Any]:
        spec = self.spec
        lengths = [] if spec.shape.rank is None else spec.shape.as_list()[1 : spec.ragged_rank + 1]
        return [ragged_tensor(entry, lengths) for entry in entries(column)]

    def numpy_values(self, column: Column) -> list[Any]:
        return [found.numpy() for found in self.values(column)]


class Sparse(Component):
    """A sparse tensor."""

    def batched(self, size: int | None) -> TypeSpec:
        return SparseTensorSpec(TensorShape([size]).concatenate(self.spec.shape), self.spec.dtype)

    def unbatched(self) -> TypeSpec:
        return SparseTensorSpec(self.spec.shape[1:], self.spec.dtype)

    def stacked(self, rows: Sequence[Any], place: int) -> Any:
        del place
        return stacked_sparse(rows)

    def divided(self, batch: Any) -> Column:
        return list(batch.rows())

    def values(self, column: Column) -> list[Any]:
        return [SparseTensor._of(*map(Tensor, entry)) for entry in column]

    def numpy_values(self, column: Column) -> list[Any]:
        default = b"" if self.spec.dtype is string else 0
        return [_read_only(entry.dense(default)) for entry in column]


class Nothing(Component):
    """None."""

    def batched(self, size: int | None) -> TypeSpec:
        del size
        return self.spec

    def unbatched(self) -> TypeSpec:
        return self.spec

    def stacked(self, rows: Sequence[Any], place: int) -> Any:
        del rows, place

    def divided(self, batch: Any) -> Column:
        """No rows: there are as many as of the other components."""
        del batch
        return []

    def shapes(self) -> list[TensorShape]:
        return []

    def values(self, column: Column) -> list[Any]:
        return list(column)

    def numpy_values(self, column: Column) -> list[Any]:
        return list(column)


class Nested(Component):
    """A dataset, or a list of datasets, which may be nested: a batch of them."""

    def batched(self, size: int | None) -> TypeSpec:
        return DatasetSpec(self.spec.element_spec, TensorShape([size]).concatenate(self.spec._dataset_shape))

    def unbatched(self) -> TypeSpec:
        shape = self.spec._dataset_shape
        if shape.rank == 0:
            raise ValueError("Slicing dataset elements is not supported for rank 0.")
        return DatasetSpec(self.spec.element_spec, shape[1:])

    def stacked(self, rows: Sequence[Any], place: int) -> Any:
        del place
        return list(rows)

    def divided(self, batch: Any) -> Column:
        return batch

    def values(self, column: Column) -> list[Any]:
        return [self.values(entry) if isinstance(entry, list) else AnyDataset.kind._of(entry) for entry in column]

    def numpy_values(self, column: Column) -> list[Any]:
        return self.values(column)

    def require_numpy(self) -> None:
        _refuse_numpy(self.spec)

    def shapes(self) -> list[TensorShape]:
        return [self.spec._dataset_shape]


class Whole(Component):
    """A composite tensor of another class, such as an extension type: its components are taken one by one.

    Attributes:
      parts: the kinds of its components.
    """

    def __init__(self, spec: Any) -> None:
        super().__init__(spec)
        self.parts = [component(part) for part in spec._flatten_composite()]
        if not self.parts:
            raise NotImplementedError(
                f"tf.data.Dataset: {spec.value_type.__name__} has no tensors; pass its fields as they are."
            )

    def batched(self, size: int | None) -> TypeSpec:
        self._require_own_rows()
        return self.spec._batch(size)

    def unbatched(self) -> TypeSpec:
        self._require_own_rows()
        return self.spec._unbatch()

    def _require_own_rows(self) -> None:
        """Raises NotImplementedError if batches do not consist of batches of the components."""
        if not getattr(self.spec, "_is_batched_by_component", True):
            raise NotImplementedError(
                f"tf.data.Dataset: batches of {self.spec.value_type.__name__} are not supported, as it has a "
                "`__batch_encoder__` of its own; pass its tensors as a tuple or a dict."
            )

    def stacked(self, rows: Sequence[Any], place: int) -> Any:
        columns = zip(*[row.parts for row in rows], strict=True)
        return HostParts(tuple([part.stacked(each, place) for part, each in zip(self.parts, columns, strict=True)]))

    def divided(self, batch: Any) -> Column:
        columns = [part.divided(each) for part, each in zip(self.parts, batch.parts, strict=True)]
        return list(map(HostParts, zip(*map(entries, columns), strict=True)))

    def values(self, column: Column) -> list[Any]:
        columns = zip(*[entry.parts for entry in column], strict=True)
        found = [part.values(column_of(each)) for part, each in zip(self.parts, columns, strict=True)]
        return [self.spec._unflatten_composite(self.spec, list(leaves)) for leaves in zip(*found, strict=True)]

    def numpy_values(self, column: Column) -> list[Any]:
        return self.values(column)

    def require_numpy(self) -> None:
        _refuse_numpy(self.spec)

    def shapes(self) -> list[TensorShape]:
        return [shape for part in self.parts for shape in part.shapes()]


def _refuse_numpy(spec: Any) -> NoReturn:
    raise TypeError(
        "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values of type "
        f"{spec.value_type}"
    )


_KINDS: tuple[tuple[type[TypeSpec], type[Component]], ...] = (
    (TensorSpec, Dense),
    (RaggedTensorSpec, Ragged),
    (SparseTensorSpec, Sparse),
    (NoneTensorSpec, Nothing),
    (DatasetSpec, Nested),
)


def component(spec: Any) -> Component:
    """The component of the type `spec`. Raises NotImplementedError for unsupported types."""
    for kind, made in _KINDS:
        if isinstance(spec, kind):
            return made(spec)
    if is_composite(type(spec)):
        return Whole(spec)
    raise NotImplementedError(
        f"tf.data.Dataset: components of the type {spec!r} are not supported; pass their tensors as a tuple or a dict."
    )


def ragged_tensor(value: Any, lengths: Sequence[int | None]) -> Any:
    """The ragged tensor of a host value, whose rows have `lengths` where these are known; the tensor of an array."""
    if not isinstance(value, HostRagged):
        return Tensor(value)
    pairs = itertools.zip_longest(value.splits, lengths)
    return RaggedTensor._of(Tensor(value.values), [_partition(splits, length) for splits, length in pairs])


def _partition(splits: Array, length: int | None) -> Partition:
    # A generator may declare another length than its rows have.
    is_uniform = length is not None and bool((np.diff(splits) == length).all())
    return Partition(Tensor(splits), length if is_uniform else None)


def shown(shape: Sequence[int]) -> str:
    """A shape as TensorFlow's kernels write it: `[2,3]`."""
    return f"[{','.join(map(str, shape))}]"


def _read_only(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view
