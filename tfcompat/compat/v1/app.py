"""`tf.compat.v1.app`: supported names of this namespace of TensorFlow 1."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._first_version.program import run

__all__ = ["run"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
