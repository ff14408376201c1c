"""`tf.data`: input pipelines."""

import sys as _sys
import typing as _typing

from tfcompat._data.blocks.dataset_spec import DatasetSpec
from tfcompat._data.blocks.options import Options, ThreadingOptions
from tfcompat._data.datasets.dataset import Dataset
from tfcompat._data.datasets.file_dataset import FixedLengthRecordDataset, TextLineDataset
from tfcompat._data.datasets.iterator import Iterator, IteratorSpec, NumpyIterator
from tfcompat._data.datasets.record_dataset import TFRecordDataset
from tfcompat._data.nodes.node import INFINITE as INFINITE_CARDINALITY
from tfcompat._data.nodes.node import UNKNOWN as UNKNOWN_CARDINALITY
from tfcompat._data.nodes.prefetching import AUTOTUNE
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
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "experimental",
]

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
