"""The data files of a checkpoint as users choose them: `tf.train.experimental.ShardingCallback`."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.device_spec import DeviceSpec
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import DType
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.format.bundle_writer import BundleWriter
from tfcompat._data.format.tensor_part import key_of
from tfcompat._jaxpr.postponement import postponed
from tfcompat._saved.saveable import SaveSpec
from tfcompat._saved.slice_spec import SliceSpec

# The tensors of a data file, each by the name of the whole tensor and the description of the part of it.
Shard = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class ShardableTensor:
    """A tensor of a checkpoint, for functions that distribute them among data files.

    Attributes:
      tensor, dtype, shape: the tensor.
      device: the device that holds it.
      name, checkpoint_key: its name in the checkpoint.
      slice_spec: which part it is of a tensor; empty for a whole one.
      trackable: the object that it belongs to; None for the graph of objects.

    Source: TF 2.21 `tf.train.experimental.ShardableTensor`.
    """

    _tensor_save_spec: Any
    tensor: Tensor
    dtype: DType
    device: DeviceSpec
    name: str
    shape: TensorShape
    slice_spec: str
    checkpoint_key: str
    trackable: Any


def shardable(key: str, tensor: Tensor, trackable: Any) -> ShardableTensor:
    """The tensor with the name `key` in a checkpoint."""
    device = DeviceSpec.from_string(tensor.device)
    return ShardableTensor(SaveSpec(key, tensor), tensor, tensor.dtype, device, key, tensor.shape, "", key, trackable)


class ShardingCallback(ABC):
    """A function that distributes the tensors of a checkpoint among data files; subclasses define it.

    Source: TF 2.21 `tf.train.experimental.ShardingCallback`.
    """

    @property
    @abstractmethod
    def description(self) -> str:
        """A description of the policy, in words."""

    @abstractmethod
    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Shard]:
        """The tensors of each data file: by their names in the checkpoint, and by the parts of the tensors."""

    def __hash__(self) -> int:
        found = hash(self.description)
        for name, value in vars(self).items():
            if not (inspect.ismethod(value) or inspect.isfunction(value)):
                found ^= hash(name)
                if isinstance(value, Hashable):
                    found ^= hash(value)
        return found


class ShardByTaskPolicy(ShardingCallback):
    """One data file for each process: the tensors of this one are in one file.

    Source: TF 2.21 `tf.train.experimental.ShardByTaskPolicy`.
    """

    @property
    def description(self) -> str:
        return "Split tensors into shards based on their device spec task."

    def __call__(self, shardable_tensors: Iterable[ShardableTensor]) -> Sequence[Shard]:
        found: dict[str, dict[str, Any]] = {}
        for each in shardable_tensors:
            found.setdefault(each.checkpoint_key, {})[each.slice_spec] = each.tensor
        return [found]


def add_shards(writer: BundleWriter, shards: Sequence[Shard]) -> None:
    """Writes the tensors of `shards`, each to a data file of its own.

    Raises: InvalidArgumentError if a data file has no tensors, or a tensor is not the part that its description says.
    """
    if not shards or not all(shards):
        raise InvalidArgumentError.of("A data file of a checkpoint needs at least one tensor")
    parts: dict[str, list[SliceSpec]] = {}
    dtypes: dict[str, DType] = {}
    for number, shard in enumerate(shards):
        if number:
            with postponed():
                writer.next_file()
        for key, slices in shard.items():
            for text, value in slices.items():
                tensor = convert_to_tensor(value)
                spec = _described(key, text, tensor)
                if spec is not None:
                    parts.setdefault(key, []).append(spec)
                    dtypes[key] = tensor.dtype
                name = key.encode() if spec is None else key_of(key.encode(), spec.extents)
                writer.add_array(name, tensor.__array__(copy=False), tensor.dtype)
    for key, specs in parts.items():
        writer.add_divided(key.encode(), dtypes[key], specs[0].whole, [spec.extents for spec in specs])


def _described(key: str, text: str, tensor: Tensor) -> SliceSpec | None:
    """The part of the tensor `key` that `tensor` is, described by `text`; None if it is the whole."""
    if not text.strip():
        return None
    spec = SliceSpec.of(text)
    if spec.sizes != tuple(tensor.shape):
        raise InvalidArgumentError.of(f"The slice {text!r} of {key} has the shape {tensor.shape}")
    return None if spec.is_whole else spec
