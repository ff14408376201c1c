"""Slot variables of the optimizers of TensorFlow 2.10 and before, in checkpoints."""

from __future__ import annotations

from typing import Any


class CheckpointInitialValueCallable:
    """The value of a slot variable in a checkpoint, as an initializer.

    `checkpoint_position` is the argument `slot_variable_position` of `_create_or_restore_slot_variable`.

    Source: TF 2.21 `tf.__internal__.tracking.CheckpointInitialValueCallable`.
    """

    def __init__(self, checkpoint_position: Any) -> None:
        self._position = checkpoint_position

    def __call__(self, shape: Any = None, dtype: Any = None, shard_info: Any = None) -> Any:
        """The value. Raises NotImplementedError for a part of it, which `shard_info` describes."""
        del shape, dtype
        if shard_info is not None:
            raise NotImplementedError(
                "tf.__internal__.tracking.CheckpointInitialValueCallable: shard_info is not supported; restore whole "
                "variables."
            )
        return self._position.value()
