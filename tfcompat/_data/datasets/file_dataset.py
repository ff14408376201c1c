"""Datasets of the lines of texts, and of records of one length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.system.error import DataLossError, InvalidArgumentError
from tfcompat._core.types.dtype import int64, string
from tfcompat._data.datasets.dataset import Dataset
from tfcompat._data.nodes.node import integer
from tfcompat._data.storage.file_record import FileRecords, names_of, opened


class TextLineDataset(Dataset):
    """The lines of the files `filenames`, without their ends; also a dataset of names.

    `compression_type` is `""`, `"GZIP"` or `"ZLIB"`. With `num_parallel_reads`, as many files are read in turn, one
    line of each.

    Raises: TypeError if the names are not strings. A file that cannot be read is a NotFoundError, or another of
      `tf.errors`, when its lines are read.
    Source: TF 2.21 `tf.data.TextLineDataset`.
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
        self._node = FileRecords(
            "TextLineDatasetV2", names, partial(_lines, compression=compression), num_parallel_reads
        )


class FixedLengthRecordDataset(Dataset):
    """The records of `record_bytes` bytes in the files `filenames`, between a header and a footer.

    `compression_type` is `""`, `"GZIP"` or `"ZLIB"`. With `num_parallel_reads`, as many files are read in turn, one
    record of each.

    Raises: TypeError if the names are not strings or a number of bytes is not an integer. A file that holds no whole
      number of records is an InvalidArgumentError when it is read, a compressed one a DataLossError.
    Source: TF 2.21 `tf.data.FixedLengthRecordDataset`.
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        del name
        names, compression = names_of(filenames), compression_of(compression_type)
        sizes = [
            integer(0 if value is None else value, parameter)
            for parameter, value in (
                ("record_bytes", record_bytes),
                ("header_bytes", header_bytes),
                ("footer_bytes", footer_bytes),
            )
        ]
        require_buffer(buffer_size)
        reader: Callable[[str], Iterator[bytes]] = partial(_records, sizes=sizes, compression=compression)
        self._node = FileRecords("FixedLengthRecordDatasetV2", names, reader, num_parallel_reads)


def compression_of(value: Any) -> str:
    """The argument `compression_type`. Raises TypeError if it is not a string."""
    if value is None:
        return ""
    return convert_to_tensor(value, string, name="compression_type").numpy().decode()


def require_buffer(value: Any) -> None:
    """Raises TypeError unless the argument `buffer_size` is an integer; files are read in chunks of a fixed size."""
    if value is not None:
        convert_to_tensor(value, int64, name="buffer_size")


def _lines(name: str, compression: str) -> Iterator[bytes]:
    """The lines of a file, without carriage returns."""
    with opened(name, compression) as file:
        for line in file:
            yield line.rstrip(b"\n").replace(b"\r", b"")


def _records(name: str, sizes: list[int], compression: str) -> Iterator[bytes]:
    """The records of a file; they end where fewer bytes than a record and a footer are left."""
    size, header, footer = sizes
    for parameter, value, least in (
        ("record_bytes", size, 1),
        ("header_bytes", header, 0),
        ("footer_bytes", footer, 0),
    ):
        if value < least:
            raise InvalidArgumentError.of(
                f"tf.data.FixedLengthRecordDataset: {parameter} must be >= {least}, got {value}."
            )
    with opened(name, compression) as file:
        if not compression:
            length = file.seek(0, 2)
            body = length - header - footer
            if length and (body < 0 or body % size):
                raise InvalidArgumentError.of(
                    f'Excluding the header ({header} bytes) and footer ({footer} bytes), input file "{name}" has body '
                    f"length {body} bytes, which is not an exact multiple of the record length ({size} bytes)."
                )
            file.seek(0)
        file.read(header)
        ahead = file.read(size + footer)
        while len(ahead) == size + footer:
            yield ahead[:size]
            ahead = ahead[size:] + file.read(size)
        if compression and len(ahead) != footer:
            raise DataLossError.of(
                f'The records of the file "{name}" are not all of {size} bytes: {len(ahead) - footer} bytes are left.'
            )
