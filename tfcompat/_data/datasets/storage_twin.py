"""The functions of `tf.data.experimental` that write datasets to files, and that make tables of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.types.dtype import INTEGER, DType, as_dtype, int64, string
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.blocks.block import joined
from tfcompat._data.blocks.growth import Growth
from tfcompat._data.datasets.dataset import Dataset
from tfcompat._data.datasets.twin import Transformation, assert_cardinality
from tfcompat._data.format.record_writer import TFRecordOptions
from tfcompat._data.format.record_writer import TFRecordWriter as FileWriter
from tfcompat._state.static_table import StaticHashTable, StaticVocabularyTable
from tfcompat._state.table_initializer import KeyValueTensorInitializer


class HasherSpec(NamedTuple):
    """A hash function of keys: its name, and its key."""

    hasher: str
    key: Any


_FAST = HasherSpec("fasthash", None)


def save(dataset: Any, path: Any, compression: Any = None, shard_func: Any = None, checkpoint_args: Any = None) -> None:
    """As `tf.data.Dataset.save`. Source: TF 2.21 `tf.data.experimental.save`."""
    dataset.save(path, compression, shard_func, checkpoint_args)


def load(path: Any, element_spec: Any = None, compression: Any = None, reader_func: Any = None) -> Any:
    """As `tf.data.Dataset.load`. Source: TF 2.21 `tf.data.experimental.load`."""
    return Dataset.load(path, element_spec, compression, reader_func)


def snapshot(path: Any, compression: Any = "AUTO", reader_func: Any = None, shard_func: Any = None) -> Transformation:
    """As `tf.data.Dataset.snapshot`. Source: TF 2.21 `tf.data.experimental.snapshot`."""
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


class TFRecordWriter:
    """Writes datasets of strings to the file `filename`, compressed as `compression_type`: "GZIP", "ZLIB", or not.

    Source: TF 2.21 `tf.data.experimental.TFRecordWriter`.
    """

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._filename = filename
        self._options = TFRecordOptions(compression_type)

    def write(self, dataset: Any) -> None:
        """Writes the elements of `dataset`, in place of the file's earlier content.

        Raises: TypeError unless it is a dataset of scalar strings; the errors of its elements and of the file.
        """
        if not isinstance(dataset, Dataset):
            raise TypeError(f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}.")
        spec = dataset.element_spec
        if not (isinstance(spec, TensorSpec) and spec.dtype is string and spec.shape.is_compatible_with([])):
            raise TypeError(
                "Invalid `dataset`. Expected a`dataset` that produces scalar `tf.string` elements, but got a dataset "
                f"which produces elements of the type {spec}."
            )
        with FileWriter(self._filename, self._options) as writer:
            for record in dataset.as_numpy_iterator():
                writer.write(record)


class DatasetInitializer:
    """Keys and values from the elements of `dataset`, which are pairs of scalars.

    Raises: ValueError for other elements.
    Source: TF 2.21 `tf.data.experimental.DatasetInitializer`.
    """

    def __init__(self, dataset: Any) -> None:
        self._specs = _pair_of(dataset)
        self._node = dataset._node

    @property
    def key_dtype(self) -> DType:
        """The dtype of keys."""
        return self._specs[0].dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of values."""
        return self._specs[1].dtype

    def initialize(self, table: Any) -> None:
        """Fills `table`. Raises the errors of the elements; FailedPreconditionError if a key has two values."""
        cursor, growth = self._node.cursor(), Growth(self._node.is_pure)
        blocks = []
        while (block := cursor.read(growth.number)) is not None:
            growth.saw(block)
            blocks.append(block)
        empty = [np.empty(0, spec.dtype.as_numpy_dtype) for spec in self._specs]
        keys, values = joined(blocks).columns if blocks else empty
        KeyValueTensorInitializer(keys, values, self.key_dtype, self.value_dtype).initialize(table)


def table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: Any = 0,
    vocab_size: Any = None,
    default_value: Any = None,
    hasher_spec: Any = _FAST,
    key_dtype: Any = string,
    name: str | None = None,
) -> Any:
    """A table from the keys to the values of a dataset of pairs, of which the first `vocab_size` are taken.

    Other keys have `default_value`, or one of `num_oov_buckets` numbers beyond the number of pairs.

    Raises: ValueError for other elements, and numbers that are not positive; TypeError for other dtypes;
      FailedPreconditionError if there are fewer pairs; NotImplementedError for `hasher_spec`.
    Source: TF 2.21 `tf.data.experimental.table_from_dataset`.
    """
    key, value = _pair_of(dataset)
    if hasher_spec != _FAST:
        raise NotImplementedError(
            "tf.data.experimental.table_from_dataset: hasher_spec is not supported; leave it out."
        )
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    wanted = as_dtype(key_dtype)
    if wanted is not string and wanted not in INTEGER:
        raise TypeError(f"`key_dtype` must be either an integer or string type, but got {wanted!r}")
    if wanted is not key.dtype:
        raise TypeError(f"The key type of the dataset must be {wanted!r}, but it is {key.dtype!r}.")
    if num_oov_buckets and value.dtype is not int64:
        raise TypeError(f"With `num_oov_buckets`, values must be int64, but they are {value.dtype!r}.")
    if vocab_size is not None:
        dataset = dataset.take(vocab_size).apply(assert_cardinality(vocab_size))
    initializer = DatasetInitializer(dataset)
    if num_oov_buckets:
        return StaticVocabularyTable(initializer, num_oov_buckets, key.dtype, name)
    return StaticHashTable(initializer, default_value, name)


def index_table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: Any = 0,
    vocab_size: Any = None,
    default_value: Any = -1,
    hasher_spec: Any = _FAST,
    key_dtype: Any = string,
    name: str | None = None,
) -> Any:
    """A table from the elements of a dataset to their numbers. For the arguments see `table_from_dataset`.

    Source: TF 2.21 `tf.data.experimental.index_table_from_dataset`.
    """
    pairs = Dataset.zip((dataset, Dataset.counter()))
    return table_from_dataset(pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name)


def _pair_of(dataset: Any) -> tuple[Any, Any]:
    """The types of keys and values. Raises ValueError unless elements are pairs of scalars."""
    spec = dataset.element_spec
    is_pair = isinstance(spec, tuple) and len(spec) == 2
    if not is_pair or any(not isinstance(each, TensorSpec) or each.shape != TensorShape([]) for each in spec):
        raise ValueError(f"Expected a dataset of pairs of scalars, keys and values, but its elements are {spec}.")
    return spec
