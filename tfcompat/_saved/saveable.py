"""The tensors of a trackable object as saveable objects, TensorFlow's older form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tfcompat._core.structure.tensor import Tensor
from tfcompat._saved.object_view import has_tensors


class SaveSpec(NamedTuple):
    """A tensor that a checkpoint holds under a name."""

    name: str
    tensor: Tensor


class SaveableObject:
    """The tensors of `trackable` now."""

    def __init__(self, trackable: Any, name: str) -> None:
        self._trackable = trackable
        self.name = name
        self._tensors = trackable._serialize_to_tensors()

    @property
    def specs(self) -> list[SaveSpec]:
        """The tensors with their names."""
        return [SaveSpec(f"{self.name}{key}", tensor) for key, tensor in self._tensors.items()]

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Any) -> Any:
        """Sets the object to `restored_tensors`, in the order of `specs`."""
        del restored_shapes
        return self._trackable._restore_from_tensors(dict(zip(self._tensors, restored_tensors, strict=True)))


def saveable_objects_from_trackable(obj: Any) -> dict[str, Callable[..., SaveableObject]]:
    """Functions that make the saveable objects of `obj`, by the name of an attribute; none if it has no tensors.

    Source: TF 2.21 `tf.__internal__.tracking.saveable_objects_from_trackable`.
    """
    if not has_tensors(obj):
        return {}
    return {type(obj)._saveable_name: lambda name="": SaveableObject(obj, name)}
