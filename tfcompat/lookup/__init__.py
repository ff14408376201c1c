"""`tf.lookup`: tables from keys to values."""

import sys as _sys
import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish
from tfcompat._state.static_table import StaticHashTable, StaticVocabularyTable
from tfcompat._state.table_initializer import KeyValueTensorInitializer, TextFileIndex, TextFileInitializer
from tfcompat.lookup import experimental

__all__ = [
    "KeyValueTensorInitializer",
    "StaticHashTable",
    "StaticVocabularyTable",
    "TextFileIndex",
    "TextFileInitializer",
    "experimental",
]

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
