"""Initializers of tables, from tensors or a text file."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, NotFoundError, OutOfRangeError
from tfcompat._core.types.dtype import DType, as_dtype, int64, string
from tfcompat._ops.text.element import array_of
from tfcompat._ops.text.number import to_number


class TextFileIndex:
    """Values for a column index that mean the whole line, or the number of the line.

    Source: TF 2.21 `tf.lookup.TextFileIndex`.
    """

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class KeyValueTensorInitializer:
    """Keys and values from tensors of the same shape.

    Raises: TypeError or ValueError if keys or values cannot be converted to the given dtype.
    Source: TF 2.21 `tf.lookup.KeyValueTensorInitializer`.
    """

    def __init__(
        self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None, name: str | None = None
    ) -> None:
        del name
        self._pair = (
            convert_to_tensor(keys, key_dtype, name="keys"),
            convert_to_tensor(values, value_dtype, name="values"),
        )

    @property
    def key_dtype(self) -> DType:
        """The dtype of keys."""
        return self._pair[0].dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of values."""
        return self._pair[1].dtype

    def initialize(self, table: Any) -> None:
        """Fills `table`.

        Raises: InvalidArgumentError if keys and values differ in shape, or are empty; FailedPreconditionError if a key
          has two values.
        Source: TF 2.21 `tf.lookup.KeyValueTensorInitializer.initialize`.
        """
        keys, values = self._pair
        if keys._aval.shape != values._aval.shape or not keys._aval.size:
            raise InvalidArgumentError.of(
                "tf.lookup.KeyValueTensorInitializer: keys and values must have the same shape and not be empty, got "
                f"{keys.shape} and {values.shape}."
            )
        table._fill(np.asarray(keys), np.asarray(values))


class TextFileInitializer:
    """Keys and values from the lines of a text file.

    Args:
      filename: the name of the file.
      key_dtype, value_dtype: the dtypes of keys and values.
      key_index, value_index: the number of the column, or `TextFileIndex.WHOLE_LINE` or `LINE_NUMBER`.
      vocab_size: the number of lines to read; all if None.
      delimiter: the separator between columns.
      value_index_offset: an offset for line numbers that are values.

    Raises: ValueError if an index does not exist or does not fit its dtype, vocab_size is not positive, or filename
      is empty.
    Source: TF 2.21 `tf.lookup.TextFileInitializer`.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        del name
        tensor = as_tensor(filename)
        self._filename = filename if tensor is None else tensor.numpy()
        if not self._filename:
            raise ValueError("tf.lookup.TextFileInitializer: filename argument required.")
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        _require_index("key", key_index, self._key_dtype)
        _require_index("value", value_index, self._value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"tf.lookup.TextFileInitializer: vocab_size must be > 0, got {vocab_size}.")
        self._indices = key_index, value_index
        self._vocab_size = vocab_size
        self._delimiter = delimiter
        self._offset = value_index_offset

    @property
    def key_dtype(self) -> DType:
        """The dtype of keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of values."""
        return self._value_dtype

    def initialize(self, table: Any) -> None:
        """Fills `table`.

        Raises: NotFoundError if the file does not exist; InvalidArgumentError for too few lines, empty lines, or a line
          without the column or a number; FailedPreconditionError if a key has two values.
        Source: TF 2.21 `tf.lookup.TextFileInitializer.initialize`.
        """
        lines = self._lines()
        keys = self._column(self._indices[0], self._key_dtype, lines, 0)
        table._fill(keys, self._column(self._indices[1], self._value_dtype, lines, self._offset))

    def _lines(self) -> list[bytes]:
        if len(self._delimiter) != 1:
            raise self._refusal(f"delimiter should be only 1 char, got {self._delimiter!r}")
        try:
            with open(self._filename, "rb") as file:
                content = file.read()
        except FileNotFoundError:
            problem = os.strerror(errno.ENOENT)
            raise NotFoundError.of(f"tf.lookup.TextFileInitializer: {self._filename}; {problem}.") from None
        if not content:
            raise OutOfRangeError.of(f"tf.lookup.TextFileInitializer: {self._filename} is empty.")
        lines = content.replace(b"\r", b"").removesuffix(b"\n").split(b"\n")
        if self._vocab_size is not None:
            if len(lines) < self._vocab_size:
                raise self._refusal(f"vocab_size expected {self._vocab_size} lines but got {len(lines)}")
            lines = lines[: self._vocab_size]
        if b"" in lines:
            raise self._refusal(f"line {lines.index(b'')} is empty")
        return lines

    def _column(self, index: int, dtype: DType, lines: list[bytes], offset: int) -> np.ndarray:
        if index == TextFileIndex.LINE_NUMBER:
            return np.arange(offset, offset + len(lines))
        pick: Callable[[bytes], bytes] = bytes if index == TextFileIndex.WHOLE_LINE else self._picking(index)
        texts = Tensor(array_of(map(pick, lines), (len(lines),)))
        return np.asarray(texts if dtype is string else to_number(texts, dtype))

    def _picking(self, index: int) -> Callable[[bytes], bytes]:
        def pick(line: bytes) -> bytes:
            columns = line.split(self._delimiter.encode())
            if index >= len(columns):
                raise self._refusal(f"expected at least {index + 1} columns in {line!r}, got {len(columns)}")
            return columns[index]

        return pick

    def _refusal(self, problem: str) -> InvalidArgumentError:
        return InvalidArgumentError.of(
            f"tf.lookup.TextFileInitializer: Invalid content in {self._filename}: {problem}."
        )


def _require_index(what: str, index: int, dtype: DType) -> None:
    if index < TextFileIndex.WHOLE_LINE:
        raise ValueError(f"tf.lookup.TextFileInitializer: {what}_index should be >= -2, received: {index}.")
    if index == TextFileIndex.LINE_NUMBER and dtype is not int64:
        raise ValueError(
            f"tf.lookup.TextFileInitializer: {what}_dtype must be int64 if {what}_index is -1, got {dtype.name}."
        )
