"""Columns of blocks as records of saved datasets: one tensor for each component, in its order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.system.error import DataLossError, InvalidArgumentError
from tfcompat._core.types.dtype import DType, string, variant
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.blocks.block import Block, Column, column_of, entries
from tfcompat._data.blocks.component import Component, Dense, Nested, Nothing, Ragged, Sparse, Whole
from tfcompat._data.blocks.host_value import HostRagged, HostSparse
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.format import stored_tensor

# The beginning of a record of a string without axes.
_TEXT = stored_tensor.head_of(string, ()) + b'"'


def require_storable(structure: Structure, label: str) -> None:
    """Raises NotImplementedError for elements that are not made of tensors."""
    for part in structure.components:
        if isinstance(part, Nested):
            raise NotImplementedError(
                f"{label}: elements that contain datasets are not supported; save the elements of each dataset."
            )
        if isinstance(part, Whole):
            raise NotImplementedError(
                f"{label}: elements of the type {part.spec!r} are not supported; save their tensors as a tuple or a "
                "dict."
            )
    if not stored_parts(structure):
        raise NotImplementedError(f"{label}: elements without tensors are not supported.")


def stored_parts(structure: Structure) -> list[Component]:
    """The components that have tensors."""
    return [part for part in structure.components if not isinstance(part, Nothing)]


def records_of(structure: Structure, block: Block) -> list[list[bytes]]:
    """The tensors of each component that has some, as messages."""
    pairs = zip(structure.components, block.columns, strict=True)
    return [_column_records(part, column) for part, column in pairs if not isinstance(part, Nothing)]


def _column_records(part: Component, column: Column) -> list[bytes]:
    dtype = part.spec.dtype
    if isinstance(part, Dense):
        if isinstance(column, np.ndarray) and column.dtype != object:
            return stored_tensor.column_bytes(column, dtype)
        return [stored_tensor.dense_bytes(entry, dtype) for entry in entries(column)]
    return [stored_tensor.variant_tensor(variants_of(part, entry)) for entry in entries(column)]


def variants_of(part: Component, entry: Any) -> list[bytes]:
    """The messages of the variants of a sparse or ragged tensor."""
    splits = getattr(part.spec, "row_splits_dtype", part.spec.dtype)
    return stored_tensor.variants_of(entry, part.spec.dtype, splits)


def block_of(structure: Structure, columns: Sequence[list[bytes]], subject: str) -> Block:
    """The block with the tensors `columns` of its components.

    Raises: InvalidArgumentError if one has another dtype or shape than the component; DataLossError, naming `subject`,
      if one is corrupted.
    """
    count = len(columns[0]) if columns else 0
    rest = iter(enumerate(columns))
    found: list[Column] = []
    for part in structure.components:
        if isinstance(part, Nothing):
            found.append([None] * count)
        else:
            place, records = next(rest)
            found.append(_column(part, records, place, subject))
    return Block(tuple(found), count)


def _column(part: Component, records: list[bytes], place: int, subject: str) -> Column:
    alike = _alike(part, records, place, subject)
    if alike is not None:
        return alike
    values: list[Any] = []
    for record in records:
        dtype, value = stored_tensor.decoded(record, subject)
        values.append(checked(part, dtype, value, place, subject))
    return column_of(values)


def _alike(part: Component, records: list[bytes], place: int, subject: str) -> Column | None:
    """The column of records with one beginning; None if they have several."""
    if not isinstance(part, Dense):
        return None
    size = len(records[0])
    dtype, value = stored_tensor.decoded(records[0], subject)
    checked(part, dtype, value, place, subject)
    content = stored_tensor.content_of(value)
    head = size - len(content)
    if dtype is string:
        return _texts(records) if value.ndim == 0 else None
    if not content or any(len(record) != size for record in records) or not records[0].endswith(content):
        return None
    # A message with its values in another field has another beginning than the one that is written here.
    if records[0][:head] != stored_tensor.head_of(dtype, value.shape) + b'"' + stored_tensor.number_bytes(len(content)):
        return None
    table = np.frombuffer(b"".join(records), np.uint8).reshape(len(records), size)
    if (table[:, :head] != table[0, :head]).any():
        return None
    flat = np.ascontiguousarray(table[:, head:]).reshape(-1)
    return stored_tensor.array_of_content(flat.tobytes(), dtype, (len(records), *value.shape), subject)


def _texts(records: list[bytes]) -> Column | None:
    """The strings of records of strings without axes, each less than 127 bytes long; None if there are others."""
    start = len(_TEXT) + 2
    found = np.empty(len(records), object)
    for place, record in enumerate(records):
        size = len(record) - start
        if not 0 <= size < 0x7F or record[:start] != _TEXT + bytes((size + 1, size)):
            return None
        found[place] = record[start:]
    return found


def checked(part: Component, dtype: DType, value: Any, place: int, subject: str) -> Any:
    """`value`, as a component of the kind `part`.

    Raises: InvalidArgumentError for another dtype or shape; DataLossError for a bad composite tensor.
    """
    spec = part.spec
    expected = spec.dtype if isinstance(part, Dense) else variant
    if dtype is not expected:
        raise InvalidArgumentError.of(
            f"Data type mismatch at component {place}: expected {_kernel_name(expected)} but got {_kernel_name(dtype)}."
        )
    if isinstance(part, Dense):
        if not spec.shape.is_compatible_with(value.shape):
            raise InvalidArgumentError.of(
                f"Incompatible shapes at component {place}: expected {_listed(spec.shape)} but got "
                f"{_listed(TensorShape(value.shape))}."
            )
        return value
    if isinstance(part, Sparse):
        return _sparse(spec, value, subject)
    return _ragged(spec, value, subject) if isinstance(part, Ragged) else value


def _sparse(spec: Any, value: Any, subject: str) -> HostSparse:
    if (
        not isinstance(value, HostSparse)
        or value.values.dtype != spec.dtype.as_numpy_dtype
        or not spec.shape.is_compatible_with(value.shape.tolist())
        or (value.indices < 0).any()
        or (value.indices >= value.shape).any()
    ):
        raise DataLossError.of(f"{subject} is corrupted: expected a sparse tensor of the type {spec}")
    return value


def _ragged(spec: Any, value: Any, subject: str) -> Any:
    is_ragged = isinstance(value, HostRagged)
    splits = value.splits if isinstance(value, HostRagged) else ()
    flat = value.values if isinstance(value, HostRagged) else value
    if (
        isinstance(value, HostSparse)
        or len(splits) != spec.ragged_rank
        or flat.dtype != spec.dtype.as_numpy_dtype
        or not spec.shape[1 + spec.ragged_rank :].is_compatible_with(flat.shape[1:])
    ):
        raise DataLossError.of(f"{subject} is corrupted: expected a ragged tensor of the type {spec}")
    wanted = spec.row_splits_dtype.as_numpy_dtype
    return HostRagged(flat, tuple([rows.astype(wanted) for rows in splits])) if is_ragged else value


def _kernel_name(dtype: DType) -> str:
    """The name of a dtype in the messages of TensorFlow's kernels."""
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)


def _listed(shape: TensorShape) -> str:
    if shape.rank is None:
        return "<unknown>"
    return f"[{','.join('?' if size is None else str(size) for size in shape.as_list())}]"
