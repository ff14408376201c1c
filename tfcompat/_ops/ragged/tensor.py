"""The ragged tensor: rows of different lengths."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, Self

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.sizes import sizes_tensor
from tfcompat._core.types.dtype import DType, as_dtype, int32, int64
from tfcompat._core.types.shape import TensorShape
from tfcompat._ops.array.layout import reshape
from tfcompat._ops.ragged import partition
from tfcompat._ops.ragged.construction import Rows, count
from tfcompat._ops.ragged.coordinate import coordinates, ragged_rows, require_matrix
from tfcompat._ops.ragged.display import ragged_text, summary_of
from tfcompat._ops.ragged.padding import padded, partly_known
from tfcompat._ops.ragged.partition import Partition
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.sparse.tensor import SparseTensor


class RaggedTensor(Rows):
    """A tensor whose rows may have different lengths: `values`, partitioned into rows.

    The values are a tensor, or another ragged tensor. Ragged tensors are made by the class methods.

    Raises: ValueError if the constructor is called directly.
    Source: TF 2.21 `tf.RaggedTensor`.
    """

    # TensorFlow's module, by which libraries recognise ragged tensors.
    __module__ = "tensorflow.python.ops.ragged.ragged_tensor"
    __array_priority__ = 200

    @property
    def dtype(self) -> DType:
        """The element type of the values."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, with None for sizes that differ between rows."""
        found = self._shape
        if found is None:
            found = self._shape = partition.static_dims(self._row_partition) + self._values.shape[1:]
        return found

    @property
    def ragged_rank(self) -> int:
        """The number of row partitions of the flat values."""
        return len(self._partitions())

    @property
    def values(self) -> Any:
        """The concatenated rows: a tensor, or a ragged tensor with one axis less."""
        return self._values

    @property
    def flat_values(self) -> Tensor:
        """The innermost values, a tensor."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    @property
    def row_splits(self) -> Tensor:
        """The starts and ends of rows in `values`."""
        return self._row_partition.splits

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The row splits of each ragged axis, the outermost first."""
        return tuple(rows.splits for rows in self._partitions())

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of every row, if the tensor was made with one length, else None."""
        length = self._row_partition.uniform
        return None if length is None else Tensor(np.array(length, self.row_splits.dtype.as_numpy_dtype))

    @property
    def _value_count(self) -> Any:
        """The number of flat values; it may be a symbol."""
        return self.flat_values._aval.shape[0]

    def _fit_splits(self, arrays: dict[int, np.ndarray]) -> None:
        """Replaces, among arrays in place of tensors, by `id`, those for row splits: they cover all values."""
        values, splits = self._values, self.row_splits
        if isinstance(values, RaggedTensor):
            values._fit_splits(arrays)
            count = len(arrays[id(values.row_splits)]) - 1
        else:
            count = len(arrays[id(values)])
        given = arrays[id(splits)]
        if splits._is_symbolic():
            inner = np.sort(np.random.default_rng(count).integers(0, count, max(0, len(given) - 2), endpoint=True))
            arrays[id(splits)] = np.array([0, *inner, count][: len(given)], given.dtype)

    def _partitions(self) -> list[Partition]:
        found: list[Partition] = []
        values: Any = self
        while isinstance(values, RaggedTensor):
            found.append(values._row_partition)
            values = values._values
        return found

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec.from_value(self)

    def get_shape(self) -> TensorShape:
        """The shape, with None for sizes that differ between rows."""
        return self.shape

    def value_rowids(self, name: str | None = None) -> Tensor:
        """For each of the values, the index of its row.

        Shapes: [n].
        Dtypes: that of row_splits.
        Source: TF 2.21 `tf.RaggedTensor.value_rowids`.
        """
        del name
        return self._row_partition.rowids(count(self._values))

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row ids of the values of each ragged axis, the outermost first.

        Shapes: a tuple of [n_k].
        Dtypes: those of row_splits.
        Source: TF 2.21 `tf.RaggedTensor.nested_value_rowids`.
        """
        del name
        own = self.value_rowids()
        return (own, *self._values.nested_value_rowids()) if isinstance(self._values, RaggedTensor) else (own,)

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """The number of rows, of `out_type` or of the dtype of row_splits.

        Shapes: -> [].
        Dtypes: -> out_type, or that of row_splits.
        Source: TF 2.21 `tf.RaggedTensor.nrows`.
        """
        del name
        dtype = self.row_splits.dtype if out_type is None else as_dtype(out_type)
        return sizes_tensor(self._row_partition.nrows, dtype)

    def row_starts(self, name: str | None = None) -> Tensor:
        """The starts of rows in the values.

        Shapes: -> [rows].
        Dtypes: that of row_splits.
        Source: TF 2.21 `tf.RaggedTensor.row_starts`.
        """
        del name
        return self.row_splits[:-1]  # pyright: ignore[reportIndexIssue]

    def row_limits(self, name: str | None = None) -> Tensor:
        """The ends of rows in the values.

        Shapes: -> [rows].
        Dtypes: that of row_splits.
        Source: TF 2.21 `tf.RaggedTensor.row_limits`.
        """
        del name
        return self.row_splits[1:]  # pyright: ignore[reportIndexIssue]

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The lengths of the rows along `axis`: a tensor for axis 1, ragged for inner axes.

        Shapes: -> [rows]; [rows, (ragged), ...] for inner axes.
        Dtypes: that of row_splits.
        Raises: ValueError if axis is out of range.
        Source: TF 2.21 `tf.RaggedTensor.row_lengths`.
        """
        del name
        rank = len(self.shape)
        along = axis + rank if axis < 0 else axis
        if not 0 <= along < rank:
            raise ValueError(f"tf.RaggedTensor.row_lengths: axis must be in [{-rank}, {rank}), got {axis}.")
        if along == 0:
            return self.nrows()
        if along == 1:
            return self._row_partition.lengths()
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(along - 1))
        dims = self._values._aval.shape
        lengths = np.full(dims[: along - 1], dims[along - 1], self.row_splits.dtype.as_numpy_dtype)
        return self.with_values(Tensor(lengths))

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The lengths of the rows of each ragged axis, the outermost first.

        Shapes: a tuple of [n_k].
        Dtypes: those of row_splits.
        Source: TF 2.21 `tf.RaggedTensor.nested_row_lengths`.
        """
        del name
        return tuple(rows.lengths() for rows in self._partitions())

    @dispatched
    def bounding_shape(self, axis: Any = None, name: str | None = None, out_type: Any = None) -> Tensor:
        """The shape of the smallest dense tensor that could hold this one, or its sizes at `axis`.

        Shapes: -> [rank]; that of axis.
        Dtypes: -> out_type, or that of row_splits.
        Source: TF 2.21 `tf.RaggedTensor.bounding_shape`.
        """
        del name
        partitions = self._partitions()
        longest = [rows.longest() for rows in partitions]
        dims = np.array([partitions[0].nrows, *longest, *self.flat_values._aval.shape[1:]], np.int64)
        dtype = self.row_splits.dtype if out_type is None else as_dtype(out_type)
        chosen = dims if axis is None else dims[np.asarray(axis)]
        return Tensor(np.asarray(chosen, dtype.as_numpy_dtype))

    def with_values(self, new_values: Any) -> Any:
        """This ragged tensor with its values replaced by `new_values`, equal in number.

        Shapes: [n, *dims] -> [rows, (ragged), *dims].
        Dtypes: any -> same.
        Raises: ValueError if the numbers differ.
        Source: TF 2.21 `tf.RaggedTensor.with_values`.
        """
        held = new_values if isinstance(new_values, RaggedTensor) else convert_to_tensor(new_values)
        held.shape.with_rank_at_least(1)
        size, wanted = count(held), count(self._values)
        if size != wanted:
            raise ValueError(f"tf.RaggedTensor.with_values: Shapes ({wanted},) and ({size},) are incompatible.")
        if isinstance(held, RaggedTensor) and held.row_splits.dtype is not self.row_splits.dtype:
            return RaggedTensor(held.with_row_splits_dtype(int64), self._row_partition.cast(int64), internal=True)
        return RaggedTensor(held, self._row_partition, internal=True)

    def with_flat_values(self, new_values: Any) -> Any:
        """This ragged tensor with its innermost values replaced by `new_values`, equal in number.

        Shapes: [n, *dims] -> [rows, (ragged), ..., *dims].
        Dtypes: any -> same.
        Raises: ValueError if the numbers differ.
        Source: TF 2.21 `tf.RaggedTensor.with_flat_values`.
        """
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: Any) -> Any:
        """This ragged tensor with row splits of `dtype`.

        Shapes: -> same.
        Dtypes: any -> same; row splits of `dtype`.
        Raises: ValueError if dtype is neither int32 nor int64.
        Source: TF 2.21 `tf.RaggedTensor.with_row_splits_dtype`.
        """
        wanted = as_dtype(dtype)
        if wanted not in (int32, int64):
            raise ValueError(f"tf.RaggedTensor.with_row_splits_dtype: dtype must be int32 or int64, got {wanted.name}.")
        return RaggedTensor._of(self.flat_values, [rows.cast(wanted) for rows in self._partitions()])

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """This tensor with the axes from `outer_axis` to `inner_axis` merged into one.

        Shapes: [*before, m, (ragged), *after] -> [*before, (ragged), *after].
        Dtypes: any -> same.
        Raises: ValueError if they are out of range or in the wrong order.
        Source: TF 2.21 `tf.RaggedTensor.merge_dims`.
        """
        rank = len(self.shape)
        outer, inner = (axis + rank if axis < 0 else axis for axis in (outer_axis, inner_axis))
        if not (0 <= outer < rank and 0 <= inner < rank):
            raise ValueError(
                f"tf.RaggedTensor.merge_dims: axes must be in [{-rank}, {rank}), got {outer_axis} and {inner_axis}."
            )
        if outer > inner:
            raise ValueError(
                f"tf.RaggedTensor.merge_dims: outer_axis ({outer_axis}) must be at most inner_axis ({inner_axis})."
            )
        return merged(self, outer, inner)

    @by_row("self", "default_value", "shape", specs=lambda self, shape, **_: _dense_spec(self, shape))
    def to_tensor(self, default_value: Any = None, name: str | None = None, shape: Any = None) -> Tensor:
        """The rows as a dense tensor of `shape`, or as large as needed, padded with `default_value` or zeros.

        Shapes: [rows, (ragged), *dims] -> [rows, longest, *dims], or shape.
        Dtypes: any -> same.
        Raises: TypeError or ValueError if default_value has another dtype; InvalidArgumentError if default_value or
          shape
          doesn't fit.
        Source: TF 2.21 `tf.RaggedTensor.to_tensor`.
        """
        del name
        return padded(self.flat_values, self._partitions(), default_value, shape)

    @classmethod
    @by_row("st_input", specs=lambda st_input, row_splits_dtype, **_: _spec_of_sparse(st_input, row_splits_dtype))
    def from_sparse(cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = int64) -> Self:
        """The rows of the sparse tensor `st_input` of rank 2, which must have no gaps within its rows.

        Shapes: [rows, n] -> [rows, (ragged)].
        Dtypes: any -> same; row splits of row_splits_dtype.
        Raises: TypeError if st_input is not a sparse tensor; ValueError if its rank is not 2, or row_splits_dtype is
          not int32 or int64; InvalidArgumentError if its rows have gaps.
        Source: TF 2.21 `tf.RaggedTensor.from_sparse`.
        """
        del name
        rowids, nrows = ragged_rows(st_input)
        dtype: Any = partition.index_dtype("from_sparse", row_splits_dtype).as_numpy_dtype
        return cls.from_value_rowids(st_input.values, rowids.astype(dtype), nrows)

    @dispatched
    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """The values and their coordinates as a sparse tensor.

        Shapes: [rows, (ragged), *dims] -> [rows, longest, *dims].
        Dtypes: any -> same.
        Source: TF 2.21 `tf.RaggedTensor.to_sparse`.
        """
        del name
        flat, partitions = self.flat_values, self._partitions()
        indices = coordinates(partitions, flat._aval.shape)
        values = reshape(flat, (flat._aval.size,)) if flat.ndim > 1 else flat
        return SparseTensor._of(Tensor(indices), values, self.bounding_shape(out_type=int64))

    def to_list(self) -> list[Any]:
        """The rows as nested lists of Python numbers.

        Shapes: -> nested lists.
        Dtypes: any.
        Raises: ValueError if there are no values yet.
        Source: TF 2.21 `tf.RaggedTensor.to_list`.
        """
        if not self._is_eager():
            raise ValueError("to_list can only be used in eager mode.")
        splits = self._row_partition.host().tolist()
        values = self._values
        held = values.to_list() if isinstance(values, RaggedTensor) else np.asarray(values).tolist()
        return [held[start:stop] for start, stop in itertools.pairwise(splits)]

    def numpy(self) -> np.ndarray:
        """The rows as an array of arrays; as one array if all have the same length.

        Shapes: -> [rows], each a vector; an array if all have the same length.
        Dtypes: any -> same.
        Raises: ValueError if there are no values yet.
        Source: TF 2.21 `tf.RaggedTensor.numpy`.
        """
        if not self._is_eager():
            raise ValueError("RaggedTensor.numpy() is only supported in eager mode.")
        values = self._values.numpy()
        splits = self._row_partition.host().tolist()
        rows = [values[start:stop] for start, stop in itertools.pairwise(splits)]
        if not rows:
            return np.zeros((0, 0, *values.shape[1:]), values.dtype)
        is_uneven = any(len(row) != len(rows[0]) for row in rows)
        return np.array(rows, np.object_ if is_uneven else None)

    def consumers(self) -> list[Any]:
        """An empty list: tensors do not know their consumers."""
        return []

    def _is_eager(self) -> bool:
        parts = self._flatten_composite()
        return not any(part._is_symbolic() for part in parts)

    def __bool__(self) -> NoReturn:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __hash__(self) -> int:
        raise TypeError("RaggedTensor is unhashable.")

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self._row_partition.nrows))  # pyright: ignore[reportIndexIssue]

    def __str__(self) -> str:
        if not self._is_eager():
            return f"tf.RaggedTensor(values={self._values!s}, row_splits={self.row_splits!s})"
        return f"<tf.RaggedTensor {ragged_text(self.numpy())}>"

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.flat_values, self.nested_row_splits, [rows.uniform for rows in self._partitions()])

    def _differentiated(self) -> Tensor:
        """The values, which gradients refer to."""
        return self.flat_values

    def _with_gradient(self, gradient: Any) -> Any:
        """A gradient for the values, partitioned into these rows."""
        return self.with_flat_values(gradient)

    def _printed(self, count: int, summary: Any) -> str:
        """The text for `tf.print`, which does not use the text of its component tensors."""
        del summary
        return summary_of(self.to_list(), count)

    def _deciding(self) -> range:
        """The row splits."""
        return range(1, self.ragged_rank + 1)

    def _flatten_composite(self) -> list[Any]:
        return [self.flat_values, *self.nested_row_splits]

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> Any:
        uniform = [rows.uniform for rows in spec._partitions()]
        return _restored(leaves[0], leaves[1:], uniform)


