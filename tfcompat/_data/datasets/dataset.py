"""`tf.data.Dataset`: what users hold of a dataset."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._data.blocks.dataset_spec import require_eager
from tfcompat._data.blocks.options import Options
from tfcompat._data.datasets.dataset_batch import Batching
from tfcompat._data.datasets.dataset_function import Functions
from tfcompat._data.datasets.dataset_order import Ordering
from tfcompat._data.datasets.dataset_source import Sources, made
from tfcompat._data.datasets.dataset_storage import Storing
from tfcompat._data.datasets.iterator import NumpyIterator, OwnedIterator
from tfcompat._data.functional.reading import cardinality, single_element
from tfcompat._data.nodes.node import INFINITE, UNKNOWN, Node
from tfcompat._data.nodes.optioned import Optioned
from tfcompat._data.storage.fingerprint import fingerprint


class Dataset(Sources, Ordering, Batching, Functions, Storing, is_public=True):
    """A sequence of elements, each a structure of tensors of the type `element_spec`.

    It is made by functions such as `tf.data.Dataset.from_tensor_slices`; methods return new datasets. Nothing is read
    before it is iterated over, and each iterator starts at the first element.

    Raises: TypeError if it is called.
    Source: TF 2.21 `tf.data.Dataset`.
    """

    def __init__(self, variant_tensor: Any) -> None:
        del variant_tensor
        raise TypeError(
            "Can't instantiate abstract class Dataset; use a function such as tf.data.Dataset.from_tensor_slices."
        )

    @classmethod
    def _of(cls, node: Node) -> Self:
        """The dataset of `node`. Not public."""
        dataset = object.__new__(cls)
        dataset._node = node
        return dataset

    @property
    def element_spec(self) -> Any:
        """The type of an element: a structure of specs."""
        return self._node.structure.spec

    def cardinality(self) -> Tensor:
        """The number of elements, `tf.data.INFINITE_CARDINALITY` or `tf.data.UNKNOWN_CARDINALITY`.

        Shapes: -> [].
        Dtypes: -> int64.
        Source: TF 2.21 `tf.data.Dataset.cardinality`.
        """
        return cardinality(self._node)

    def fingerprint(self) -> Tensor:
        """A number that is the same for datasets that are made in the same way, also in another process.

        Functions of elements count with their traces, so with the values of constants, but not of variables and tables.
        Generators and functions that are called as Python count with their code and the plain values that they refer
        to. The content of files does not count.

        Shapes: -> [].
        Dtypes: -> uint64; other numbers than TensorFlow's.
        Source: TF 2.21 `tf.data.Dataset.fingerprint`.
        """
        return Tensor(np.array(fingerprint(self._node), np.uint64))

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator that gives NumPy's scalars and arrays, which cannot be written to.

        Raises: TypeError for datasets of datasets; NotImplementedError in a function that is being traced.
        Source: TF 2.21 `tf.data.Dataset.as_numpy_iterator`.
        """
        require_eager("as_numpy_iterator")
        return NumpyIterator(self)

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element.

        Raises: InvalidArgumentError if the dataset is empty or has more than one element.
        Source: TF 2.21 `tf.data.Dataset.get_single_element`.
        """
        del name
        return single_element(self._node)

    def apply(self, transformation_func: Any) -> Any:
        """`transformation_func(self)`. Raises TypeError unless it returns a dataset.

        Source: TF 2.21 `tf.data.Dataset.apply`.
        """
        found = transformation_func(self)
        if not isinstance(found, Dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(found)}.")
        return found

    def options(self) -> Options:
        """The options of this dataset and of those that it was made of; they cannot be changed.

        Source: TF 2.21 `tf.data.Dataset.options`.
        """
        return self._node.options._frozen()

    def with_options(self, options: Any, name: str | None = None) -> Any:
        """This dataset with `options`, which win over those that it has.

        Source: TF 2.21 `tf.data.Dataset.with_options`.
        """
        del name
        return made(Optioned(self._node, options))

    def __iter__(self) -> OwnedIterator:
        require_eager("__iter__")
        return OwnedIterator(self._node)

    def __len__(self) -> int:
        count = self._node.cardinality
        if count == INFINITE:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return count

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{self._node.label} element_spec={self.element_spec}>"
