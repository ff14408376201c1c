"""Kernels of tables: those that functions look up, and those that fill a table when a model is loaded."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.system.error import DataLossError, FailedPreconditionError
from tfcompat._core.types.dtype import DType
from tfcompat._saved_model.kernels.library import Frame, Kernel
from tfcompat._saved_model.kernels.plan import Step
from tfcompat._state.static_table import StaticHashTable
from tfcompat._state.table import MutableHashTable
from tfcompat._state.table_initializer import KeyValueTensorInitializer, TextFileInitializer

_EMPTY: dict[str, Any] = {"string": b""}


class LoadedTable:
    """An immutable table of a SavedModel, which a function of the model fills.

    Attributes:
      key_dtype, value_dtype: the dtypes of keys and values.
    """

    def __init__(self, key_dtype: DType, value_dtype: DType) -> None:
        self.key_dtype = key_dtype
        self.value_dtype = value_dtype
        self._initializer: Any = None
        self._tables: dict[Any, StaticHashTable] = {}

    def fill(self, initializer: Any) -> None:
        """Fills the table, unless it is filled. Raises the errors of the initializer."""
        if self._initializer is None:
            self._initializer = initializer
            self.with_default(_EMPTY.get(self.value_dtype.name, 0))

    def with_default(self, default: Any) -> StaticHashTable:
        """The table that finds `default` for other keys. Raises FailedPreconditionError before it is filled."""
        if self._initializer is None:
            raise FailedPreconditionError.of("tf.saved_model.load: Table not initialized.")
        value = convert_to_tensor(default, self.value_dtype)
        key = np.asarray(value).item()
        if key not in self._tables:
            self._tables[key] = StaticHashTable(self._initializer, value)
        return self._tables[key]


def _table(step: Step, value: Any) -> Any:
    if not isinstance(value, (LoadedTable, MutableHashTable)):
        raise DataLossError.of(f"{step.subject} is corrupted: its input is not a table")
    return value


def _made(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame, inputs
    return [LoadedTable(step.attribute("key_dtype"), step.attribute("value_dtype"))]


def _made_mutable(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame, inputs
    key, value = step.attribute("key_dtype"), step.attribute("value_dtype")
    shape = step.attribute("value_shape")
    default = np.full(shape.as_list() if shape is not None else (), _EMPTY.get(value.name, 0), value.as_numpy_dtype)
    return [MutableHashTable(key, value, default)]


def _found(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    table, keys, default = inputs
    found = _table(step, table)
    if isinstance(found, MutableHashTable):
        return [found.lookup(keys, default)]
    return [found.with_default(default).lookup(keys)]


def _filled(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    table, keys, values = inputs
    found = _table(step, table)
    if isinstance(found, MutableHashTable):
        found.remove(found.export()[0])
        found.insert(keys, values)
    else:
        found.fill(KeyValueTensorInitializer(keys, values))
    return []


def _inserted(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    _table(step, inputs[0]).insert(inputs[1], inputs[2])
    return []


def _filled_from_file(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    table, filename = _table(step, inputs[0]), inputs[1]
    size = step.attribute("vocab_size", -1)
    table.fill(
        TextFileInitializer(
            filename,
            table.key_dtype,
            step.attribute("key_index"),
            table.value_dtype,
            step.attribute("value_index"),
            None if size == -1 else size,
            step.attribute("delimiter", "\t"),
            value_index_offset=step.attribute("offset", 0),
        )
    )
    return []


def _counted(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    table = _table(step, inputs[0])
    return [_whole(table).size()]


def _exported(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    table = _table(step, inputs[0])
    return [*_whole(table).export()]


def _whole(table: Any) -> Any:
    """The table with `size` and `export`."""
    return table if isinstance(table, MutableHashTable) else table.with_default(_EMPTY.get(table.value_dtype.name, 0))


TABLE_KERNELS: dict[str, Kernel] = {
    "HashTableV2": _made,
    "InitializeTableFromTextFileV2": _filled_from_file,
    "InitializeTableV2": _filled,
    "LookupTableExportV2": _exported,
    "LookupTableFindV2": _found,
    "LookupTableImportV2": _filled,
    "LookupTableInsertV2": _inserted,
    "LookupTableSizeV2": _counted,
    "MutableHashTableOfTensorsV2": _made_mutable,
    "MutableHashTableV2": _made_mutable,
}