def _spec_of_sparse(sparse: SparseTensor, row_splits_dtype: Any) -> RaggedTensorSpec:
    require_matrix(sparse)
    dtype = partition.index_dtype("from_sparse", row_splits_dtype)
    return RaggedTensorSpec([sparse.shape[0], None], sparse.dtype, 1, dtype)


def _dense_spec(ragged: RaggedTensor, shape: Any) -> TensorSpec:
    """The type of the dense tensor of `shape`, which may be partly known, with the elements of `ragged`."""
    if isinstance(shape, Tensor) and shape._is_symbolic():
        return TensorSpec([None for _ in ragged.shape], ragged.dtype)
    if isinstance(shape, (list, tuple)):
        shape = [None if isinstance(size, Tensor) and size._is_symbolic() else size for size in shape]
    elif isinstance(shape, Tensor):
        shape = [None if size < 0 else size for size in np.asarray(shape).reshape(-1).tolist()]
    given = partly_known(shape)
    dims = (
        ragged.shape
        if given.rank is None
        else [size if size is not None else rows for size, rows in zip(given, ragged.shape, strict=True)]
    )
    return TensorSpec(dims, ragged.dtype)


def _restored(flat: Any, splits: Sequence[Any], uniform: Sequence[int | None]) -> Any:
    return RaggedTensor._of(flat, [Partition(*pair) for pair in zip(splits, uniform, strict=True)])


