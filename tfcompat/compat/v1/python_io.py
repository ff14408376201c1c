"""`tf.compat.v1.python_io`: the names of this namespace of TensorFlow 1."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat.compat.v1.io import TFRecordCompressionType, TFRecordOptions, TFRecordWriter, tf_record_iterator

__all__ = ["TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
