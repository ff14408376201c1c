"""`tf.compat.v1.manip`: supported names of this namespace of TensorFlow 1."""

import typing as _typing

from tfcompat import reverse, roll, scatter_nd, space_to_batch_nd, tile
from tfcompat._dropin.absence import absence as _absence

__all__ = ["reverse", "roll", "scatter_nd", "space_to_batch_nd", "tile"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
