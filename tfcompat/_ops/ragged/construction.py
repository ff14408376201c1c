"""Construction of ragged tensors from values and row partitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import DType, int64
from tfcompat._core.types.shape import TensorShape
from tfcompat._ops.identity import ensure_shape
from tfcompat._ops.ragged import partition
from tfcompat._ops.ragged.padding import unpadded
from tfcompat._ops.ragged.partition import Partition

Maker = Callable[[int, DType | None], Partition]


class Rows:
    """Values and their partition into rows: the components of `tf.RaggedTensor`.

    Attributes:
      kind: `tf.RaggedTensor`.
    """

    kind: ClassVar[type[Any]]

    def __init_subclass__(cls) -> None:
        Rows.kind = cls

    def __init__(self, values: Any, row_partition: Any, internal: bool = False) -> None:
        if not internal:
            raise ValueError(
                "tf.RaggedTensor: the constructor is private; use a class method such as "
                "tf.RaggedTensor.from_row_lengths."
            )
        self._values: Any = values
        self._row_partition: Partition = row_partition
        self._shape: TensorShape | None = None

    @classmethod
    def _of(cls, flat: Any, partitions: Sequence[Partition]) -> Any:
        """The ragged tensor of `flat` with `partitions`, the outermost first; `flat` itself without partitions."""
        for rows in reversed(partitions):
            flat = cls(flat, rows, internal=True)
        return flat

    @classmethod
    def _made(cls, method: str, values: Any, validate: bool, make: Maker) -> Self:
        """The values, the partition that `make` returns for their number, and the dtype that its splits should have.

        Raises: ValueError if the splits have different dtypes; InvalidArgumentError if the rows do not cover all
          values.
        """
        held = values if isinstance(values, Rows) else convert_to_tensor(values)
        inner = held._row_partition.dtype if isinstance(held, Rows) else None
        if isinstance(held, Tensor) and held.ndim == 0:
            raise InvalidArgumentError.of(f"tf.RaggedTensor.{method}: values must have rank 1 or more, got a scalar.")
        size = count(held)
        rows = make(size, inner)
        if inner is not None and rows.dtype is not inner:
            raise ValueError(
                f"tf.RaggedTensor.{method}: row_splits must have one dtype at every level, got {rows.dtype.name} and "
                f"{inner.name}; see with_row_splits_dtype."
            )
        if validate and rows.splits._is_symbolic():
            rows = rows.validated(size)
        elif validate:
            last = int(rows.host()[-1])
            if last != size and element_trace() is not None and isinstance(held, Tensor):
                held = ensure_shape(held, [last, *held.shape[1:]])  # as others, this element may have another size
                size = last
            partition.require(last == size, method, f"the rows must be made of all {size} values", last)
        return cls(held, rows, internal=True)

    @classmethod
    def from_row_splits(cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True) -> Self:
        """The ragged tensor whose row i holds `values` from `row_splits[i]` to `row_splits[i + 1]`.

        Shapes: [n, *dims], [rows + 1] -> [rows, (ragged), *dims].
        Dtypes: values any -> same; row_splits int32 or int64.
        Raises: ValueError if row_splits is empty or not a vector of integers; with `validate`, InvalidArgumentError if
          it
          does not increase from 0 to n.
        Source: TF 2.21 `tf.RaggedTensor.from_row_splits`.
        """
        del name

        def make(_: int, dtype: DType | None) -> Partition:
            return partition.from_row_splits(row_splits, validate, dtype)

        return cls._made("from_row_splits", values, validate, make)

    @classmethod
    def from_row_lengths(cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True) -> Self:
        """The ragged tensor whose row i holds the next `row_lengths[i]` of `values`.

        Shapes: [n, *dims], [rows] -> [rows, (ragged), *dims].
        Dtypes: values any -> same; row_lengths int32 or int64.
        Raises: with `validate`, InvalidArgumentError if the lengths are negative, or do not add up to n.
        Source: TF 2.21 `tf.RaggedTensor.from_row_lengths`.
        """
        del name

        def make(_: int, dtype: DType | None) -> Partition:
            return partition.from_row_lengths(row_lengths, validate, dtype)

        return cls._made("from_row_lengths", values, validate, make)

    @classmethod
    def from_row_starts(cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True) -> Self:
        """The ragged tensor whose row i holds `values` from `row_starts[i]` to the start of the next row.

        Shapes: [n, *dims], [rows] -> [rows, (ragged), *dims].
        Dtypes: values any -> same; row_starts int32 or int64.
        Raises: with `validate`, InvalidArgumentError if the starts do not increase from 0 to at most n.
        Source: TF 2.21 `tf.RaggedTensor.from_row_starts`.
        """
        del name

        def make(size: int, dtype: DType | None) -> Partition:
            return partition.from_row_starts(row_starts, size, validate, dtype)

        return cls._made("from_row_starts", values, validate, make)

    @classmethod
    def from_row_limits(cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True) -> Self:
        """The ragged tensor whose row i holds `values` from the end of the row before to `row_limits[i]`.

        Shapes: [n, *dims], [rows] -> [rows, (ragged), *dims].
        Dtypes: values any -> same; row_limits int32 or int64.
        Raises: with `validate`, InvalidArgumentError if the limits do not increase to n.
        Source: TF 2.21 `tf.RaggedTensor.from_row_limits`.
        """
        del name

        def make(_: int, dtype: DType | None) -> Partition:
            return partition.from_row_limits(row_limits, validate, dtype)

        return cls._made("from_row_limits", values, validate, make)

    @classmethod
    def from_value_rowids(
        cls, values: Any, value_rowids: Any, nrows: Any = None, name: str | None = None, validate: bool = True
    ) -> Self:
        """The ragged tensor with `values[k]` in the row `value_rowids[k]`, of `nrows` rows (as many as needed if None).

        Shapes: [n, *dims], [n] -> [nrows, (ragged), *dims].
        Dtypes: values any -> same; value_rowids int32 or int64.
        Raises: ValueError if the number of row ids or rows does not fit; InvalidArgumentError if row ids decrease.
        Source: TF 2.21 `tf.RaggedTensor.from_value_rowids`.
        """
        del name

        def make(size: int, dtype: DType | None) -> Partition:
            rowids = partition.positions("value_rowids", value_rowids, dtype)
            if rowids._aval.size != size:
                raise ValueError(
                    f"tf.RaggedTensor.from_value_rowids: Shapes ({size},) and {rowids.shape} are incompatible."
                )
            return partition.from_value_rowids(rowids, nrows, validate)

        return cls._made("from_value_rowids", values, validate, make)

    @classmethod
    def from_uniform_row_length(
        cls, values: Any, uniform_row_length: Any, nrows: Any = None, validate: bool = True, name: str | None = None
    ) -> Self:
        """The ragged tensor of `nrows` rows with `uniform_row_length` of `values` each.

        Shapes: [n, *dims] -> [nrows, uniform_row_length, *dims].
        Dtypes: any -> same.
        Raises: ValueError if the length does not divide n.
        Source: TF 2.21 `tf.RaggedTensor.from_uniform_row_length`.
        """
        del name

        def make(size: int, dtype: DType | None) -> Partition:
            return partition.from_uniform_row_length(uniform_row_length, size, nrows, validate, dtype)

        return cls._made("from_uniform_row_length", values, validate, make)

    @classmethod
    def from_nested_row_splits(
        cls, flat_values: Any, nested_row_splits: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """The ragged tensor of `flat_values` with a row_splits for each ragged axis, the outermost first.

        Shapes: [n, *dims] -> [rows, (ragged), ..., *dims].
        Dtypes: any -> same.
        Raises: TypeError if nested_row_splits is not a list; else as `from_row_splits`.
        Source: TF 2.21 `tf.RaggedTensor.from_nested_row_splits`.
        """
        del name
        for splits in reversed(_levels("nested_row_splits", nested_row_splits)):
            flat_values = cls.from_row_splits(flat_values, splits, validate=validate)
        return flat_values

    @classmethod
    def from_nested_row_lengths(
        cls, flat_values: Any, nested_row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> Any:
        """The ragged tensor of `flat_values` with a row_lengths for each ragged axis, the outermost first.

        Shapes: [n, *dims] -> [rows, (ragged), ..., *dims].
        Dtypes: any -> same.
        Raises: TypeError if nested_row_lengths is not a list; else as `from_row_lengths`.
        Source: TF 2.21 `tf.RaggedTensor.from_nested_row_lengths`.
        """
        del name
        for lengths in reversed(_levels("nested_row_lengths", nested_row_lengths)):
            flat_values = cls.from_row_lengths(flat_values, lengths, validate=validate)
        return flat_values

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """The ragged tensor of `flat_values` with value_rowids for each ragged axis, the outermost first.

        Shapes: [n, *dims] -> [rows, (ragged), ..., *dims].
        Dtypes: any -> same.
        Raises: TypeError if nested_value_rowids is not a list; ValueError if nested_nrows has another length.
        Source: TF 2.21 `tf.RaggedTensor.from_nested_value_rowids`.
        """
        del name
        levels = _levels("nested_value_rowids", nested_value_rowids)
        counts = [None] * len(levels) if nested_nrows is None else _levels("nested_nrows", nested_nrows)
        if len(counts) != len(levels):
            raise ValueError(
                f"tf.RaggedTensor.from_nested_value_rowids: nested_nrows must have the length of nested_value_rowids, "
                f"{len(levels)}, got {len(counts)}."
            )
        for rowids, nrows in zip(reversed(levels), reversed(counts), strict=True):
            flat_values = cls.from_value_rowids(flat_values, rowids, nrows, validate=validate)
        return flat_values

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = int64,
    ) -> Any:
        """The rows of `tensor` as a ragged tensor, cut to `lengths`, or without the `padding` at their ends.

        Shapes: [rows, n, *dims] -> [rows, (ragged), *dims].
        Dtypes: any -> same; row splits of row_splits_dtype.
        Raises: ValueError if ragged_rank does not fit the rank of tensor, both lengths and padding are given, or
          row_splits_dtype is not int32 or int64.
        Source: TF 2.21 `tf.RaggedTensor.from_tensor`.
        """
        del name
        dtype = partition.index_dtype("from_tensor", row_splits_dtype)
        return cls._of(*unpadded(convert_to_tensor(tensor), lengths, padding, int(ragged_rank), dtype))


def _levels(parameter: str, levels: Any) -> Sequence[Any]:
    if isinstance(levels, Tensor):
        raise TypeError(f"tf.RaggedTensor: {parameter} must be a list of tensors, got {levels}.")
    return levels


def count(values: Any) -> int:
    """The number of rows of a tensor or a ragged tensor."""
    return values._row_partition.nrows if isinstance(values, Rows) else values._aval.shape[0]
