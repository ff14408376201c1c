"""`tf.sets`: sets along the last axis of tensors."""

import sys as _sys
import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish
from tfcompat._ops.sets import difference, intersection, size, union

__all__ = ["difference", "intersection", "size", "union"]

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