def merged(value: Any, outer: int, inner: int) -> Any:
    """A tensor or ragged tensor with the axes from `outer` to `inner` merged into one."""
    if outer == inner:
        return value
    if isinstance(value, Tensor):
        dims = value._aval.shape
        wanted = (*dims[:outer], int(np.prod(dims[outer : inner + 1])), *dims[inner + 1 :])
        return reshape(value, wanted)
    if outer > 1:
        return value.with_values(merged(value._values, outer - 1, inner - 1))
    if outer == 0:
        return merged(value._values, 0, inner - 1)
    values = merged(value._values, 1, inner - 1)
    return _joined_rows(value, values)


def _joined_rows(value: RaggedTensor, values: Any) -> Any:
    """Merges axis 1 of `value` with axis 1 of its values, given as `values`: rows of rows become rows."""
    outer = value._row_partition
    if isinstance(values, RaggedTensor):
        inner = values._row_partition
        splits = inner.host("tf.RaggedTensor.merge_dims")[outer.host("tf.RaggedTensor.merge_dims")]
        uniform = None if outer.uniform is None or inner.uniform is None else outer.uniform * inner.uniform
        return RaggedTensor(values._values, Partition(Tensor(splits), uniform), internal=True)
    width = values._aval.shape[1]
    uniform = None if outer.uniform is None else outer.uniform * width
    splits = outer.host("tf.RaggedTensor.merge_dims") * width
    return RaggedTensor(merged(values, 0, 1), Partition(Tensor(splits), uniform), internal=True)
