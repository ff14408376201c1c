"""The objects of a SavedModel, made from its messages."""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfcompat._core.structure.spec import TypeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import DataLossError
from tfcompat._core.types import nest
from tfcompat._data.format.stored_tensor import dtype_of
from tfcompat._distribute.sync_on_read import SyncOnReadVariable
from tfcompat._saved_model.kernels.kernel import kernel_of
from tfcompat._saved_model.kernels.library import Frame, Library
from tfcompat._saved_model.kernels.restored_function import LoadedFunction, RestoredFunction
from tfcompat._saved_model.kernels.table_kernel import LoadedTable
from tfcompat._saved_model.messages.attribute import shape_of, tensor_of
from tfcompat._saved_model.messages.constant import ASSETS_DIRECTORY
from tfcompat._saved_model.messages.stored_objects import StoredObjects, kind_of, require_sound
from tfcompat._saved_model.messages.structured import structure_of
from tfcompat._saved_model.objects.restored_object import Asset, RestoredResource, Setter, made, set_attribute
from tfcompat._state.static_table import StaticHashTable
from tfcompat._state.table import KEYS, VALUES, MutableHashTable
from tfcompat._state.variable import SAVED, Variable, VariableAggregation

_FULL_ARGUMENTS = ("args", "varargs", "varkw", "defaults", "kwonlyargs", "kwonlydefaults")


