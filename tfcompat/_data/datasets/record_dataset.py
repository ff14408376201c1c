"""Datasets of the records of TFRecord files."""

from __future__ import annotations

from functools import partial
from typing import Any

from tfcompat._data.datasets.dataset import Dataset
from tfcompat._data.datasets.file_dataset import compression_of, require_buffer
from tfcompat._data.format.record_reader import RecordReader
from tfcompat._data.storage.file_record import FileRecords, names_of


class TFRecordDataset(Dataset):
    """The records of the TFRecord files `filenames`, scalar strings; also a dataset of names.

    `compression_type` is `""`, `"GZIP"` or `"ZLIB"`. With `num_parallel_reads`, as many files are read in turn, one
    record of each.

    Raises: TypeError if the names are not strings. A file that cannot be read is a NotFoundError, or another of
      `tf.errors`, when its records are read; a corrupted or truncated record is a DataLossError.
    Source: TF 2.21 `tf.data.TFRecordDataset`.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        del name
        names, compression = names_of(filenames), compression_of(compression_type)
        require_buffer(buffer_size)
        reader = partial(RecordReader, compression_type=compression)
        self._node = FileRecords("TFRecordDatasetV2", names, reader, num_parallel_reads)
