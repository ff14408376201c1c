"""The objects of a SavedModel as messages: each with its kind and those that it depends on."""

from __future__ import annotations

import inspect
import itertools
import os
from collections.abc import Iterable, Mapping
from typing import Any

import jax

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.system.error import NotFoundError
from tfcompat._core.types import nest
from tfcompat._data.format.stored_spec import write_shape
from tfcompat._function.arguments.function_spec import full_arguments
from tfcompat._function.arguments.trace_type import VariableSpec
from tfcompat._function.functions.concrete import ConcreteFunction
from tfcompat._function.functions.function import Function
from tfcompat._saved.object_view import Visit, identity_of, traversed
from tfcompat._saved_model.messages.structured import structured
from tfcompat._saved_model.nodes.function_writer import Written, written
from tfcompat._saved_model.nodes.staged_writer import staged
from tfcompat._saved_model.nodes.table_writer import TableFunction, TableWriter
from tfcompat._saved_model.objects.options import SaveOptions, VariablePolicy
from tfcompat._saved_model.objects.restored_object import Asset, SignatureMap
from tfcompat._saved_model.objects.revival import latest_registration
from tfcompat._saved_model.objects.signature import Signature, concrete_signatures, found_signature, written_signature
from tfcompat._saved_model.objects.traced import (
    CONCRETE,
    FUNCTIONS,
    Concretes,
    children_of,
    named_refusals,
    saved_form_of,
)
from tfcompat._saved_model.programs.staged_function import StagedFunction
from tfcompat._state.handle import acting
from tfcompat._state.static_table import StaticHashTable
from tfcompat._state.tracking.dict_wrapper import _DictWrapper
from tfcompat._state.tracking.list_wrapper import ListWrapper
from tfcompat._state.tracking.trackable import Trackable
from tfcompat._state.tracking.tuple_wrapper import _TupleWrapper
from tfcompat._state.variable import Variable

_SIGNATURES = "signatures"
_IDENTIFIERS = (
    (SignatureMap, "signature_map"),
    (ListWrapper, "trackable_list_wrapper"),
    (_DictWrapper, "trackable_dict_wrapper"),
    (_TupleWrapper, "trackable_tuple_wrapper"),
)


class _SignatureObject(Trackable):
    """A signature among the objects."""

    def __init__(self, name: str) -> None:
        self.name = name


