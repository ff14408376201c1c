"""The functions of `tf.data.experimental`: most of them are methods of datasets as functions, for `Dataset.apply`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import OutOfRangeError
from tfcompat._core.types.container import is_mapping
from tfcompat._core.types.dtype import int64, string
from tfcompat._data.blocks.dataset_spec import require_eager
from tfcompat._data.blocks.nesting import flatten, mapped
from tfcompat._data.blocks.optional import Optional
from tfcompat._data.datasets.dataset import Dataset
from tfcompat._data.datasets.dataset_source import made
from tfcompat._data.datasets.iterator import element_spec_of
from tfcompat._data.functional.random_number import RandomNumbers
from tfcompat._data.functional.row_access import NoRowsError, rows
from tfcompat._data.functional.shuffling import permuted
from tfcompat._data.nodes import source
from tfcompat._data.nodes.checking import Checked
from tfcompat._data.nodes.node import integer
from tfcompat._data.nodes.zipping import Marked

Transformation = Callable[[Any], Any]
# The number that stands for that of shards, which distributed datasets choose.
SHARD_HINT = -1


class RandomDataset(Dataset):
    """Random int64 numbers, as `tf.data.Dataset.random` gives them.

    Source: TF 2.21 `tf.data.experimental.RandomDataset`.
    """

    def __init__(self, seed: Any = None, rerandomize_each_iteration: Any = None, name: str | None = None) -> None:
        del name
        self._node = RandomNumbers(seed, rerandomize_each_iteration)


def Counter(start: Any = 0, step: Any = 1, dtype: Any = int64) -> Any:  # TensorFlow's name
    """As `tf.data.Dataset.counter`. Source: TF 2.21 `tf.data.experimental.Counter`."""
    return Dataset.counter(start, step, dtype)


def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """A transformation that sets the cardinality; FailedPreconditionError, when it is found, if it is another.

    Source: TF 2.21 `tf.data.experimental.assert_cardinality`.
    """
    return lambda dataset: made(Checked(dataset._node, integer(expected_cardinality, "expected_cardinality")))


def at(dataset: Any, index: Any) -> Any:
    """The element of `dataset` at `index`: by its number where that is possible, else by reading those before it.

    A shuffled dataset has an order of its own here, which does not change.

    Raises: OutOfRangeError if the dataset has fewer elements.
    Source: TF 2.21 `tf.data.experimental.at`.
    """
    require_eager("at")
    place = integer(index, "index")
    node = dataset._node
    block = None
    if place >= 0 and not 0 <= node.cardinality <= place:
        try:
            block = rows(permuted(node), [place])
        except NoRowsError:
            block = dataset.skip(place)._node.cursor().read(1)
    if block is None:
        raise OutOfRangeError.of(f"Index out of range [0, {node.cardinality}):{place}")
    return node.structure.elements(block)[0]


def cardinality(dataset: Any) -> Tensor:
    """As `tf.data.Dataset.cardinality`. Source: TF 2.21 `tf.data.experimental.cardinality`."""
    return dataset.cardinality()


def choose_from_datasets(datasets: Sequence[Any], choice_dataset: Any, stop_on_empty_dataset: bool = False) -> Any:
    """As `tf.data.Dataset.choose_from_datasets`, except for the default of `stop_on_empty_dataset`.

    Source: TF 2.21 `tf.data.experimental.choose_from_datasets`.
    """
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = int64
) -> Transformation:
    """As `tf.data.Dataset.ragged_batch`. Source: TF 2.21 `tf.data.experimental.dense_to_ragged_batch`."""
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Transformation:
    """As `tf.data.Dataset.sparse_batch`. Source: TF 2.21 `tf.data.experimental.dense_to_sparse_batch`."""
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def enumerate_dataset(start: Any = 0) -> Transformation:
    """As `tf.data.Dataset.enumerate`. Source: TF 2.21 `tf.data.experimental.enumerate_dataset`."""
    return lambda dataset: dataset.enumerate(start)


def from_list(elements: Any, name: str | None = None) -> Any:
    """A dataset of the elements of a list.

    Raises: ValueError if it is empty; TypeError if the elements have no common type.
    Source: TF 2.21 `tf.data.experimental.from_list`.
    """
    del name
    return made(source.from_list(elements))


def get_next_as_optional(iterator: Any) -> Optional:
    """As `get_next_as_optional` of an iterator. Source: TF 2.21 `tf.data.experimental.get_next_as_optional`."""
    return iterator.get_next_as_optional()


def get_single_element(dataset: Any) -> Any:
    """As `tf.data.Dataset.get_single_element`. Source: TF 2.21 `tf.data.experimental.get_single_element`."""
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The type of the elements of a dataset or an iterator. Raises TypeError for anything else.

    Source: TF 2.21 `tf.data.experimental.get_structure`.
    """
    return element_spec_of(dataset_or_iterator)


def ignore_errors(log_warning: Any = False) -> Transformation:
    """As `tf.data.Dataset.ignore_errors`. Source: TF 2.21 `tf.data.experimental.ignore_errors`."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Transformation:
    """A transformation that appends zeros up to `cardinality` elements, and a component `mask_key`: False for those.

    Raises: ValueError unless elements are dictionaries of dense tensors of known shape without that key, fewer than
      `cardinality`, and their number is known.
    Source: TF 2.21 `tf.data.experimental.pad_to_cardinality`.
    """

    def padded(dataset: Any) -> Any:
        spec, count = dataset.element_spec, dataset._node.cardinality
        if not is_mapping(type(spec)):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        if mask_key in spec:
            raise ValueError(f"tf.data.experimental.pad_to_cardinality: elements already have the key {mask_key!r}.")
        parts = flatten(spec)
        if not all(isinstance(part, TensorSpec) and part.shape.is_fully_defined() for part in parts):
            raise ValueError(f"tf.data.experimental.pad_to_cardinality: shapes must be known, got {spec}.")
        missing = integer(cardinality, "cardinality") - count
        if count < 0 or missing < 0:
            raise ValueError(
                f"tf.data.experimental.pad_to_cardinality: the dataset must have a known number of elements, at most "
                f"{cardinality}, got {count}."
            )
        zeros = Dataset.from_tensors(mapped(_zero, spec)).repeat(missing)
        return _marked(dataset, mask_key, True).concatenate(_marked(zeros, mask_key, False))

    return padded


def _zero(spec: TensorSpec) -> Any:
    dims: Any = spec.shape.as_list()
    return np.full(dims, b"" if spec.dtype is string else 0, spec.dtype.as_numpy_dtype)


def _marked(dataset: Any, key: str, is_valid: bool) -> Any:
    return made(Marked(dataset._node, Dataset.from_tensors(is_valid).repeat()._node, key))


def sample_from_datasets(
    datasets: Sequence[Any], weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> Any:
    """As `tf.data.Dataset.sample_from_datasets`. Source: TF 2.21 `tf.data.experimental.sample_from_datasets`."""
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """`shuffle` and then `repeat`. Source: TF 2.21 `tf.data.experimental.shuffle_and_repeat`."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def unbatch() -> Transformation:
    """As `tf.data.Dataset.unbatch`. Source: TF 2.21 `tf.data.experimental.unbatch`."""
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """As `tf.data.Dataset.unique`. Source: TF 2.21 `tf.data.experimental.unique`."""
    return lambda dataset: dataset.unique()
