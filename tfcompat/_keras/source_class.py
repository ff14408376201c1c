"""Classes for `isinstance` of the datasets that sources make. TensorFlow has a class for each source."""

from __future__ import annotations

from typing import Any

from tfcompat._data.datasets.dataset import Dataset
from tfcompat._data.nodes.generator import Generated
from tfcompat._data.nodes.node import Node
from tfcompat._data.nodes.source import Held, Progression


class _Source(type):
    """The class of datasets that begin with a node of the class `node`."""

    node: type[Node]

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Dataset) and isinstance(instance._node, cls.node)


class RangeDataset(metaclass=_Source):
    """A dataset of `range`. Source: TF 2.21, `_RangeDataset` of `tensorflow.python.data.ops.range_op`."""

    node = Progression


class GeneratorDataset(metaclass=_Source):
    """A dataset of `from_generator`.

    Source: TF 2.21, `_GeneratorDataset` of `tensorflow.python.data.ops.from_generator_op`.
    """

    node = Generated


class HeldDataset(metaclass=_Source):
    """A dataset of tensors.

    Source: TF 2.21, `_TensorDataset`, `_TensorSliceDataset` and `_SparseTensorSliceDataset` of
      `tensorflow.python.data.ops`.
    """

    node = Held
