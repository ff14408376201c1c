"""The datasets and contexts that strategies hand to a program's input functions."""

from __future__ import annotations

import enum
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfcompat._data.blocks.optional import Optional
from tfcompat._data.datasets.iterator import OwnedIterator
from tfcompat._data.nodes.node import Node
from tfcompat._function.arguments.elemental import Elemental


class InputReplicationMode(enum.Enum):
    """How often a function of datasets is called. Source: TF 2.21 `tf.distribute.InputReplicationMode`."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


@dataclass(frozen=True)
class InputOptions:
    """Options of distributed datasets; with one replica they change nothing.

    Source: TF 2.21 `tf.distribute.InputOptions`.
    """

    experimental_fetch_to_device: bool | None = None
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


def require_whole(options: InputOptions | None) -> None:
    """Raises NotImplementedError if `options` ask for a dataset for each replica: all replicas share one."""
    if options is not None and options.experimental_replication_mode is InputReplicationMode.PER_REPLICA:
        raise NotImplementedError(
            "InputReplicationMode.PER_REPLICA is only supported in `distribute_datasets_from_function` of "
            "tf.distribute.MirroredStrategy"
        )


class InputContext:
    """Which part of the input a function of datasets is to read.

    Source: TF 2.21 `tf.distribute.InputContext`.
    """

    def __init__(self, num_input_pipelines: int = 1, input_pipeline_id: int = 0, num_replicas_in_sync: int = 1) -> None:
        self._num_input_pipelines = num_input_pipelines
        self._input_pipeline_id = input_pipeline_id
        self._num_replicas_in_sync = num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self._num_replicas_in_sync

    @property
    def input_pipeline_id(self) -> int:
        """The number of this pipeline."""
        return self._input_pipeline_id

    @property
    def num_input_pipelines(self) -> int:
        """The number of pipelines."""
        return self._num_input_pipelines

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The size of a replica's batch. Raises ValueError if the replicas cannot have equal batches."""
        if global_batch_size % self._num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by `num_replicas_in_sync` "
                f"{self._num_replicas_in_sync} "
            )
        return global_batch_size // self._num_replicas_in_sync

    def __repr__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self._input_pipeline_id}, "
            f"total: {self._num_input_pipelines})"
        )


class ValueContext:
    """For which replica a function of values is called.

    Source: TF 2.21 `tf.distribute.experimental.ValueContext`.
    """

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self._replica_id_in_sync_group = replica_id_in_sync_group
        self._num_replicas_in_sync = num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self._num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> int:
        """The number of the replica."""
        return self._replica_id_in_sync_group

    def __repr__(self) -> str:
        return (
            f"tf.distribute.ValueContext(replica id {self._replica_id_in_sync_group},  "
            f"total replicas in sync: {self._num_replicas_in_sync})"
        )


class DistributedIterator(OwnedIterator):
    """An iterator of a distributed dataset; its elements are those of the dataset, since there is one replica.

    Raises: TypeError if it is called.
    Source: TF 2.21 `tf.distribute.DistributedIterator`.
    """

    def __init__(self) -> None:
        raise TypeError("tf.distribute.DistributedIterator: call iter() with a distributed dataset.")

    @classmethod
    def _of(cls, node: Node) -> DistributedIterator:
        """The iterator of the dataset of `node`."""
        iterator = object.__new__(cls)
        OwnedIterator.__init__(iterator, node)
        return iterator

    def get_next_as_optional(self) -> Optional:
        """The next element as an optional, which is empty at the end; its type is that of the element."""
        found = super().get_next_as_optional()
        return Optional.from_value(found.get_value()) if found.has_value() else found


class _Recognised(Elemental, Iterable[Any]):
    """The parent of distributed datasets, with the name and module by which Keras recognises TensorFlow's."""


_Recognised.__name__ = "DistributedDataset"
_Recognised.__module__ = "tensorflow.python.distribute.input_lib"


class DistributedDataset(_Recognised):
    """A dataset whose elements are distributed over replicas, of which there is one.

    Raises: TypeError if it is called.
    Source: TF 2.21 `tf.distribute.DistributedDataset`.
    """

    _dataset: Any

    def __init__(self) -> None:
        raise TypeError("tf.distribute.DistributedDataset: call Strategy.experimental_distribute_dataset.")

    @classmethod
    def _of(cls, dataset: Any) -> DistributedDataset:
        """The distributed dataset with the elements of `dataset`."""
        made = object.__new__(cls)
        made._dataset = dataset
        return made

    @property
    def element_spec(self) -> Any:
        """The type of an element."""
        return self._dataset.element_spec

    @property
    def _element_key(self) -> Hashable:
        return self._dataset._element_key

    @property
    def cardinality(self) -> np.int64:
        """The number of elements, `tf.data.INFINITE_CARDINALITY` or `tf.data.UNKNOWN_CARDINALITY`."""
        return self._dataset.cardinality().numpy()

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator._of(self._dataset._node)
