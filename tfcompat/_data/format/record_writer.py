"""Writing of files of records: `tf.io.TFRecordWriter`."""

from __future__ import annotations

import zlib
from types import TracebackType
from typing import IO, Any, ClassVar, Self

from tfcompat._core.system.error import FailedPreconditionError, InvalidArgumentError
from tfcompat._data.format.checksum import masked_one, of_bytes
from tfcompat._data.format.compressed import WINDOW_BITS
from tfcompat._data.format.file_error import translated
from tfcompat._data.format.record_reader import CHECKSUM, LENGTH

_BUFFER = 256 << 10
_MOST_MEMORY = 9


class TFRecordCompressionType:
    """The kinds of compression, as numbers.

    Source: TF 2.21 `tf.compat.v1.io.TFRecordCompressionType`.
    """

    NONE = 0
    ZLIB = 1
    GZIP = 2


class TFRecordOptions:
    """How a file of records is compressed; None is zlib's default, or TensorFlow's.

    Raises: ValueError for another compression_type than "GZIP", "ZLIB" and "".
    Source: TF 2.21 `tf.io.TFRecordOptions`.
    """

    compression_type_map: ClassVar[dict[int, str]] = {
        TFRecordCompressionType.ZLIB: "ZLIB",
        TFRecordCompressionType.GZIP: "GZIP",
        TFRecordCompressionType.NONE: "",
    }

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The name of the compression in `options`, which may also be the name or the number; empty for plain files.

        Raises: ValueError for any other value.
        Source: TF 2.21 `tf.io.TFRecordOptions.get_compression_type_string`.
        """
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        found = cls.compression_type_map.get(options, options)
        if isinstance(found, str) and found in cls.compression_type_map.values():
            return found
        raise ValueError(f'tf.io.TFRecordOptions: Not a valid compression_type: "{options}"')


class TFRecordWriter:
    """Writes records to the file `path`, compressed as `options` say: a `TFRecordOptions` object, "GZIP" or "ZLIB".

    Raises: NotFoundError, FailedPreconditionError or PermissionDeniedError if the file cannot be written; ValueError
      for another compression; InvalidArgumentError for options that zlib does not have; TypeError unless path is a
      string.
    Source: TF 2.21 `tf.io.TFRecordWriter`.
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        if not isinstance(path, str | bytes):
            raise TypeError(f"tf.io.TFRecordWriter: Expected binary or unicode string, got {path!r}")
        self._path = path if isinstance(path, str) else path.decode()
        self._deflater = _deflater(options)
        self._flush_mode: int = options.flush_mode or zlib.Z_NO_FLUSH
        self._most: int = _BUFFER if options.input_buffer_size is None else options.input_buffer_size
        size = _BUFFER if options.output_buffer_size is None else max(options.output_buffer_size, 2)
        # Bytes to be compressed.
        self._waiting: list[bytes] = []
        self._size = 0
        self._checksum = of_bytes()
        with translated(self._path):
            self._file: IO[bytes] | None = open(self._path, "wb", buffering=size)  # noqa: SIM115

    def write(self, record: Any) -> None:
        """Adds a record, bytes or a str that is encoded as UTF-8.

        Raises: FailedPreconditionError if the writer is closed; TypeError for anything else.
        Source: TF 2.21 `tf.io.TFRecordWriter.write`.
        """
        if not isinstance(record, bytes):
            if not isinstance(record, str | bytearray):
                raise TypeError(f"tf.io.TFRecordWriter.write: record must be bytes or str, got {record!r}.")
            record = record.encode() if isinstance(record, str) else bytes(record)
        file = self._opened()
        length = LENGTH.pack(len(record))
        framed = (
            length + CHECKSUM.pack(masked_one(self._checksum(length))),
            record,
            CHECKSUM.pack(masked_one(self._checksum(record))),
        )
        if self._deflater is None:
            with translated(self._path):
                file.write(b"".join(framed))
            return
        self._waiting += framed
        self._size += sum(map(len, framed))
        if self._size >= self._most:
            self._deflate(self._flush_mode)

    def flush(self) -> None:
        """Makes all records readable by others.

        Raises: FailedPreconditionError if the writer is closed.
        Source: TF 2.21 `tf.io.TFRecordWriter.flush`.
        """
        file = self._opened()
        self._deflate(zlib.Z_PARTIAL_FLUSH)
        with translated(self._path):
            file.flush()

    def close(self) -> None:
        """Writes all records and closes the file; a second call has no effect.

        Source: TF 2.21 `tf.io.TFRecordWriter.close`.
        """
        if self._file is None:
            return
        self._deflate(zlib.Z_FINISH)
        with translated(self._path):
            self._file.close()
        self._file = None

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            raise FailedPreconditionError.of("Writer is closed.")
        return self._file

    def _deflate(self, mode: int) -> None:
        """Compresses the bytes that wait."""
        if self._deflater is None:
            return
        found = self._deflater.compress(b"".join(self._waiting))
        if mode != zlib.Z_NO_FLUSH:
            found += self._deflater.flush(mode)
        self._waiting.clear()
        self._size = 0
        with translated(self._path):
            self._opened().write(found)

    def __del__(self) -> None:
        # As in TensorFlow, the written records are in the file even if it was not closed.
        if getattr(self, "_file", None) is not None:
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _deflater(options: TFRecordOptions) -> Any:
    """The compressor; None for a plain file. Raises InvalidArgumentError for options that zlib does not have."""
    name = options.get_compression_type_string(options)
    if not name:
        return None

    def given(value: int | None, otherwise: int) -> int:
        return otherwise if value is None else value

    try:
        return zlib.compressobj(
            given(options.compression_level, zlib.Z_DEFAULT_COMPRESSION),
            given(options.compression_method, zlib.DEFLATED),
            given(options.window_bits, WINDOW_BITS[name]),
            given(options.mem_level, _MOST_MEMORY),
            given(options.compression_strategy, zlib.Z_DEFAULT_STRATEGY),
        )
    except (ValueError, zlib.error) as bad:
        raise InvalidArgumentError.of(f"tf.io.TFRecordOptions: deflateInit failed: {bad}") from bad
