"""The main graph of a SavedModel, by which servers and TensorFlow 1 run signatures and restore variables."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfcompat._core.types.dtype import DType, string
from tfcompat._data.format.stored_spec import write_shape
from tfcompat._saved_model.messages.constant import PREDICT_METHOD_NAME
from tfcompat._saved_model.nodes.node import function_node, node
from tfcompat._saved_model.nodes.table_writer import TableWriter
from tfcompat._saved_model.objects.restored_object import Asset
from tfcompat._saved_model.objects.signature import Signature
from tfcompat._state.variable import SAVED, Variable

_SAVER_VERSION = 2
_GRAPH_VERSION = 2129
# Characters that the names of nodes must not have.
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9.\\/>_-]")


class GraphWriter:
    """Writes the nodes of the main graph to a `MetaGraphDef`."""

    def __init__(
        self,
        message: Any,
        variables: Mapping[int, Variable],
        tables: Mapping[int, TableWriter],
        assets: Mapping[str, str],
    ) -> None:
        """The graph of `message`, with nodes for `variables`, given by the numbers of objects, `tables` and `assets`.

        A server sets the names of files in the folder of the model when it runs the node that initialises the model.
        """
        self._message = message
        self._graph = message.graph_def
        self._graph.versions.producer = _GRAPH_VERSION
        self._handles: dict[int, str] = {}
        for number, variable in variables.items():
            # Converters look for the values of variables in nodes with the names that sessions know.
            known = _NOT_IN_NAMES.sub("_", variable._shared_name)
            name = self._handles[variable._number] = f"variables/{known}_{number}"
            self._add(
                name,
                "VarHandleOp",
                [],
                allowed_devices=("list_s", []),
                container=("s", b""),
                debug_name=("s", b""),
                dtype=("type", variable.dtype),
                shape=("shape", variable.shape),
                shared_name=("s", name.encode()),
            )

        self._tables: dict[int, str] = {}
        self._filled: list[str] = []
        for place, (key, table) in enumerate(tables.items()):
            nodes = table.nodes(f"table_{place}")
            self._graph.node.extend(nodes)
            self._tables[key] = nodes[0].name
            self._filled.append(nodes[-1].name)

        self._files: dict[bytes, str] = {}
        for file, (path, name) in zip(message.asset_file_def, assets.items(), strict=True):
            self._files[os.fsencode(path)] = self._file(file.tensor_info.name.removesuffix(":0"), name)

    def _file(self, label: str, name: str) -> str:
        """Adds a variable that is initialised with the tensor `label`, the name of a file, and returns its read."""
        handle, kind = f"{label}_path", ("type", string)
        self._add(label, "Const", [], dtype=kind, value=("tensor", (np.array(name.encode(), object), string)))
        self._add(handle, "VarHandleOp", [], dtype=kind, shape=("shape", []), shared_name=("s", handle.encode()))
        self._add(f"{label}_set", "AssignVariableOp", [handle, label], dtype=kind)
        self._add(f"{label}_read", "ReadVariableOp", [handle], dtype=kind)
        self._filled.append(f"{label}_set")
        return f"{label}_read"

    def _add(self, name: str, op: str, inputs: Sequence[str], /, **attributes: tuple[str, Any]) -> None:
        self._graph.node.append(node(name, op, inputs, **attributes))

    def add_signature(self, key: str, signature: Signature) -> None:
        """Adds a call of `signature`, and its tensors under the name `key`."""
        shown = self._message.signature_def[key]
        shown.method_name = PREDICT_METHOD_NAME
        inputs: list[str] = []
        for name, spec in signature.inputs.items():
            placeholder = f"{key}_{name}"
            self._add(placeholder, "Placeholder", [], dtype=("type", spec.dtype), shape=("shape", spec.shape))
            inputs.append(placeholder)
            _describe(shown.inputs[name], f"{placeholder}:0", spec)
        inputs += [self._captured(each) for each in signature.captured]
        self._graph.node.append(function_node(f"{key}_call", signature.message, inputs))
        for place, (name, spec) in enumerate(signature.outputs.items()):
            _describe(shown.outputs[name], f"{key}_call:{place}", spec)

    def _captured(self, value: Any) -> str:
        """The node for a variable, a table or a file."""
        if isinstance(value, Asset):
            return self._files[value.asset_path.numpy()]
        return self._tables.get(id(value)) or self._handles[value._number]

    def add_saver(self, keys: Mapping[str, Variable]) -> None:
        """Adds nodes that save and restore variables, whose names in the checkpoint are `keys`."""
        names = [key for key in keys if key.endswith(SAVED)]
        types: list[DType] = [keys[key].dtype for key in names]
        self._text("saver_filename", [""], is_scalar=True)
        self._text("saver_names", names)
        self._text("saver_slices", [""] * len(names))
        start = ["saver_filename", "saver_names", "saver_slices"]
        for place, key in enumerate(names):
            handle = self._handles[keys[key]._number]
            self._add(f"saver_read_{place}", "ReadVariableOp", [handle], dtype=("type", keys[key].dtype))
        reads = [f"saver_read_{place}" for place in range(len(names))]
        if names:
            self._add("saver_save", "SaveV2", [*start, *reads], dtypes=("list_type", types))
            self._add("saver_restore", "RestoreV2", start, dtypes=("list_type", types))
        for place, key in enumerate(names):
            inputs = [self._handles[keys[key]._number], f"saver_restore:{place}"]
            dtype = ("type", keys[key].dtype)
            self._add(f"saver_assign_{place}", "AssignVariableOp", inputs, dtype=dtype, validate_shape=("b", False))
        self._add("saver_restored", "NoOp", [f"^saver_assign_{place}" for place in range(len(names))])
        after = ["saver_filename", *(["^saver_save"] if names else [])]
        self._add("saver_saved", "Identity", after, T=("type", string))
        saver = self._message.saver_def
        saver.filename_tensor_name, saver.save_tensor_name = "saver_filename:0", "saver_saved:0"
        saver.restore_op_name, saver.version = "saver_restored", _SAVER_VERSION
        self._add("initialised", "NoOp", [f"^{name}" for name in self._filled])
        self._message.signature_def["__saved_model_init_op"].outputs["__saved_model_init_op"].name = "initialised"

    def _text(self, name: str, values: list[str], *, is_scalar: bool = False) -> None:
        array = np.array([value.encode() for value in values] + [None], object)[:-1]
        if is_scalar:
            self._add(
                name,
                "PlaceholderWithDefault",
                [f"{name}_default"],
                dtype=("type", string),
                shape=("shape", []),
            )
            name, array = f"{name}_default", array.reshape(())
        self._add(name, "Const", [], dtype=("type", string), value=("tensor", (array, string)))


def _describe(info: Any, name: str, spec: Any) -> None:
    """Writes the name and the type of a tensor to a `TensorInfo`."""
    info.name, info.dtype = name, spec.dtype.as_datatype_enum
    write_shape(info.tensor_shape, spec.shape)
