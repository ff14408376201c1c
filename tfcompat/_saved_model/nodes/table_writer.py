"""Tables as messages: the functions that make and fill them, and nodes that do so."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.types.dtype import DType, int32, resource
from tfcompat._saved_model.messages.message import messages
from tfcompat._saved_model.nodes.node import node
from tfcompat._state.static_table import StaticHashTable
from tfcompat._state.tracking.trackable import Trackable


class _Entries(NamedTuple):
    """The keys or the values of a table."""

    array: np.ndarray
    dtype: DType


class TableWriter:
    """Writes a table.

    Attributes:
      functions: the functions of its object, by name.
    """

    def __init__(self, table: StaticHashTable) -> None:
        keys, values = table.export()
        self._entries = [_Entries(np.asarray(keys), table.key_dtype), _Entries(np.asarray(values), table.value_dtype)]
        # Tables of a process with one name are one table.
        text = repr([(entries.dtype.name, entries.array.tolist()) for entries in self._entries])
        self._name = f"hash_table_{hashlib.sha256(text.encode()).hexdigest()[:32]}"
        self.functions = {
            "_create_resource": TableFunction("_create_resource", table, self),
            "_initialize": TableFunction("_initialize", table, self),
        }

    def made(self, name: str) -> Any:
        """The node `name` that makes the table."""
        keys, values = self._entries
        return node(
            name,
            "HashTableV2",
            [],
            key_dtype=("type", keys.dtype),
            value_dtype=("type", values.dtype),
            shared_name=("s", self._name.encode()),
        )

    def filled(self, name: str, table: str, *, is_function: bool) -> list[Any]:
        """The nodes that fill the table, of which `name` is the last."""
        ends = ("keys", "values")
        found = [
            node(f"{name}_{end}", "Const", [], dtype=("type", entries.dtype), value=("tensor", tuple(entries)))
            for end, entries in zip(ends, self._entries, strict=True)
        ]
        inputs = [f"{name}_{end}:output:0" if is_function else f"{name}_{end}" for end in ends]
        types = dict(zip(("Tin", "Tout"), [("type", entries.dtype) for entries in self._entries], strict=True))
        return [*found, node(name, "LookupTableImportV2", [table, *inputs], **types)]

    def nodes(self, name: str) -> list[Any]:
        """The nodes of a graph that make the table and fill it: the first and the last."""
        return [self.made(name), *self.filled(f"{name}_filled", name, is_function=False)]


class TableFunction(Trackable):
    """A function of the object of a table, which makes it or fills it.

    Attributes:
      name: its name.
      table: the table.
      takes_table: whether the table is its argument.
      output: the type of its result.
    """

    def __init__(self, name: str, table: StaticHashTable, writer: TableWriter) -> None:
        self.name = name
        self.table = table
        self.takes_table = name == "_initialize"
        self.output = TensorSpec([], int32 if self.takes_table else resource)
        self._writer = writer

    def message(self, name: str) -> Any:
        """The function as a message with the name `name`."""
        found = messages()["FunctionDef"]()
        found.signature.name, found.signature.is_stateful = name, True
        if self.takes_table:
            found.signature.input_arg.add(name="table", type=resource.as_datatype_enum)
            found.node_def.extend(self._writer.filled("filled", "table", is_function=True))
            found.node_def.append(_zero("^filled"))
            found.signature.control_output.append("filled")
            found.control_ret["filled"] = "filled"
        else:
            found.node_def.append(self._writer.made("made"))
        found.signature.output_arg.add(name="output", type=self.output.dtype.as_datatype_enum)
        found.ret["output"] = "done:output:0" if self.takes_table else "made:table_handle:0"
        return found


def _zero(*after: str) -> Any:
    """A constant that waits for the nodes `after`."""
    inputs: Sequence[str] = after
    return node("done", "Const", inputs, dtype=("type", int32), value=("tensor", (np.zeros((), np.int32), int32)))
