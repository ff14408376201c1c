"""Iteration over the records of a file: `tf.compat.v1.io.tf_record_iterator`."""

from __future__ import annotations

from typing import Any

from tfcompat._data.format.record_reader import RecordReader
from tfcompat._data.format.record_writer import TFRecordOptions


def tf_record_iterator(path: Any, options: Any = None) -> RecordReader:
    """The records of the file `path`, compressed as `options` say: a `TFRecordOptions` object, "GZIP" or "ZLIB".

    Raises: NotFoundError, FailedPreconditionError or PermissionDeniedError if the file cannot be read; ValueError for
      another compression; TypeError unless path is a string; DataLossError at a record that is corrupted or truncated.
    Source: TF 2.21 `tf.compat.v1.io.tf_record_iterator`.
    """
    compression_type = TFRecordOptions.get_compression_type_string(options)
    if not isinstance(path, str | bytes):
        raise TypeError(f"tf.compat.v1.io.tf_record_iterator: path must be a string, got {path!r}.")
    return RecordReader(path if isinstance(path, str) else path.decode(), compression_type)