class Loading:
    """The objects of a SavedModel, made from its message.

    Attributes:
      objects: the objects, by their numbers.
    """

    def __init__(
        self,
        folder: str,
        graph: Any,
        *,
        is_partial: bool = False,
        given: Mapping[int, tuple[Any, Setter]] | None = None,
    ) -> None:
        """The objects of the `MetaGraphDef` `graph` in `folder`. If it `is_partial`, variables may lack values.

        `given` are objects that exist already, by their numbers, with the functions that give them children. They take
        the values of the checkpoint.

        Raises: DataLossError if the files are corrupted; NotFoundError if the checkpoint does not exist.
        """
        self._folder = folder
        self._subject = f"the SavedModel in {folder}"
        self._graph = graph
        self._nodes = graph.object_graph_def.nodes
        self._concrete = graph.object_graph_def.concrete_functions
        self._is_partial = is_partial
        require_sound(graph.object_graph_def, len(graph.asset_file_def))
        self._stored = StoredObjects(folder, graph.object_graph_def)
        kept: dict[str, list[str]] = {}
        for node in self._nodes:
            if node.HasField("captured_tensor"):
                name = node.captured_tensor.name.rpartition(":")[0]
                kept.setdefault(node.captured_tensor.concrete_function, []).append(name)
        self._library = Library(graph.graph_def, kernel_of, kept)
        self._library.objects = self
        self._functions: dict[str, LoadedFunction] = {}
        self._constants = {node.name: node for node in graph.graph_def.node}
        self.objects: list[Any] = []
        self._setters: list[Setter] = []
        self._given = given or {}
        with self._stored.values:
            self._verify()
            for number, node in enumerate(self._nodes):
                value, setter = self._made(number, node)
                self.objects.append(value)
                self._setters.append(setter)
            self._connect()
            self._fill_tables()

    def _verify(self) -> None:
        """Reads all values of objects, so that broken files change nothing."""
        values = self._stored.values
        values.verify(
            key
            for number in range(len(self._nodes))
            for key in self._stored.keys(number).values()
            if key in values.entries
        )

    def _made(self, number: int, node: Any) -> tuple[Any, Setter]:
        if number in self._given:
            value, setter = self._given[number]
            self._restore(number, value)
            # The functions of the model use a table of their own, of which a given one gets the content.
            return (RestoredResource(), set_attribute) if isinstance(value, StaticHashTable) else (value, setter)
        kind = kind_of(node)
        if kind == "user_object":
            return made(node.user_object)
        if kind == "variable":
            return self._variable(number, node.variable), set_attribute
        if kind == "function":
            return self._function(node.function), _keep_apart
        if kind == "bare_concrete_function":
            return self._bare(node.bare_concrete_function), _keep_apart
        if kind == "asset":
            return Asset(self._asset_path(self._graph.asset_file_def[node.asset.asset_file_def_index])), set_attribute
        if kind == "constant":
            return self._constant(node.constant.operation), set_attribute
        if kind == "resource":
            return RestoredResource(), set_attribute
        return node.captured_tensor, _keep_apart

    def _restore(self, number: int, value: Any) -> None:
        """Sets `value`, an object that exists already, to the values of object `number` in the checkpoint."""
        key = self._stored.keys(number).get(SAVED)
        if isinstance(value, Variable) and key in self._stored.values.entries:
            value.assign(Tensor(self._stored.values.verified(key)))
        elif isinstance(value, MutableHashTable) and (table := self._table_values(number)):
            value._restore_from_tensors(table)

    def _table_values(self, number: int) -> dict[str, Tensor]:
        """The keys and values of the mutable table that is object `number`; empty if the checkpoint has none."""
        values = self._stored.values
        start = next(iter(self._stored.keys(number).values()), "")
        if start + KEYS not in values.entries or start + VALUES not in values.entries:
            return {}
        values.verify([start + KEYS, start + VALUES])
        return {end: Tensor(values.verified(start + end)) for end in (KEYS, VALUES)}

    def _asset_path(self, asset: Any) -> str:
        name = os.path.basename(asset.filename)
        if name != asset.filename or name in ("", ".", ".."):
            raise DataLossError.of(f"{self._subject} is corrupted: {asset.filename!r} is not the name of an asset")
        return os.path.join(self._folder, ASSETS_DIRECTORY, name)

    def _constant(self, name: str) -> Tensor:
        node = self._constants.get(name)
        if node is None or not node.attr["value"].HasField("tensor"):
            raise DataLossError.of(f"{self._subject} is corrupted: there is no constant {name!r}")
        return tensor_of(node.attr["value"].tensor, self._subject)

    def _variable(self, number: int, message: Any) -> Variable:
        """The variable with the value of the checkpoint."""
        name = message.name or "<variable loaded from saved model>"
        dtype, shape = dtype_of(message.dtype, self._subject), shape_of(message.shape, self._subject)
        key = self._stored.keys(number).get(SAVED)
        if key is None or key not in self._stored.values.entries:
            if not self._is_partial:
                raise AssertionError(f"tf.saved_model.load: the checkpoint lacks a value of the variable {name!r}.")
            value: Any = np.zeros([size or 0 for size in shape.as_list()], dtype.as_numpy_dtype)
        else:
            value = self._stored.values.verified(key)
        tensor = Tensor(value)
        if tensor.dtype is not dtype or not shape.is_compatible_with(tensor.shape):
            raise DataLossError.of(
                f"{self._subject} is corrupted: the variable {name!r} of shape {shape} and dtype {dtype.name} has a "
                f"value of shape {tensor.shape} and dtype {tensor.dtype.name}"
            )
        try:
            made = Variable(
                tensor,
                trainable=message.trainable,
                name=name,
                shape=shape,
                synchronization=message.synchronization,  # pyright: ignore[reportArgumentType]  # a number
                aggregation=message.aggregation,  # pyright: ignore[reportArgumentType]  # a number
            )
        except ValueError as bad:
            raise DataLossError.of(f"{self._subject} is corrupted: {bad}") from bad
        if isinstance(made, SyncOnReadVariable) and made.aggregation is VariableAggregation.SUM:
            made.assign(tensor)  # each component receives its part
        return made

    def _loaded(self, name: str) -> LoadedFunction:
        """The function `name` with its signature."""
        if name not in self._functions:
            if name not in self._concrete or name not in self._library:
                raise DataLossError.of(f"{self._subject} is corrupted: there is no function {name!r}")
            message = self._concrete[name]
            inputs, outputs, refusal = ((), {}), None, None
            try:
                given = structure_of(message.canonicalized_input_signature, self._subject)
                if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], dict):
                    inputs = given
                outputs = structure_of(message.output_signature, self._subject)
            except NotImplementedError as refused:
                refusal = refused
            self._functions[name] = LoadedFunction(self._library, name, inputs, outputs, refusal)
        return self._functions[name]

    def _function(self, message: Any) -> RestoredFunction:
        signature, input_signature = self._signature(message.function_spec)
        concrete = [self._loaded(name) for name in message.concrete_functions]
        names = [p.name for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
        for each in concrete:
            each.name_parameters(names)
        return RestoredFunction(signature, input_signature, concrete)

    def _bare(self, message: Any) -> LoadedFunction:
        found = self._loaded(message.concrete_function_name)
        found.accept(list(message.argument_keywords), message.allowed_positional_arguments)
        return found

    def _signature(self, message: Any) -> tuple[inspect.Signature, Any]:
        """The signature of a Python function, without `self`, and the specs that it was decorated with."""
        given = structure_of(message.fullargspec, self._subject)
        try:
            args, varargs, varkw, defaults, kwonlyargs, kwonlydefaults = [
                getattr(given, key) for key in _FULL_ARGUMENTS
            ]
            args = list(args)[1:] if message.is_method or list(args)[:1] == ["self"] else list(args)
            signature = _python_signature(args, varargs, varkw, defaults or (), kwonlyargs or (), kwonlydefaults or {})
        except (AttributeError, TypeError, ValueError) as bad:
            raise DataLossError.of(f"{self._subject} is corrupted: a function has no parameters: {bad}") from bad
        specs = structure_of(message.input_signature, self._subject)
        are_plain = isinstance(specs, tuple) and all(isinstance(each, TypeSpec) for each in nest.flatten(specs))
        return signature, specs if are_plain and len(specs) <= len(args) else None

    def aliases(self) -> dict[str, Any]:
        """The functions by the aliases that they were saved with."""
        named = self._graph.meta_info_def.function_aliases
        found: dict[str, Any] = {}
        for name in sorted(named):
            if name in self._functions:
                found.setdefault(named[name], []).append(self._functions[name])
        for value in self.objects:
            if isinstance(value, RestoredFunction):
                for alias, concrete in found.items():
                    if concrete and concrete == sorted(value.concrete_functions, key=lambda each: each.name):
                        found[alias] = value
        return found

    def captured(self, name: str, frame: Frame | None) -> list[Any]:
        """The values that the function `name` takes after its arguments; `frame` is the function around it, if any."""
        numbers = self._concrete[name].bound_inputs if name in self._concrete else ()
        return [self._value(number, frame) for number in numbers]

    def _value(self, number: int, frame: Frame | None) -> Any:
        """Object `number` as an argument of a function."""
        node, value = self._nodes[number], self.objects[number]
        if isinstance(value, SyncOnReadVariable):
            return value._current().handle  # that of the first component outside of replicas, as in TensorFlow
        if isinstance(value, Variable):
            return value.handle
        if isinstance(value, RestoredResource):
            return value.resource_handle
        if isinstance(value, Asset):
            return value.asset_path
        if isinstance(value, Tensor):
            return value
        if node.HasField("captured_tensor") and frame is not None and frame.plan.name == value.concrete_function:
            return frame.values[frame.plan.slot_of_tensor(value.name)]
        raise DataLossError.of(f"{self._subject} is corrupted: object {number} cannot be the argument of a function")

    def arranged(self, name: str, results: Sequence[Any], count: int) -> list[Any]:
        """The `results` of the function `name`, a gradient, for `count` inputs: None where it has none."""
        message = self._concrete.get(name)
        shown = nest.flatten(structure_of(message.output_signature, self._subject)) if message is not None else []
        given = iter(results)
        if len(shown) != count or sum(spec is not None for spec in shown) != len(results):
            raise DataLossError.of(f"{self._subject} is corrupted: the gradient {name!r} does not fit its function")
        return [None if spec is None else next(given) for spec in shown]

    def _connect(self) -> None:
        for number, node in enumerate(self._nodes):
            for child in node.children:
                self._setters[number](self.objects[number], child.local_name, self.objects[child.node_id])

    def _fill_tables(self) -> None:
        for number, value in enumerate(self.objects):
            if isinstance(value, RestoredResource):
                try:
                    value.initialise()
                except NotImplementedError as refused:
                    # Variables, and functions that do not use the table, are there all the same.
                    logging.getLogger("tensorflow").warning("A table is left empty: %s", refused)
                if table := self._table_values(number):
                    value.restore(table)
                if number in self._given and isinstance(value.resource_handle, LoadedTable):
                    given: StaticHashTable = self._given[number][0]
                    given._copy(value.resource_handle.with_default(given.default_value))


def _keep_apart(target: Any, name: str, value: Any) -> None:
    """The children of functions are other forms of them."""
    del target, name, value


def _python_signature(
    args: Sequence[str], varargs: Any, varkw: Any, defaults: Sequence[Any], only: Sequence[str], only_defaults: Any
) -> inspect.Signature:
    kind = inspect.Parameter
    first = len(args) - len(defaults)
    found = [
        kind(name, kind.POSITIONAL_OR_KEYWORD, default=defaults[place - first] if place >= first else kind.empty)
        for place, name in enumerate(args)
    ]
    if varargs:
        found.append(kind(varargs, kind.VAR_POSITIONAL))
    found += [kind(name, kind.KEYWORD_ONLY, default=only_defaults.get(name, kind.empty)) for name in only]
    if varkw:
        found.append(kind(varkw, kind.VAR_KEYWORD))
    return inspect.Signature(found)
