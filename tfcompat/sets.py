"""`tf.sets`: sets along the last axis of tensors."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._ops.sets import difference, intersection, size, union

__all__ = ["difference", "intersection", "size", "union"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
