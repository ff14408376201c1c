"""`tf.saved_model.experimental.TrackableResource`: the class of tables."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any

from tfcompat._state.table import Table


class _OfTables(ABCMeta):
    """Tables are instances, as in TensorFlow, where they derive from the class."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Table) or super().__instancecheck__(instance)


class TrackableResource(metaclass=_OfTables):
    """For `isinstance`: a table. Raises NotImplementedError when an object of a derived class is made.

    Source: TF 2.21 `tf.saved_model.experimental.TrackableResource`.
    """

    def __init__(self, device: str = "") -> None:
        del device
        raise NotImplementedError(
            "tf.saved_model.experimental.TrackableResource: only tables are resources here; keep the object in a "
            "tf.Module, and its numbers in variables."
        )