class ObjectWriter:
    """Writes the object `root` and all that it depends on to a `MetaGraphDef`.

    Attributes:
      signatures: the signatures by name.
      variables: the variables by the numbers of objects.
      tables: the tables, by `id`.
      assets: the names of files, each with the name under which it is saved.

    Raises: ValueError for objects that are not trackable, and for `signatures` without types;
      AssertionError if a function uses a variable that `root` does not depend on; NotImplementedError for functions
      that cannot be expressed as programs.
    """

    def __init__(self, message: Any, root: Any, signatures: Any, options: SaveOptions) -> None:
        self._message = message
        self._graph = message.object_graph_def
        self._options = options
        self._count = itertools.count()
        self._written: dict[int, tuple[Any, Written]] = {}
        self.assets: dict[str, str] = {}
        self.signatures: dict[str, Signature] = {}
        self.tables: dict[int, TableWriter] = {}
        self._root = root
        self._map = SignatureMap()
        self._concretes = Concretes()
        children = children_of(root, self._concretes)
        if not isinstance(children.get(_SIGNATURES, self._map), SignatureMap):
            raise ValueError(
                f"Exporting an object {root} which has an attribute named '{_SIGNATURES}'. This is a reserved "
                "attribute used to store SavedModel signatures in objects which come from `tf.saved_model.load`. "
                f"Delete this attribute (e.g. `del obj.{_SIGNATURES}`) before saving if this shadowing is acceptable."
            )
        self._concrete = concrete_signatures(
            found_signature(children, self._concretes) if signatures is None else signatures, self._concretes
        )
        self._objects = {name: _SignatureObject(name) for name in self._concrete}
        self._visits = traversed(root, self._children)
        self._numbers = {identity_of(visit.trackable): number for number, visit in enumerate(self._visits)}
        # A variable may be several objects, since Keras' variables hold one: functions take the first.
        self._first: dict[Any, int] = {}
        for number, visit in enumerate(self._visits):
            variable = acting(visit.trackable)
            if isinstance(variable, Variable):
                self._first.setdefault(identity_of(variable), number)
        # Functions know the names of files only.
        files = [visit.trackable for visit in self._visits if isinstance(visit.trackable, Asset)]
        self._assets = {file.asset_path.numpy(): file for file in reversed(files)}
        self.variables = {number: acting(self._visits[number].trackable) for number in self._first.values()}

    def visits(self) -> list[Visit]:
        """The objects, each with those that it depends on: for the checkpoint."""
        return self._visits

    def _children(self, trackable: Any) -> Iterable[tuple[str, Any]]:
        if trackable is self._map:
            return self._objects.items()
        if isinstance(trackable, (_SignatureObject, TableFunction)):
            return ()
        if isinstance(trackable, StaticHashTable):
            if id(trackable) not in self.tables:
                self.tables[id(trackable)] = TableWriter(trackable)
            return self.tables[id(trackable)].functions.items()
        found = children_of(trackable, self._concretes)
        if trackable is self._root:
            found[_SIGNATURES] = self._map
        return found.items()

    def write(self) -> None:
        """Writes the functions and the objects."""
        for name, concrete in self._concrete.items():
            function = self._function(concrete)
            signature = written_signature(next(self._count), concrete, function)
            self._add_function(signature.message)
            self.signatures[name] = signature
            self._bind(signature.name, ((), signature.inputs), signature.outputs, signature.captured)
        for visit in self._visits:
            node = self._graph.nodes.add()
            for name, child in visit.children:
                node.children.add(node_id=self._numbers[identity_of(child)], local_name=name)
            self._write(node, visit.trackable)
        self._write_aliases()
        self._write_gradients()

    def _write(self, node: Any, trackable: Any) -> None:
        if isinstance(trackable, Function):
            self._write_function(node.function, trackable)
        elif isinstance(trackable, CONCRETE):
            function = self._function(trackable)
            node.bare_concrete_function.concrete_function_name = function.name
            node.bare_concrete_function.argument_keywords.extend(function.keywords)
            node.bare_concrete_function.allowed_positional_arguments = len(function.keywords)
        elif isinstance(trackable, _SignatureObject):
            signature = self.signatures[trackable.name]
            node.bare_concrete_function.concrete_function_name = signature.name
            node.bare_concrete_function.argument_keywords.extend(signature.inputs)
            node.bare_concrete_function.allowed_positional_arguments = int(len(signature.inputs) == 1)
        elif isinstance(acting(trackable), Variable):
            self._write_variable(node.variable, acting(trackable))
        elif isinstance(trackable, StaticHashTable):
            node.resource.device = ""
            node.resource.SetInParent()
        elif isinstance(trackable, TableFunction):
            self._write_table_function(node.function, trackable)
        elif isinstance(trackable, Asset):
            node.asset.asset_file_def_index = self._asset(trackable)
        elif (registration := latest_registration(trackable)) is not None:
            registration.write(node.user_object)
        else:
            node.user_object.identifier = next(
                (name for kind, name in _IDENTIFIERS if isinstance(trackable, kind)), "_generic_user_object"
            )
            node.user_object.version.producer = node.user_object.version.min_consumer = 1

    def _write_variable(self, message: Any, variable: Variable) -> None:
        message.dtype, message.trainable = variable.dtype.as_datatype_enum, variable.trainable
        message.name = variable._shared_name
        message.synchronization, message.aggregation = variable.synchronization.value, variable.aggregation.value
        write_shape(message.shape, variable.shape)
        if self._options.experimental_variable_policy is not VariablePolicy.NONE:
            message.device = variable.device

    def _write_function(self, message: Any, function: Function) -> None:
        for concrete in self._concretes.of(function):
            message.concrete_functions.append(self._function(concrete).name)
        spec = message.function_spec
        spec.fullargspec.CopyFrom(structured(full_arguments(function.signature.python)))
        spec.input_signature.CopyFrom(structured(function.input_signature))

    def _write_aliases(self) -> None:
        """Writes the aliases of functions: decorated functions, concrete ones, and collections of concrete ones.

        Raises: TypeError for an alias of another object.
        """
        aliases = self._message.meta_info_def.function_aliases
        for alias, aliased in self._options.function_aliases.items():
            listed: Any = [aliased] if isinstance(aliased, FUNCTIONS) else aliased
            if not isinstance(listed, Iterable) or not all(isinstance(each, FUNCTIONS) for each in listed):
                raise TypeError(
                    f"Unsupported type {type(aliased)}. Functions in `function_aliases` should be created by "
                    "tf.function, or concrete functions, or collections of concrete functions."
                )
            for concrete, found in self._written.values():
                if any(self._is_of(concrete, each) for each in listed):
                    aliases[found.name] = alias

    def _is_of(self, concrete: Any, function: Any) -> bool:
        """Whether the concrete function `concrete` is `function`, or one of this decorated function."""
        if isinstance(function, Function):
            return any(concrete is each for each in self._concretes.of(function))
        body = getattr(function, "body", None)
        return concrete is function or (body is not None and getattr(concrete, "body", None) is body)

    def _write_table_function(self, message: Any, function: TableFunction) -> None:
        name = f"__inference_{function.name}_{next(self._count)}"
        self._add_function(function.message(name))
        self._bind(name, ((), {}), function.output, [function.table] if function.takes_table else [])
        message.concrete_functions.append(name)
        message.function_spec.fullargspec.CopyFrom(structured(full_arguments(inspect.Signature())))
        message.function_spec.input_signature.CopyFrom(structured(()))

    def _function(self, concrete: Any) -> Written:
        """The function `concrete`, written once."""
        known = self._written.get(id(concrete))
        if known is None:
            keeps = self._options.experimental_custom_gradients
            with named_refusals(concrete.name), saved_form_of(concrete) as form:
                _require_saved_types(concrete)
                found = _written(form, next(self._count), self._assets, has_gradient=keeps)
            # With the function, so that its `id` stays its own.
            known = self._written[id(concrete)] = (concrete, found)
            for message in (found.message, *found.functions):
                self._add_function(message)
            self._bind(found.name, found.inputs, found.outputs, found.captured)
        return known[1]

    def _add_function(self, message: Any) -> None:
        self._message.graph_def.library.function.append(message)

    def _bind(self, name: str, inputs: Any, outputs: Any, captured: Iterable[Any]) -> None:
        """Writes the signature of the function `name` and the objects that it takes after its arguments."""
        concrete = self._graph.concrete_functions[name]
        concrete.canonicalized_input_signature.CopyFrom(structured(inputs))
        concrete.output_signature.CopyFrom(structured(outputs))
        concrete.bound_inputs.extend([self._number(each, name) for each in captured])

    def _number(self, captured: Any, function: str) -> int:
        number = self._first.get(identity_of(captured))
        if isinstance(captured, (Asset, StaticHashTable)):
            number = self._numbers.get(identity_of(captured))
        if number is None:
            raise AssertionError(
                "Tried to export a function which references an 'untracked' resource. TensorFlow objects (e.g. "
                "tf.Variable) captured by functions must be 'tracked' by assigning them to an attribute of a tracked "
                "object or assigned to an attribute of the main object directly. See the information below:\n"
                f"\tFunction name = {function}\n\tCaptured Tensor = {getattr(captured, 'handle', captured)!r}"
            )
        return number

    def _asset(self, asset: Asset) -> int:
        """The number of the file of `asset`."""
        path = os.fsdecode(asset.asset_path.numpy())
        if not os.path.isfile(path):
            raise NotFoundError.of(f"{path}; No such file or directory")
        if path not in self.assets:
            name, taken, count = os.path.basename(path), set(self.assets.values()), 1
            while name in taken:
                name, count = f"{os.path.basename(path)}_{count}", count + 1
            self.assets[path] = name
            file = self._message.asset_file_def.add(filename=name)
            file.tensor_info.name = f"asset_{len(self.assets)}:0"
        return list(self.assets).index(path)

    def _write_gradients(self) -> None:
        """Writes the functions that compute gradients, with objects for the tensors that they take."""
        for gradient in [gradient for _, function in self._written.values() for gradient in function.gradients]:
            self._add_function(gradient.message)
            self._message.graph_def.library.registered_gradients.add(
                gradient_func=gradient.name, registered_op_type=gradient.op_type
            )
            concrete = self._graph.concrete_functions[gradient.name]
            concrete.canonicalized_input_signature.CopyFrom(structured((tuple(gradient.inputs), {})))
            concrete.output_signature.CopyFrom(structured(list(gradient.outputs)))
            for name in gradient.captured:
                concrete.bound_inputs.append(len(self._graph.nodes))
                node = self._graph.nodes.add()
                node.captured_tensor.name, node.captured_tensor.concrete_function = name, gradient.function


