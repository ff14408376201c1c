"""`tf.compat.v1.sets`: supported names of this namespace of TensorFlow 1."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat.sets import (
    difference,
    intersection,
    size,
    union,
)
from tfcompat.sets import (
    difference as set_difference,
)
from tfcompat.sets import (
    intersection as set_intersection,
)
from tfcompat.sets import (
    size as set_size,
)
from tfcompat.sets import (
    union as set_union,
)

__all__ = ["difference", "intersection", "set_difference", "set_intersection", "set_size", "set_union", "size", "union"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
