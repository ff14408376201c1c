"""Python objects in checkpoints: `tf.train.experimental.PythonState`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.types.dtype import string
from tfcompat._state.tracking.trackable import Trackable

_SAVED = "py_state"


class PythonState(Trackable, ABC):
    """An object whose state a checkpoint holds as a string; subclasses define `serialize` and `deserialize`.

    Source: TF 2.21 `tf.train.experimental.PythonState`.
    """

    @abstractmethod
    def serialize(self) -> Any:
        """The state as a string or bytes."""

    @abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Sets the state from `string_value`, which `serialize` returned."""

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """The tensor that a checkpoint holds for the object."""
        return {_SAVED: convert_to_tensor(self.serialize(), string)}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        """Sets the state from the tensor of a checkpoint."""
        self.deserialize(restored_tensors[_SAVED].numpy())
