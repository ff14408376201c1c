"""`tf.tpu`: the initialisation of TPUs."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat.tpu import experimental

__all__ = ["experimental"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
