"""`tf.experimental.dtensor.DTensorCheckpoint`: TensorFlow's older name of checkpoints of values on a mesh."""

from __future__ import annotations

from typing import Any

from tfcompat._mesh.mesh import Mesh
from tfcompat._saved.checkpoint import Checkpoint


class DTensorCheckpoint(Checkpoint):
    """The same as `tf.train.Checkpoint(root, **kwargs)`, which saves and restores variables on any mesh.

    Raises: TypeError unless `mesh` is a mesh; as `tf.train.Checkpoint`.
    Source: TF 2.21 `tf.experimental.dtensor.DTensorCheckpoint`.
    """

    def __init__(self, mesh: Mesh, root: Any = None, **kwargs: Any) -> None:
        if not isinstance(mesh, Mesh):
            raise TypeError(
                f"tf.experimental.dtensor.DTensorCheckpoint: a mesh is expected, got {type(mesh).__name__}."
            )
        super().__init__(root, **kwargs)
