"""`tf.data.experimental.make_csv_dataset`: batches of the columns of CSV files."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import string
from tfcompat._data.datasets.csv.dataset import CsvFormat, CsvRecords, default_of
from tfcompat._data.datasets.csv.inference import Probe
from tfcompat._data.datasets.dataset import Dataset
from tfcompat._data.datasets.dataset_source import made
from tfcompat._data.datasets.file_dataset import compression_of
from tfcompat._data.functional.rearranging import Rearranged, in_turn
from tfcompat._data.nodes.prefetching import AUTOTUNE
from tfcompat._data.storage.file_listing import matching


def make_csv_dataset(
    file_pattern: Any,
    batch_size: Any,
    column_names: Any = None,
    column_defaults: Any = None,
    label_name: Any = None,
    select_columns: Any = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: Any = None,
    shuffle: Any = True,
    shuffle_buffer_size: Any = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    num_parallel_reads: Any = None,
    sloppy: Any = False,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
    ignore_errors: Any = False,
    encoding: str = "utf-8",
) -> Any:
    """Batches of the records of CSV files: an `OrderedDict` of columns, or a pair of it and the column `label_name`.

    `file_pattern` is a pattern or several. Names of columns are the first record if `header`, their dtypes are those
    that suit the first `num_rows_for_inference` records; `select_columns` has names or numbers. The records are
    shuffled, and repeated for ever, unless `shuffle` is False and `num_epochs` a number. `num_parallel_reads` files are
    read in turn, always in order, also if `sloppy`. For other arguments see `tf.data.experimental.CsvDataset`.

    Raises: ValueError if no file matches, for columns that do not fit together or are unknown, and where names and
      dtypes cannot be found; the errors of `CsvDataset`.
    Source: TF 2.21 `tf.data.experimental.make_csv_dataset`.
    """
    del sloppy  # the order is kept
    names = _file_names(file_pattern)
    files = Dataset.from_tensor_slices(names)
    if shuffle:
        files = files.shuffle(len(names), shuffle_seed)
    probe = Probe(names, compression_of(compression_type), encoding, field_delim, use_quote_delim)
    if column_names is None or column_defaults is None:
        _require_readable(probe.compression)
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        column_names = probe.column_names()
    _require_distinct(column_names)
    places = None if select_columns is None else _places(select_columns, column_names)
    if column_defaults is None:
        every = range(len(column_names)) if places is None else places
        dtypes = probe.dtypes(len(column_names), every, na_value, num_rows_for_inference, has_header=header)
        defaults = [convert_to_tensor(["" if dtype is string else 0], dtype) for dtype in dtypes]
    else:
        defaults = [default_of(value) for value in column_defaults]
    columns = _chosen(list(column_names), places, defaults)
    if label_name is not None and label_name not in columns:
        raise ValueError(f"`label_name` provided must be one of the columns: {columns}. Received: {label_name}.")
    form = CsvFormat(defaults, compression_type, header, field_delim, use_quote_delim, na_value, places)

    def opened(name: str) -> Any:
        records = made(CsvRecords([name], form))
        return (records.ignore_errors() if ignore_errors else records)._node

    cycle = 1 if num_parallel_reads is None else num_parallel_reads
    # TensorFlow does not divide files of CSV between processes.
    dataset = made(in_turn(files._node, form.structure, opened, cycle, has_records=False))
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    batches = dataset.batch(batch_size, drop_remainder=num_epochs is None)

    def arranged(record: Sequence[Any]) -> Any:
        features = OrderedDict(zip(columns, record, strict=True))
        return features if label_name is None else (features, features.pop(label_name))

    size = AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size
    return made(Rearranged(batches._node, arranged)).prefetch(size)


def shuffled_and_repeated(dataset: Any, epochs: Any, shuffle: Any, buffer_size: Any, seed: Any) -> Any:
    """`dataset`, shuffled if `shuffle`, and repeated unless there is one epoch."""
    if shuffle:
        dataset = dataset.shuffle(buffer_size, seed)
    return dataset if epochs == 1 else dataset.repeat(epochs)


def _file_names(pattern: Any) -> list[str]:
    """The files that match a pattern or a list of them, sorted. Raises ValueError if no file matches."""
    if isinstance(pattern, list) and not pattern:
        raise ValueError("Argument `file_pattern` should not be empty.")
    patterns = pattern if isinstance(pattern, list) else [pattern]
    names = sorted(name for each in patterns for name in matching(getattr(each, "__fspath__", lambda e=each: e)()))
    if not names:
        raise ValueError(f"No files match `file_pattern` {pattern}.")
    return names


def _require_readable(compression: str) -> None:
    """Raises ValueError for a compression in which names and dtypes cannot be found."""
    if compression == "ZLIB":
        raise ValueError(f"`compression_type` {compression} is not supported for probing columns.")
    if compression not in ("", "GZIP"):
        raise ValueError(f"Received unknown `compression_type` {compression}. Expected: GZIP, ZLIB or ''.")


def _require_distinct(names: Sequence[str]) -> None:
    if twice := sorted({name for name in names if list(names).count(name) > 1}):
        raise ValueError(
            f"Either `column_names` argument or CSV header row contains duplicate column names: {set(twice)}."
        )


def _places(selected: Sequence[Any], names: Sequence[str]) -> list[int]:
    """The numbers of selected columns, sorted. Raises ValueError for unknown columns, and for one that occurs twice."""
    found: list[int] = []
    for each in selected:
        if isinstance(each, int):
            if not 0 <= each < len(names):
                raise ValueError(
                    f"Column index {each} specified in `select_columns` should be >= 0 and < {len(names)}, which is "
                    "the number of columns."
                )
            found.append(each)
        elif each in names:
            found.append(list(names).index(each))
        else:
            raise ValueError(f"Column {each} specified in `select_columns` must be of one of the columns: {names}.")
    if len(set(found)) < len(found):
        raise ValueError(f"The `select_columns` argument contains duplicate columns: {selected}.")
    return sorted(found)


def _chosen(names: list[str], places: list[int] | None, defaults: Sequence[Tensor]) -> list[str]:
    """The names of the selected columns. Raises ValueError for another number of defaults."""
    if places is None:
        return names
    if len(defaults) != len(places):
        raise ValueError(
            "If specified, `column_defaults` and `select_columns` must have the same length: `column_defaults` has "
            f"length {len(defaults)}, `select_columns` has length {len(places)}."
        )
    return [names[place] for place in places]
