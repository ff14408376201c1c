"""Parsing of CSV records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core.calls.by_row import by_row, elementwise
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.types.dtype import FLOATING, float32, float64, int32, int64, string
from tfcompat._ops.text.element import array_of, strings
from tfcompat._ops.text.number import real, whole_of

_QUOTE = ord('"')


@by_row(
    "records",
    specs=lambda records, record_defaults, **_: _columns(records, record_defaults),
    block=lambda **given: elementwise(lambda records: _arrays(records, given)),
)
def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> list[Tensor]:
    """The columns of `records`, strings of fields separated by `field_delim`: a tensor for each of `record_defaults`.

    A field that is empty or `na_value` gets its default, which also sets the dtype of the column; an empty tensor means
    that the field is required. Fields may be quoted unless `use_quote_delim` is False. `select_cols` selects columns by
    index.

    Shapes: [*dims] -> a list of [*dims].
    Dtypes: string -> those of the defaults: float32, float64, int32, int64 or string.
    Raises: InvalidArgumentError if a record has another number of fields, a required field is empty, a field is not a
      number of its dtype, or for misplaced quotes; ValueError if select_cols does not ascend or fit the defaults.
    Source: TF 2.21 `tf.io.decode_csv`.
    """
    del name
    defaults = [convert_to_tensor(default) for default in record_defaults]
    columns = None if select_cols is None else list(select_cols)
    _require_columns(defaults, columns, field_delim)
    texts = strings("io.decode_csv", records, "records").__array__()
    missing = na_value.encode()
    rows: list[list[bytes]] = []
    for k, text in enumerate(texts.flat):
        fields = _fields(text, ord(field_delim), use_quote_delim, None if columns is None else columns[-1])
        chosen = fields if columns is None else [fields[c] for c in columns if c < len(fields)]
        if len(chosen) != len(defaults):
            raise _refusal(f"Expect {len(defaults)} fields but have {len(chosen)} in record {k}")
        rows.append(chosen)
    readers = [_reader(default, missing, f) for f, default in enumerate(defaults)]
    return [
        Tensor(array_of((read(row[f], k) for k, row in enumerate(rows)), texts.shape, default.dtype))
        for f, (read, default) in enumerate(zip(readers, defaults, strict=True))
    ]


def _columns(records: Any, record_defaults: Any) -> list[TensorSpec]:
    shape = convert_to_tensor(records).shape
    return [TensorSpec(shape, convert_to_tensor(default).dtype) for default in record_defaults]


def _arrays(records: Any, given: dict[str, Any]) -> list[Any]:
    return [column.__array__() for column in decode_csv(**{**given, "records": Tensor(records)})]


def _refusal(problem: str) -> InvalidArgumentError:
    return found_early(f"tf.io.decode_csv: {problem}.")


def _require_columns(defaults: Sequence[Tensor], columns: list[int] | None, delimiter: str) -> None:
    if columns is not None and (
        not columns or len(columns) != len(defaults) or columns != sorted(set(columns)) or min(columns) < 0
    ):
        raise ValueError(f"tf.io.decode_csv: select_cols must ascend, one for each default, got {columns}.")
    if len(delimiter) != 1:
        raise _refusal(f"field_delim should be only 1 char, got {delimiter!r}")
    if not defaults:
        raise _refusal("there must be at least one default")
    for default in defaults:
        if default.ndim > 1:
            raise _refusal(f"Each record default should be at most rank 1, got {default!r}")
        if default.dtype not in (float32, float64, int32, int64, string) or default._aval.size > 1:
            raise _refusal(f"a default must be one number of 32 or 64 bits, or a string, got {default!r}")


def _reader(default: Tensor, missing: bytes, column: int) -> Callable[[bytes, int], Any]:
    """The function that reads a field of a column, given the number of its record."""
    parse = bytes if default.dtype is string else real if default.dtype in FLOATING else whole_of(default.dtype)
    otherwise = default.__array__().ravel().tolist()

    def read(field: bytes, record: int) -> Any:
        if field and field != missing:
            try:
                return parse(field if default.dtype is string else field.strip())
            except InvalidArgumentError:
                kind = default.dtype.name
                raise _refusal(
                    f"Field {column} in record {record} is not a valid {kind}: {field.decode(errors='replace')}"
                ) from None
        if not otherwise:
            raise _refusal(f"Field {column} is required but missing in record {record}!")
        return otherwise[0]

    return read


def _fields(text: bytes, delimiter: int, has_quotes: bool, last: int | None) -> list[bytes]:
    """The fields of a record, up to the number `last`; those after it are not read."""
    fields: list[bytes] = []
    place = 0
    while place < len(text):
        if text[place] in b"\r\n":
            place += 1
            continue
        read = _quoted if has_quotes and text[place] == _QUOTE else _unquoted
        field, place = read(text, place, delimiter, has_quotes)
        fields.append(field)
        if len(fields) - 1 == last:
            return fields
    return [*fields, b""] if text and text[-1] == delimiter else fields


def _unquoted(text: bytes, place: int, delimiter: int, has_quotes: bool) -> tuple[bytes, int]:
    """The field that begins at `place`, and the start of the next one."""
    end = text.find(delimiter, place)
    field = text[place : end if end >= 0 else len(text)]
    if b"\r" in field or b"\n" in field or (has_quotes and _QUOTE in field):
        raise _refusal("Unquoted fields cannot have quotes/CRLFs inside")
    return field, place + len(field) + 1


def _quoted(text: bytes, place: int, delimiter: int, has_quotes: bool) -> tuple[bytes, int]:
    """The quoted field that begins at `place`, and the start of the next one."""
    del has_quotes
    field = bytearray()
    place += 1
    while place < len(text) - 1 and not (text[place] == _QUOTE and text[place + 1] == delimiter):
        if text[place] == _QUOTE:
            if text[place + 1] != _QUOTE:
                raise _refusal("Quote inside a string has to be escaped by another quote")
            place += 1
        field.append(text[place])
        place += 1
    if place >= len(text) or text[place] != _QUOTE:
        raise _refusal("Quoted field has to end with quote followed by delim or end")
    return bytes(field), place + 2
