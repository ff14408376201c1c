"""The descriptions of features that the parsers of examples take: `tf.io.FixedLenFeature` and the like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

from tfcompat._core.types.dtype import as_dtype, float32, int32, int64, string


class FixedLenFeature(NamedTuple):
    """A feature that has as many values in each example as a tensor of `shape` has.

    Without a `default_value` every example must have it.

    Source: TF 2.21 `tf.io.FixedLenFeature`.
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of blocks of `shape`; in a batch, `default_value` fills the missing ones.

    Source: TF 2.21 `tf.io.FixedLenSequenceFeature`.
    """

    shape: Any
    dtype: Any
    allow_missing: Any = False
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature of any number of values, which becomes a sparse tensor.

    Source: TF 2.21 `tf.io.VarLenFeature`.
    """

    dtype: Any


class SparseFeature(NamedTuple):
    """The values of the feature `value_key` in a sparse tensor, at the positions that the features `index_key` hold.

    Source: TF 2.21 `tf.io.SparseFeature`.
    """

    index_key: Any
    value_key: Any
    dtype: Any
    size: Any
    already_sorted: Any = False


class RowSplits(NamedTuple):
    """The feature `key` has the splits of the rows."""

    key: Any


class RowLengths(NamedTuple):
    """The feature `key` has the lengths of the rows."""

    key: Any


class RowStarts(NamedTuple):
    """The feature `key` has the positions at which the rows begin."""

    key: Any


class RowLimits(NamedTuple):
    """The feature `key` has the positions at which the rows end."""

    key: Any


class ValueRowIds(NamedTuple):
    """The feature `key` has the number of the row of each value."""

    key: Any


class UniformRowLength(NamedTuple):
    """All rows have `length` values."""

    length: Any


Partition = RowSplits | RowLengths | RowStarts | RowLimits | ValueRowIds | UniformRowLength
_PARTITIONS = (RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds, UniformRowLength)


# Pickles find the classes under their public names.
for _partition in _PARTITIONS:
    _partition.__module__, _partition.__qualname__ = "tfcompat.io", f"RaggedFeature.{_partition.__name__}"


class _RaggedFields(NamedTuple):
    dtype: Any
    value_key: Any
    partitions: Any
    row_splits_dtype: Any
    validate: Any


class RaggedFeature(_RaggedFields):
    """The values of the feature `value_key` in a ragged tensor, divided by `partitions`, the outermost first.

    Raises: ValueError for another dtype or an empty key; TypeError for partitions of other classes.
    Source: TF 2.21 `tf.io.RaggedFeature`.
    """

    __slots__ = ()

    RowSplits: ClassVar[type[Any]] = RowSplits
    RowLengths: ClassVar[type[Any]] = RowLengths
    RowStarts: ClassVar[type[Any]] = RowStarts
    RowLimits: ClassVar[type[Any]] = RowLimits
    ValueRowIds: ClassVar[type[Any]] = ValueRowIds
    UniformRowLength: ClassVar[type[Any]] = UniformRowLength

    def __new__(
        cls,
        dtype: Any,
        value_key: Any = None,
        partitions: Any = (),
        row_splits_dtype: Any = int32,
        validate: bool = False,
    ) -> Self:
        """The description of a feature."""
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(f"tf.io.RaggedFeature: Argument `value_key` must be a string; got {value_key}")
        if value_key == "":
            raise ValueError("tf.io.RaggedFeature: Argument `value_key` must not be empty")
        values, splits = as_dtype(dtype), as_dtype(row_splits_dtype)
        if values not in (int64, float32, string):
            raise ValueError(f"tf.io.RaggedFeature: Argument `dtype` must be int64, float32, or bytes; got {values!r}")
        if splits not in (int32, int64):
            raise ValueError(f"tf.io.RaggedFeature: Argument `row_splits_dtype` must be int32 or int64; got {splits!r}")
        if not isinstance(partitions, list | tuple):
            raise TypeError(
                f"tf.io.RaggedFeature: Argument `partitions` must be a list or tuple. Received partitions={partitions} "
                f"of type {type(partitions).__name__}."
            )
        _require_partitions(partitions)
        if not isinstance(validate, bool):
            raise TypeError(f"tf.io.RaggedFeature: Argument `validate` must be a bool; got {validate!r}")
        return super().__new__(cls, values, value_key, tuple(partitions), splits, validate)


def _require_partitions(partitions: Sequence[Any]) -> None:
    for partition in partitions:
        if not isinstance(partition, _PARTITIONS):
            raise TypeError(
                "tf.io.RaggedFeature: Argument `partitions` must have elements such as "
                f"tf.io.RaggedFeature.RowSplits; got: {partition!r} with type {type(partition)}"
            )
