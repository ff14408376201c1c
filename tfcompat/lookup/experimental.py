"""`tf.lookup.experimental`: mutable tables."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._state.dense_table import DenseHashTable
from tfcompat._state.table import MutableHashTable

__all__ = ["DenseHashTable", "MutableHashTable"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
