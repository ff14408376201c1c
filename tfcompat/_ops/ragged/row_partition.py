"""Partitions into rows as objects: `tf.experimental.RowPartition`."""

from __future__ import annotations

from typing import Any, NoReturn, Self

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import DType, as_dtype, int32, int64
from tfcompat._ops.array.creation import range as numbers
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.array.indexing import getitem
from tfcompat._ops.array.known import known
from tfcompat._ops.ragged import partition
from tfcompat._ops.ragged.partition import Partition
from tfcompat._ops.ragged.shape_spec import RowPartitionSpec

_NAME = "tf.experimental.RowPartition"


class RowPartition:
    """A partition of a sequence of values into consecutive rows; it does not contain the values.

    In a function that is being traced, `value_rowids` and `offsets_in_rows` need a known number of values.

    Source: TF 2.21 `tf.experimental.RowPartition`.
    """

    __slots__ = ("_nvals", "_rows")

    _rows: Partition
    # The number of values, if it is known.
    _nvals: int | None

    def __init__(
        self,
        row_splits: Any,
        row_lengths: Any = None,
        value_rowids: Any = None,
        nrows: Any = None,
        uniform_row_length: Any = None,
        nvals: Any = None,
        internal: bool = False,
    ) -> NoReturn:
        """Raises ValueError: a partition is made by the class methods."""
        del row_splits, row_lengths, value_rowids, nrows, uniform_row_length, nvals, internal
        raise ValueError(f"{_NAME}: the constructor is private; use a class method such as from_row_lengths.")

    @classmethod
    def _of(cls, rows: Partition, nvals: int | None = None) -> Self:
        made = object.__new__(cls)
        made._rows = rows
        made._nvals = nvals if rows.uniform is None else rows.uniform * rows.nrows
        return made

    @classmethod
    def from_row_splits(
        cls, row_splits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """The partition whose row i holds the values from `row_splits[i]` to `row_splits[i + 1]`.

        Raises: ValueError if they are empty, or not a vector of `dtype` (int32 or int64); with `validate`,
          InvalidArgumentError if they do not increase from 0.
        """
        given, hint = _typed(row_splits, dtype, dtype_hint)
        return cls._of(partition.from_row_splits(given, validate, hint))

    @classmethod
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """The partition into rows of `row_lengths`.

        Raises: ValueError if they are not a vector of `dtype`; with `validate`, InvalidArgumentError if one is
          negative.
        """
        given, hint = _typed(row_lengths, dtype, dtype_hint)
        return cls._of(partition.from_row_lengths(given, validate, hint))

    @classmethod
    def from_row_starts(
        cls, row_starts: Any, nvals: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """The partition of `nvals` values into rows that begin at `row_starts`.

        Raises: ValueError if they are not a vector of `dtype`; with `validate`, InvalidArgumentError if they do not
          increase from 0 to at most `nvals`.
        """
        given, hint = _typed(row_starts, dtype, dtype_hint)
        return cls._of(partition.from_row_starts(given, _count("nvals", nvals), validate, hint))

    @classmethod
    def from_row_limits(
        cls, row_limits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """The partition into rows that end before `row_limits`.

        Raises: ValueError if they are not a vector of `dtype`; with `validate`, InvalidArgumentError if they decrease.
        """
        given, hint = _typed(row_limits, dtype, dtype_hint)
        return cls._of(partition.from_row_limits(given, validate, hint))

    @classmethod
    def from_value_rowids(
        cls, value_rowids: Any, nrows: Any = None, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """The partition into `nrows` rows (as many as needed if None) of values in the rows `value_rowids`.

        Raises: ValueError if there are too few rows; with `validate`, InvalidArgumentError if the row ids decrease.
        """
        given, hint = _typed(value_rowids, dtype, dtype_hint)
        rowids = partition.positions("value_rowids", given, hint)
        return cls._of(partition.from_value_rowids(rowids, nrows, validate), rowids._aval.size)

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: Any,
        nvals: Any = None,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:
        """The partition of `nvals` values into `nrows` rows of `uniform_row_length`; one of the numbers may be None.

        Raises: ValueError if both are None, or the numbers do not match.
        """
        if nvals is None and nrows is None:
            raise ValueError(f"{_NAME}.from_uniform_row_length: nvals, nrows or both must be specified.")
        given, hint = _typed(uniform_row_length, dtype, dtype_hint)
        length = _count("uniform_row_length", given)
        total = length * _count("nrows", nrows) if nvals is None else _count("nvals", nvals)
        return cls._of(partition.from_uniform_row_length(given, total, nrows, validate, hint))

    @property
    def dtype(self) -> DType:
        """The dtype of row splits, lengths and numbers."""
        return self._rows.dtype

    @property
    def static_nrows(self) -> int:
        """The number of rows."""
        return self._rows.nrows

    @property
    def static_nvals(self) -> int | None:
        """The number of values if it is known, from a uniform row length or from the row of each value; else None."""
        return self._nvals

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of every row if the partition was made with one length, else None."""
        return self._rows.uniform

    def is_uniform(self) -> bool:
        """Whether the partition was made with one length for all rows."""
        return self._rows.uniform is not None

    def row_splits(self) -> Tensor:
        """The starts and ends of rows: one more than there are rows."""
        return self._rows.splits

    def row_lengths(self) -> Tensor:
        """The length of each row."""
        return self._rows.lengths()

    def row_starts(self) -> Tensor:
        """The start of each row."""
        return getitem(self._rows.splits, slice(None, -1))

    def row_limits(self) -> Tensor:
        """The end of each row."""
        return getitem(self._rows.splits, slice(1, None))

    def value_rowids(self) -> Tensor:
        """For each value, the index of its row."""
        return self._rows.rowids(self._size())

    def offsets_in_rows(self) -> Tensor:
        """For each value, its position in its row."""
        rowids = self.value_rowids()
        return numbers(rowids._aval.size, dtype=self.dtype) - gather(self.row_starts(), rowids)  # pyright: ignore[reportOperatorIssue]

    def nrows(self) -> Tensor:
        """The number of rows, a scalar."""
        return self._scalar(self._rows.nrows)

    def nvals(self) -> Tensor:
        """The number of values, a scalar."""
        return getitem(self._rows.splits, -1)

    def uniform_row_length(self) -> Tensor | None:
        """The length of every row, a scalar, if the partition was made with one length; else None."""
        return None if self._rows.uniform is None else self._scalar(self._rows.uniform)

    def with_dtype(self, dtype: Any) -> RowPartition:
        """This partition with splits, lengths and numbers of `dtype`. Raises ValueError unless it is int32 or int64."""
        wanted = as_dtype(dtype)
        if wanted not in (int32, int64):
            raise ValueError(f"{_NAME}: dtype must be int32 or int64, got {wanted.name}.")
        return self if wanted is self.dtype else RowPartition._of(self._rows.cast(wanted), self._nvals)

    def _scalar(self, number: int) -> Tensor:
        return Tensor(np.array(number, self.dtype.as_numpy_dtype))

    def _size(self) -> int:
        return int(self._rows.host(_NAME)[-1]) if self._nvals is None else self._nvals

    @property
    def _type_spec(self) -> RowPartitionSpec:
        return RowPartitionSpec(self.static_nrows, self.static_nvals, self.static_uniform_row_length, self.dtype)

    def _deciding(self) -> range:
        """The row splits."""
        return range(1)

    def _flatten_composite(self) -> list[Any]:
        return [self._rows.splits]

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> RowPartition:
        del spec
        return cls._of(Partition(leaves[0]))

    def __repr__(self) -> str:
        if self._rows.uniform is not None:
            return f"tf.RowPartition(nrows={self._rows.nrows}, uniform_row_length={self._rows.uniform})"
        splits = self._rows.splits
        return f"tf.RowPartition(row_splits={splits if splits._is_symbolic() else self._rows.host()})"


def _typed(value: Any, dtype: Any, hint: Any) -> tuple[Any, DType | None]:
    """`value`, converted to `dtype` if that is given, and its dtype after conversion."""
    if dtype is not None:
        return convert_to_tensor(value, dtype), None
    return value, None if hint is None else as_dtype(hint)


def _count(name: str, value: Any) -> int:
    return value if type(value) is int else int(known(convert_to_tensor(value, dtype_hint=int64), f"{_NAME}: {name}"))