def _require_saved_types(concrete: Any) -> None:
    """Raises NotImplementedError if `concrete` takes a variable, or a tensor of open rank."""
    for leaf in nest.flatten(concrete.structured_input_signature):
        if isinstance(leaf, VariableSpec):
            raise NotImplementedError(
                "it takes a variable; make the variable an attribute of the model, which the function reads."
            )
        if isinstance(leaf, TensorSpec) and leaf.shape.rank is None:
            raise NotImplementedError(
                "the rank of a tensor that it takes is open; give the rank in the input signature, as in "
                "tf.TensorSpec([None]), or call the function without one for each rank before it is saved."
            )


def _written(concrete: Any, number: int, assets: Mapping[bytes, Asset], *, has_gradient: bool) -> Written:
    """The function `concrete` as messages: as a program, else in turns with the host.

    Raises: NotImplementedError if it can be neither.
    """
    if isinstance(concrete, StagedFunction):
        return staged(concrete, number, assets, has_gradient=has_gradient)
    try:
        return written(concrete, number, has_gradient=has_gradient)
    except (NotImplementedError, jax.errors.InconclusiveDimensionOperation) as refused:
        args, kwargs = concrete.structured_input_signature
        if kwargs or not isinstance(concrete, ConcreteFunction):
            raise
        function: Any = concrete._function
        try:
            return staged(StagedFunction(function, args), number, assets, has_gradient=has_gradient)
        except (NotImplementedError, TypeError, ValueError) as also:
            if not isinstance(refused, NotImplementedError):
                raise refused from also
            raise NotImplementedError(f"{refused} With steps of the host: {also}") from refused
