"""`tf.compat.v1.data.Dataset`: datasets with the iterators and the properties of TensorFlow 1."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.types.dtype import int64
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.dataset_spec import require_eager
from tfcompat._data.blocks.host_value import HostSparse
from tfcompat._data.blocks.nesting import mapped
from tfcompat._data.blocks.structure import Structure, read_component
from tfcompat._data.datasets import file_dataset, record_dataset
from tfcompat._data.datasets.dataset import Dataset as SecondDataset
from tfcompat._data.datasets.iterator import element_spec_of
from tfcompat._data.nodes.node import Node
from tfcompat._data.nodes.source import Held

_MAKERS = [
    "choose_from_datasets",
    "counter",
    "from_generator",
    "from_tensor_slices",
    "from_tensors",
    "list_files",
    "load",
    "random",
    "range",
    "sample_from_datasets",
    "zip",
]
_METHODS = [
    "apply",
    "batch",
    "bucket_by_sequence_length",
    "cache",
    "concatenate",
    "enumerate",
    "filter",
    "flat_map",
    "group_by_window",
    "ignore_errors",
    "interleave",
    "map",
    "padded_batch",
    "prefetch",
    "ragged_batch",
    "rebatch",
    "rejection_resample",
    "repeat",
    "scan",
    "shard",
    "shuffle",
    "skip",
    "sparse_batch",
    "take",
    "take_while",
    "unbatch",
    "unique",
    "window",
    "with_options",
]


def of_first_version(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with a `tf.compat.v1.data.Dataset` in place of the dataset that it returns."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        is_second = isinstance(found, SecondDataset) and not isinstance(found, Dataset)
        return Dataset._of(found._node) if is_second else found

    return call


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of the components. Raises TypeError for anything else than a dataset or an iterator.

    Source: TF 2.21 `tf.compat.v1.data.get_output_types`.
    """
    return mapped(lambda spec: getattr(spec, "dtype", spec), element_spec_of(dataset_or_iterator))


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of the components. Raises TypeError for anything else than a dataset or an iterator.

    Source: TF 2.21 `tf.compat.v1.data.get_output_shapes`.
    """
    return mapped(lambda spec: getattr(spec, "shape", spec), element_spec_of(dataset_or_iterator))


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of the components. Raises TypeError for anything else than a dataset or an iterator.

    Source: TF 2.21 `tf.compat.v1.data.get_output_classes`.
    """
    return mapped(lambda spec: spec.value_type, element_spec_of(dataset_or_iterator))


def make_one_shot_iterator(dataset: Any) -> Any:
    """`iter(dataset)`. Source: TF 2.21 `tf.compat.v1.data.make_one_shot_iterator`."""
    require_eager("make_one_shot_iterator")
    return iter(dataset)


def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> NoReturn:
    """Raises RuntimeError: graphs are missing. Source: TF 2.21 `tf.compat.v1.data.make_initializable_iterator`."""
    del dataset, shared_name
    raise RuntimeError(
        "`make_initializable_iterator()` is not supported in eager mode. Use Python-style iteration instead."
    )


class _First(SecondDataset):
    """The methods that only datasets of TensorFlow 1 have."""

    def __init__(self) -> None:
        raise TypeError(
            "Can't instantiate abstract class Dataset; use a function such as "
            "tf.compat.v1.data.Dataset.from_tensor_slices."
        )

    @property
    def output_types(self) -> Any:
        """The dtypes of the components."""
        return get_output_types(self)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the components."""
        return get_output_shapes(self)

    @property
    def output_classes(self) -> Any:
        """The classes of the components."""
        return get_output_classes(self)

    def make_one_shot_iterator(self) -> Any:
        """`iter(self)`. Source: TF 2.21 `tf.compat.v1.data.Dataset.make_one_shot_iterator`."""
        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> NoReturn:
        """Raises RuntimeError. Source: TF 2.21 `tf.compat.v1.data.Dataset.make_initializable_iterator`."""
        make_initializable_iterator(self, shared_name)

    def map_with_legacy_function(self, map_func: Any, num_parallel_calls: Any = None, deterministic: Any = None) -> Any:
        """As `map`. Source: TF 2.21 `tf.compat.v1.data.Dataset.map_with_legacy_function`."""
        return Dataset._of(self.map(map_func, num_parallel_calls, deterministic)._node)

    def filter_with_legacy_function(self, predicate: Any) -> Any:
        """As `filter`. Source: TF 2.21 `tf.compat.v1.data.Dataset.filter_with_legacy_function`."""
        return Dataset._of(self.filter(predicate)._node)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Any:
        """The rows of a sparse tensor, as triples of coordinates, values, and shape.

        Raises: TypeError for another value.
        Source: TF 2.21 `tf.compat.v1.data.Dataset.from_sparse_tensor_slices`.
        """
        spec, value = read_component(sparse_tensor)
        if not isinstance(value, HostSparse):
            raise TypeError(
                "Invalid `sparse_tensor`. `sparse_tensor` must be a `tf.sparse.SparseTensor`. Got "
                f"{type(sparse_tensor)}."
            )
        return Dataset._of(_triples(spec, value))


def _triples(spec: Any, value: HostSparse) -> Node:
    rank = None if spec.shape.rank is None else spec.shape.rank - 1
    structure = Structure((TensorSpec([None, rank], int64), TensorSpec([None], spec.dtype), TensorSpec([rank], int64)))
    rows = value.rows()
    columns = tuple(map(list, zip(*rows, strict=True)))
    return Held("_SparseTensorSliceDataset", structure, Block(columns, len(rows)) if rows else None)


_INHERITED: dict[str, Any] = {
    **{name: staticmethod(of_first_version(getattr(SecondDataset, name))) for name in _MAKERS},
    **{name: of_first_version(getattr(SecondDataset, name)) for name in _METHODS},
}
Dataset: Any = type(
    "Dataset",
    (_First,),
    {
        **_INHERITED,
        "__module__": __name__,
        "__doc__": "A `tf.data.Dataset` with the iterators and the properties of TensorFlow 1.\n\n"
        "Raises: TypeError if it is called.\nSource: TF 2.21 `tf.compat.v1.data.Dataset`.",
    },
)


class TextLineDataset(file_dataset.TextLineDataset, Dataset):
    """As `tf.data.TextLineDataset`. Source: TF 2.21 `tf.compat.v1.data.TextLineDataset`."""


class FixedLengthRecordDataset(file_dataset.FixedLengthRecordDataset, Dataset):
    """As `tf.data.FixedLengthRecordDataset`. Source: TF 2.21 `tf.compat.v1.data.FixedLengthRecordDataset`."""


class TFRecordDataset(record_dataset.TFRecordDataset, Dataset):
    """As `tf.data.TFRecordDataset`. Source: TF 2.21 `tf.compat.v1.data.TFRecordDataset`."""
