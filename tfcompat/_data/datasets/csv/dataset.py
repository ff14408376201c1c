"""Datasets of the records of CSV files: `tf.data.experimental.CsvDataset`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor, is_tensor
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import DType, as_dtype, bool_, float32, float64, int32, int64, string
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.nesting import flatten
from tfcompat._data.blocks.structure import Structure, host_array
from tfcompat._data.datasets.csv.text import CsvText
from tfcompat._data.datasets.csv.value import Converter, FieldRule, Selection
from tfcompat._data.datasets.dataset import Dataset
from tfcompat._data.datasets.file_dataset import compression_of, require_buffer
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import UNKNOWN, Node
from tfcompat._data.nodes.source import scalar_string, strings
from tfcompat._data.nodes.template import Made, has_no_value
from tfcompat._data.storage.file_record import opened

_DTYPES = (float32, float64, int32, int64, string)


class CsvFormat:
    """The arguments of a CSV dataset.

    Raises: see `CsvDataset`.
    """

    def __init__(
        self,
        record_defaults: Sequence[Any],
        compression_type: Any = None,
        header: Any = False,
        field_delim: Any = ",",
        use_quote_delim: Any = True,
        na_value: Any = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> None:
        self.compression = compression_of(compression_type)
        if self.compression not in ("", "GZIP", "ZLIB"):
            raise InvalidArgumentError.of(f"Unsupported compression_type: {self.compression}.")
        missing = _encoded(scalar_string(na_value, "na_value"))
        self._rules = [FieldRule(default, missing) for default in map(default_of, record_defaults)]
        if not self._rules:
            raise InvalidArgumentError.of("CsvDataset: record_defaults must have at least one default, got none.")
        self._header = bool(convert_to_tensor(header, bool_, name="header"))
        self._delimiter = _encoded(scalar_string(field_delim, "field_delim"))
        if len(self._delimiter) != 1:
            raise InvalidArgumentError.of("field_delim should be only 1 char")
        self._has_quotes = bool(convert_to_tensor(use_quote_delim, bool_, name="use_quote_delim"))
        selection = Selection(_columns(select_cols, "select_cols"), _columns(exclude_cols, "exclude_cols"))
        if selection.selected and len(selection.selected) != len(self._rules):
            raise InvalidArgumentError.of("select_cols should match output size")
        if selection.selected and selection.excluded:
            raise InvalidArgumentError.of("Either select_cols or exclude_cols should be empty")
        self._converter = Converter(self._rules, selection)

    @property
    def structure(self) -> Structure:
        """The type of a record."""
        return Structure(tuple([TensorSpec([], rule.dtype) for rule in self._rules]))

    def outcomes(self, name: str) -> Iterator[Block | Exception]:
        """The records of a file: blocks, and errors in the places of their records.

        Raises: as `tfcompat._data.storage.file_record.opened`.
        """
        with opened(name, self.compression) as file:
            text = CsvText(file, self._delimiter, has_quotes=self._has_quotes)
            if self._header:
                names = text.record()
                if names is None or any(isinstance(field, Exception) for field in names):
                    yield InvalidArgumentError.of("Can't read header of file")
            for part in text.parts():
                yield from self._converter.outcomes(part)


def default_of(value: Any) -> Tensor:
    """A default: an empty tensor for a dtype, whose fields are required.

    As in TensorFlow, values of NumPy, and numbers that are those of dtypes, such as 1 and 7, are dtypes, too.

    Raises: InvalidArgumentError for another dtype, or several values.
    """
    dtype = _dtype_of(value)
    default = convert_to_tensor(value) if dtype is None else convert_to_tensor([], dtype)
    if default.dtype not in _DTYPES:
        raise InvalidArgumentError.of(
            f"Value for attr 'output_types' of {default.dtype.name} is not in the list of allowed values: float, "
            "double, int32, int64, string"
        )
    if default.ndim > 1:
        raise InvalidArgumentError.of("Each record default should be at most rank 1")
    if default._aval.size > 1:
        raise InvalidArgumentError.of(
            f"There should only be 1 default per field but a field has {default._aval.size}: {default!r}"
        )
    return default


def _dtype_of(value: Any) -> DType | None:
    """The dtype that `value` names; None if it names none that fields can have."""
    if is_tensor(value):
        return None
    try:
        dtype = as_dtype(value)
    except TypeError:
        return None
    return dtype if dtype in _DTYPES else None


def _columns(value: Any, name: str) -> tuple[int, ...]:
    """Numbers of columns. Raises InvalidArgumentError unless they ascend and are not negative."""
    if value is None:
        return ()
    found = host_array(convert_to_tensor(value, int64, name=name)).tolist()
    if any(number < 0 for number in found):
        raise InvalidArgumentError.of(f"{name} should be non-negative indices")
    if found != sorted(set(found)):
        raise InvalidArgumentError.of(f"{name} should be strictly increasing indices")
    return tuple(found)


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


class CsvRecords(Node):
    """The records of the files `names`, one file after the other."""

    label = "CsvDatasetV2"

    def __init__(self, names: Sequence[str], form: CsvFormat) -> None:
        super().__init__(form.structure)
        self.names = list(names)
        self.form = form

    def count(self) -> int:
        return UNKNOWN

    def cursor(self) -> Cursor:
        return _CsvCursor(self)


class _CsvCursor(Cursor):
    """Reads the files.

    Attributes:
      _file: the number of the file that is read; `_count` is the number of records that were read of it.
      _outcomes: the rest of that file, without `_left`.
    """

    saved = ("_file", "_count")

    def __init__(self, node: CsvRecords) -> None:
        self._node = node
        self._file = self._count = 0
        self._outcomes: Iterator[Block | Exception] | None = None
        self._left: Block | None = None

    def read(self, most: int) -> Block | None:
        while self._file < len(self._node.names):
            if self._outcomes is None:
                self._open()
            found = self._next()
            if isinstance(found, Block):
                self._left = found.part(most, found.count) if found.count > most else None
                self._count += min(most, found.count)
                return found.part(0, most)
            if found is not None:
                self._count += 1
                raise found
            self._end_file()
        return None

    def _next(self) -> Block | Exception | None:
        if self._left is not None:
            return self._left
        assert self._outcomes is not None
        try:
            return next(self._outcomes, None)
        except Exception:
            # A file that cannot be read on is passed over.
            self._end_file()
            raise

    def _end_file(self) -> None:
        self._file, self._count, self._outcomes = self._file + 1, 0, None

    def _open(self) -> None:
        """Continues behind the records of the file that were read before."""
        self._outcomes = self._node.form.outcomes(self._node.names[self._file])
        skipped = self._count
        while skipped:
            (found,) = islice(self._outcomes, 1)
            size = found.count if isinstance(found, Block) else 1
            if isinstance(found, Block) and size > skipped:
                self._left = found.part(skipped, size)
            skipped = max(skipped - size, 0)

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._outcomes = self._left = None


class CsvDataset(Dataset):
    """The records of the CSV files `filenames`: tuples of scalars, one for each of `record_defaults`.

    A default is a dtype, or an empty tensor, if the field is required; else a list or a tensor with the one value of
    fields that are empty or `na_value`; a scalar counts as none. Fields are float32, float64, int32, int64 or string.
    The columns are those in `select_cols`, or all but those in `exclude_cols`; both ascend. `header` says whether files
    begin with a record that is passed over. Fields may be quoted if `use_quote_delim`. `compression_type` is `""`,
    `"GZIP"` or `"ZLIB"`.

    Raises: InvalidArgumentError for other defaults, delimiters, columns and compressions. When records are read: the
      same for a bad record, and NotFoundError or another of `tf.errors` for a file that cannot be read; the next read
      gets the record, or the file, after it.
    Source: TF 2.21 `tf.data.experimental.CsvDataset`.
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        header: Any = False,
        field_delim: Any = ",",
        use_quote_delim: Any = True,
        na_value: Any = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> None:
        require_buffer(buffer_size)
        form = CsvFormat(
            record_defaults,
            compression_type,
            header,
            field_delim,
            use_quote_delim,
            na_value,
            select_cols,
            exclude_cols,
        )
        self._node = _records(filenames, form)


def _records(filenames: Any, form: CsvFormat) -> Node:
    """The records of files, whose names may have no values yet in a function of elements."""
    if not any(map(has_no_value, flatten(filenames))):
        return CsvRecords(strings(filenames, "filenames"), form)
    names = convert_to_tensor(filenames, string)
    return Made(
        CsvRecords.label, form.structure, [names], lambda found: CsvRecords(strings(Tensor(found), "filenames"), form)
    )
