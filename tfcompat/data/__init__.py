"""`tf.data`: input pipelines."""

import sys as _sys
import typing as _typing

from tfcompat._data.dataset import Dataset
from tfcompat._data.dataset_spec import DatasetSpec
from tfcompat._data.file_dataset import FixedLengthRecordDataset, TextLineDataset
from tfcompat._data.iterator import Iterator, IteratorSpec, NumpyIterator
from tfcompat._data.node import INFINITE as INFINITE_CARDINALITY
from tfcompat._data.node import UNKNOWN as UNKNOWN_CARDINALITY
from tfcompat._data.options import Options, ThreadingOptions
from tfcompat._data.prefetching import AUTOTUNE
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish
from tfcompat.data import experimental

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "TextLineDataset",
    "ThreadingOptions",
    "experimental",
]

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
