"""`tf.types.experimental.distributed`: classes of values that have a component for each replica."""

import typing as _typing

from tfcompat._distribute.values import Mirrored, PerReplica
from tfcompat._dropin.absence import absence as _absence

__all__ = ["Mirrored", "PerReplica"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
