"""`tf.compat.v1.lookup`: supported names of this namespace of TensorFlow 1."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat.lookup import KeyValueTensorInitializer, TextFileIndex, TextFileInitializer

__all__ = ["KeyValueTensorInitializer", "TextFileIndex", "TextFileInitializer"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
