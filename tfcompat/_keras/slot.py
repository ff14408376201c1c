"""Slot variables of the optimizers of TensorFlow 2.10 and before, in checkpoints."""

from __future__ import annotations

from typing import Any


class CheckpointInitialValueCallable:
    """The value of a slot variable in a checkpoint, as an initializer. Raises NotImplementedError.

    Source: TF 2.21 `tf.__internal__.tracking.CheckpointInitialValueCallable`.
    """

    def __init__(self, checkpoint_position: Any) -> None:
        del checkpoint_position
        raise NotImplementedError(
            "tf.__internal__.tracking.CheckpointInitialValueCallable: slot variables of tf.keras.optimizers.legacy are "
            "not restored from checkpoints; use the optimizer of the same name in tf.keras.optimizers."
        )
