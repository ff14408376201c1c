"""Nodes of a function that is written, with the dtypes of their tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.types.dtype import DType, as_dtype, string
from tfcompat._saved_model.messages.declaration import declarations
from tfcompat._saved_model.nodes.gradient_writer import name_in_graph
from tfcompat._saved_model.nodes.node import node


class Value(NamedTuple):
    """A tensor of a function that is written.

    Attributes:
      name: the reference to it, as nodes have it.
      dtype: its dtype.
      shape: its shape, with symbols for open sizes; None for an unknown rank.
    """

    name: str
    dtype: DType
    shape: tuple[Any, ...] | None


Attributes = Mapping[str, tuple[str, Any]]


class NodeWriter:
    """Adds nodes to the `FunctionDef` `message`.

    Attributes:
      handles: the tables that the function takes, by `id`.
    """

    def __init__(self, message: Any) -> None:
        self._message = message
        self.handles: dict[int, Value] = {}
        self._count = 0
        self._names: dict[str, str] = {}

    def add(
        self,
        op: str,
        inputs: Sequence[Value | Sequence[Value]],
        dtypes: Sequence[DType],
        attributes: Attributes | None = None,
        shapes: Sequence[tuple[Any, ...] | None] = (),
    ) -> list[Value]:
        """The outputs, of `dtypes` and of `shapes` if these are known, of a new node of the kernel `op`.

        A list among `inputs` is one for a parameter that is a list. Attributes that follow from the inputs are added.
        """
        declared = declarations()[op]
        given = dict(attributes or {})
        flat: list[Value] = []
        for argument, value in zip(declared.input_arg, inputs, strict=True):
            values = [value] if isinstance(value, Value) else list(value)
            flat += values
            if argument.type_list_attr:
                given[argument.type_list_attr] = "list_type", [each.dtype for each in values]
            if argument.number_attr:
                given[argument.number_attr] = "i", len(values)
            if argument.type_attr and values:
                given[argument.type_attr] = "type", values[0].dtype
        name = self.message(node(self._name(op), op, [value.name for value in flat], **given))
        places: list[str] = []
        for output in declared.output_arg:
            count = 1
            if output.type_list_attr:
                count = len(given[output.type_list_attr][1])
            elif output.number_attr:
                count = given[output.number_attr][1]
            places += [f"{name}:{output.name}:{place}" for place in range(count)]
        self._names.update((place, f"{name}:{number}") for number, place in enumerate(places))
        known = shapes or [None] * len(places)
        return [Value(*each) for each in zip(places, dtypes, known, strict=True)]

    def one(
        self,
        op: str,
        inputs: Sequence[Value | Sequence[Value]],
        dtype: DType,
        attributes: Attributes | None = None,
        shape: tuple[Any, ...] | None = None,
    ) -> Value:
        """The only output of a new node."""
        return self.add(op, inputs, [dtype], attributes, [shape])[0]

    def name_in_graph(self, reference: str) -> str:
        """The name that a tensor of the function has in a graph."""
        return self._names.get(reference) or name_in_graph(reference)

    def cast(self, value: Value, dtype: DType) -> Value:
        """`value` as `dtype`."""
        return value if value.dtype is dtype else self.one("Cast", [value], dtype, {"DstT": ("type", dtype)})

    def message(self, message: Any) -> str:
        """Adds the node `message`, and returns its name."""
        self._message.node_def.append(message)
        return message.name

    def constant(self, value: Any, dtype: DType | None = None) -> Value:
        """A constant."""
        array = np.asarray(value)
        if dtype is None:
            dtype = string if array.dtype == object else as_dtype(array.dtype)
        if dtype is not string:
            array = array.astype(dtype.as_numpy_dtype)
        attributes = {"dtype": ("type", dtype), "value": ("tensor", (array, dtype))}
        name = self.message(node(self._name("Const"), "Const", [], **attributes))
        return Value(f"{name}:output:0", dtype, array.shape)

    def _name(self, op: str) -> str:
        self._count += 1
        return f"{op}_{self._count}"
