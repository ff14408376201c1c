"""`tf.io.gfile.GFile`: a file that is opened when it is first read or written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any, Self

from tfcompat._core.system.error import InvalidArgumentError, OutOfRangeError, PermissionDeniedError
from tfcompat._data.format.file_error import translated
from tfcompat._data.format.file_system import system_of
from tfcompat._data.format.gfile import stat, text_of

_MODES = ("r", "w", "a", "r+", "w+", "a+")


class GFile:
    """A local file, or one of another system by its scheme; with `b` in `mode` it reads bytes, else strings.

    Sizes and positions are numbers of bytes. The first `write` empties the file, except with `a`, which appends.

    Raises: InvalidArgumentError for an unknown mode; NotFoundError when a file that does not exist is read;
      PermissionDeniedError when it is read or written against its mode.
    Source: TF 2.21 `tf.io.gfile.GFile`.
    """

    _reader: IO[bytes] | None = None
    _writer: IO[bytes] | None = None

    def __init__(self, name: Any, mode: str = "r") -> None:
        plain = mode.replace("b", "")
        if plain not in _MODES:
            raise InvalidArgumentError.of("mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._name = name
        self._mode = mode
        self._is_binary = "b" in mode
        self._is_readable = plain not in ("w", "a")
        self._is_writable = plain != "r"

    @property
    def name(self) -> Any:
        """The path."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode."""
        return self._mode

    def _opened_to_read(self) -> IO[bytes]:
        if self._reader is None:
            if not self._is_readable:
                raise PermissionDeniedError.of("File isn't open for reading")
            self._reader = self._open("rb")
        return self._reader

    def _opened_to_write(self) -> IO[bytes]:
        if self._writer is None:
            if not self._is_writable:
                raise PermissionDeniedError.of("File isn't open for writing")
            self._writer = self._open("ab" if "a" in self._mode else "wb")
        return self._writer

    def _open(self, mode: str) -> IO[bytes]:
        path = text_of(self._name)
        system, inside = system_of(path)
        with translated(path):
            return system.open(inside, mode)

    def _prepared(self, content: bytes) -> Any:
        return content if self._is_binary else content.decode()

    def size(self) -> int:
        """The length of the file in bytes."""
        return stat(self._name).length

    def write(self, file_content: Any) -> None:
        """Writes `file_content`, a string or bytes, after the earlier writes."""
        writer = self._opened_to_write()
        if not isinstance(file_content, (str, bytes)):
            raise TypeError(f"Expected binary or unicode string, got {file_content!r}")
        with translated(text_of(self._name)):
            writer.write(file_content.encode() if isinstance(file_content, str) else file_content)

    def read(self, n: int = -1) -> Any:
        """The next `n` bytes, or all that follow if `n` is -1, as a string or bytes."""
        reader = self._opened_to_read()
        if n < -1:
            raise InvalidArgumentError.of(f"Can't read a negative number of bytes: {n}")
        with translated(text_of(self._name)):
            content = reader.read(n)
        return self._prepared(content)

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Moves to `offset` from the beginning, the position or the end if `whence` is 0, 1 or 2."""
        reader = self._opened_to_read()
        if offset is None and position is None:
            raise TypeError("seek(): offset argument required")
        if offset is not None and position is not None:
            raise TypeError("seek(): offset and position may not be set simultaneously.")
        if whence not in (0, 1, 2):
            raise InvalidArgumentError.of(f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2.")
        start = (0, reader.tell(), self.size())[whence] if whence else 0
        target = start + (offset if offset is not None else position or 0)
        if target < 0:
            raise InvalidArgumentError.of(f"Seeking to a negative position: {target}")
        length = self.size()
        reader.seek(min(target, length))
        if target > length:
            raise OutOfRangeError.of("reached end of file")

    def tell(self) -> int:
        """The position for reading, or of a file that can only be written, the number of bytes written."""
        return self._opened_to_read().tell() if self._is_readable else self._opened_to_write().tell()

    def readline(self) -> Any:
        r"""The next line with its `\n`, without a `\r` before it; empty at the end."""
        with translated(text_of(self._name)):
            line = self._opened_to_read().readline()
        return self._prepared(line.replace(b"\r", b""))

    def readlines(self) -> list[Any]:
        """The lines that follow."""
        return list(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def next(self) -> Any:
        """The next line; raises StopIteration at the end."""
        return self.__next__()

    def flush(self) -> None:
        """Hands all that was written to the operating system."""
        if self._writer is not None:
            with translated(text_of(self._name)):
                self._writer.flush()

    def close(self) -> None:
        """Closes the file; it is opened again when it is read or written."""
        opened = [file for file in (self._reader, self._writer) if file is not None]
        self._reader = self._writer = None
        for file in opened:
            with translated(text_of(self._name)):
                file.close()

    def __del__(self) -> None:
        self.close()

    def seekable(self) -> bool:
        """True."""
        return True
