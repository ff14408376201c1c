"""The functions of `tf.compat.v1.data.experimental` that differ from those of `tf.data.experimental`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._data.datasets import example_dataset, function_twin, twin
from tfcompat._data.datasets.csv import dataset as csv_dataset
from tfcompat._data.datasets.csv import making as csv_making
from tfcompat._first_version.dataset import Dataset, of_first_version
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.sparse.tensor import SparseTensorSpec

Counter = of_first_version(twin.Counter)
choose_from_datasets = of_first_version(twin.choose_from_datasets)
make_batched_features_dataset = of_first_version(example_dataset.make_batched_features_dataset)
make_csv_dataset = of_first_version(csv_making.make_csv_dataset)
sample_from_datasets = of_first_version(twin.sample_from_datasets)


class CsvDataset(csv_dataset.CsvDataset, Dataset):
    """As `tf.data.experimental.CsvDataset`. Source: TF 2.21 `tf.compat.v1.data.experimental.CsvDataset`."""


class RandomDataset(twin.RandomDataset, Dataset):
    """As `tf.data.experimental.RandomDataset`. Source: TF 2.21 `tf.compat.v1.data.experimental.RandomDataset`."""


def map_and_batch_with_legacy_function(
    map_func: Any,
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Callable[[Any], Any]:
    """As `tf.data.experimental.map_and_batch`.

    Source: TF 2.21 `tf.compat.v1.data.experimental.map_and_batch_with_legacy_function`.
    """
    return function_twin.map_and_batch(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls)


def TensorStructure(dtype: Any, shape: Any) -> TensorSpec:  # TensorFlow's name
    """The type of tensors. Source: TF 2.21 `tf.compat.v1.data.experimental.TensorStructure`."""
    return TensorSpec(shape, dtype)


def SparseTensorStructure(dtype: Any, shape: Any) -> SparseTensorSpec:  # TensorFlow's name
    """The type of sparse tensors. Source: TF 2.21 `tf.compat.v1.data.experimental.SparseTensorStructure`."""
    return SparseTensorSpec(shape, dtype)


def RaggedTensorStructure(dtype: Any, shape: Any, ragged_rank: Any) -> RaggedTensorSpec:  # TensorFlow's name
    """The type of ragged tensors. Source: TF 2.21 `tf.compat.v1.data.experimental.RaggedTensorStructure`."""
    return RaggedTensorSpec(shape, dtype, ragged_rank)
