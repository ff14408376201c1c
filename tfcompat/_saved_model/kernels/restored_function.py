"""Functions of a SavedModel: one for each signature, and those that choose one by the arguments."""

from __future__ import annotations

import inspect
import pprint
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec, TypeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import DataLossError, InvalidArgumentError
from tfcompat._core.types import nest
from tfcompat._core.types.container import is_mapping
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.functions.function import Function
from tfcompat._function.functions.public_type import ConcreteFunction
from tfcompat._saved_model.kernels.library import Library
from tfcompat._state.handle import acting
from tfcompat._state.tracking.trackable import Trackable
from tfcompat._state.variable import Variable


class Mismatch(Exception):
    """The arguments do not fit a signature."""


class LoadedFunction(Trackable, ConcreteFunction):
    """A function of a SavedModel with one signature, which may leave sizes open.

    Attributes:
      name: its name in the SavedModel.
      structured_input_signature: the positional and keyword arguments, with specs in place of tensors.
      structured_outputs: the result, with specs in place of tensors.

    Raises: TypeError if the arguments don't fit; NotImplementedError if it needs kernels that do not exist here.
    Source: TF 2.21 `tf.types.experimental.ConcreteFunction`.
    """

    def __init__(
        self, library: Library, name: str, inputs: Any, outputs: Any, refusal: Exception | None = None
    ) -> None:
        """The function `name` of `library`; `inputs` is its structured signature, `outputs` its structured result.

        Calls raise `refusal` if it is given.
        """
        self.name = name
        self.structured_input_signature = inputs
        self.structured_outputs = outputs
        self._library = library
        self._refusal = refusal
        self._keywords: Sequence[str] | None = None
        self._positional = 0
        self._parameters: Sequence[str] = ()

        def loaded(*tensors: Any) -> Any:
            return self.results(tensors)

        loaded.__name__ = name
        self._flat = Function(loaded, None, False, None, None, False)

    def accept(self, keywords: Sequence[str], positional: int) -> None:
        """Also accepts arguments by the names `keywords` of tensors, the first `positional` ones by place."""
        self._keywords, self._positional = keywords, positional

    def name_parameters(self, names: Sequence[str]) -> None:
        """Gives names to the positional arguments."""
        self._parameters = names

    def require_supported(self) -> None:
        """Raises NotImplementedError if its signature has types that do not exist here."""
        if self._refusal is not None:
            raise self._refusal

    def results(self, tensors: Sequence[Any]) -> Any:
        """The result of recording the steps of the function for its tensors."""
        self._library.require_runnable(self.name)
        found = iter(self._library.run(self.name, [*tensors, *self._library.objects.captured(self.name, None)]))
        return packed(self.structured_outputs, found)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._flat(*self._bound(args, kwargs))

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The tensors of the arguments. Raises TypeError if they don't fit."""
        self.require_supported()
        positional, keywords = self.structured_input_signature
        try:
            names = dict(zip(self._parameters, range(len(positional)), strict=False))
            placed = {names[key]: value for key, value in kwargs.items() if key in names}
            given = [placed.pop(place, None) if place >= len(args) else args[place] for place in range(len(positional))]
            if placed or len(args) > len(positional):
                raise Mismatch(f"it takes {len(positional)} positional arguments, got {len(args)}")
            rest = {key: value for key, value in kwargs.items() if key not in names}
            return tensors_of((positional, keywords), (tuple(given), rest), converts=True)
        except Mismatch as structured:
            return self._flat_arguments(args, kwargs, structured)

    def _flat_arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any], structured: Mismatch) -> list[Any]:
        specs = self.inputs
        names = self.tensor_names
        count = len(names) if self._keywords is None else self._positional
        given = dict(zip(names[:count], args, strict=False)) | kwargs
        if len(given) < len(args) + len(kwargs) or given.keys() != set(names) or len(names) != len(specs):
            raise TypeError(f"{self!r}: the arguments do not fit: {structured}.")
        for spec, name in zip(specs, names, strict=True):
            dtype = getattr(given[name], "dtype", spec.dtype)
            if isinstance(given[name], Tensor | Variable) and dtype != spec.dtype:
                raise InvalidArgumentError.of(
                    f"{self!r}: the argument {name} was expected to be of {spec.dtype!r}, but is of {dtype!r}."
                )
        try:
            return [_converted(spec, given[name], converts=True) for spec, name in zip(specs, names, strict=True)]
        except Mismatch as bad:
            raise TypeError(f"{self!r}: the arguments do not fit: {bad}.") from None

    @property
    def tensor_names(self) -> list[str]:
        """The names of the tensors among the arguments."""
        return list(self._keywords or [spec.name or f"args_{place}" for place, spec in enumerate(self.inputs)])

    @property
    def inputs(self) -> list[TensorSpec]:
        """The specs of the tensors among the arguments."""
        return component_specs(self.structured_input_signature)

    @property
    def outputs(self) -> list[TensorSpec]:
        """The specs of the tensors in the result."""
        return component_specs(self.structured_outputs)

    @property
    def output_shapes(self) -> Any:
        """The result, with each tensor replaced by its `tf.TensorShape`."""
        return nest.map_structure(
            lambda spec: TensorShape(None if spec is None else spec.shape), self.structured_outputs
        )

    @property
    def output_dtypes(self) -> Any:
        """The result, with each tensor replaced by its dtype."""
        return nest.map_structure(lambda spec: None if spec is None else spec.dtype, self.structured_outputs)

    @property
    def captured_inputs(self) -> list[Any]:
        """The variables and the tensors that it uses beside the arguments."""
        return [acting_value(value) for value in self._library.objects.captured(self.name, None)]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that it uses."""
        found = [value for value in self.captured_inputs if isinstance(value, Variable)]
        return tuple({variable._number: variable for variable in found}.values())

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of its variables that are trainable."""
        return tuple(variable for variable in self.variables if variable.trainable)

    def traced(self) -> Any:
        """The concrete function of the flat tensors of the arguments, for any size that the signature leaves open.

        It has the methods `to_jax`, `jaxpr`, `stablehlo` and `export`. TensorFlow has no such name.

        Raises: NotImplementedError if the function needs kernels that do not exist here, or if a rank is open.
        """
        return self._flat.get_concrete_function(*[TensorSpec(spec.shape, spec.dtype) for spec in self.inputs])

    @property
    def graph(self) -> NoReturn:
        """Raises NotImplementedError: there are no TensorFlow graphs."""
        raise NotImplementedError("tf.types.experimental.ConcreteFunction: graph does not exist; use traced().jaxpr().")

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.name} of a SavedModel: {self.structured_input_signature}>"


class RestoredFunction(Function):
    """A function of a SavedModel, which calls the one with the signature that fits the arguments.

    Attributes:
      concrete_functions: the functions for each signature.

    Raises: ValueError if no signature fits.
    """

    def __init__(self, signature: inspect.Signature, input_signature: Any, concrete: Sequence[LoadedFunction]) -> None:
        """The function with the Python signature `signature`; it chooses one of the functions `concrete`."""
        self.concrete_functions = list(concrete)

        def restored_function_body(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            return self._chosen(bound.args, bound.kwargs)

        vars(restored_function_body)["__signature__"] = signature
        super().__init__(restored_function_body, input_signature, False, None, None, False)

    def _list_all_concrete_functions(self) -> list[Any]:
        """The functions for each signature."""
        return list(self.concrete_functions)

    _list_all_concrete_functions_for_serialization = _list_all_concrete_functions

    def _chosen(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of the first function that takes such arguments, at best without conversions."""
        if not self.concrete_functions:
            raise ValueError("Found zero restored functions for caller function.")
        for converts in (False, True):
            for concrete in self.concrete_functions:
                concrete.require_supported()
                try:
                    tensors = tensors_of(concrete.structured_input_signature, (args, kwargs), converts=converts)
                except Mismatch:
                    continue
                return concrete.results(tensors)
        options = [
            f"Option {number}:\n  {_listing(concrete.structured_input_signature[0])}\n"
            f"  Keyword arguments: {concrete.structured_input_signature[1]}"
            for number, concrete in enumerate(self.concrete_functions, 1)
        ]
        raise ValueError(
            "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
            f"  {_listing(args)}\n  Keyword arguments: {kwargs}\n\n Expected these arguments to match one of the "
            f"following {len(options)} option(s):\n\n" + "\n\n".join(options)
        )


def _listing(positional: Sequence[Any]) -> str:
    lines = "\n    * ".join(map(pprint.pformat, positional))
    return f"Positional arguments ({len(positional)} total):\n    * {lines}"


def acting_value(value: Any) -> Any:
    """The variable of a handle; else `value`."""
    return getattr(value, "variable", value)


def component_specs(structure: Any) -> list[TensorSpec]:
    """The specs of the tensors that a structure of specs stands for."""
    found: list[TensorSpec] = []
    for spec in nest.flatten(structure):
        if isinstance(spec, TensorSpec):
            found.append(spec)
        elif isinstance(spec, TypeSpec):
            found += [TensorSpec(shape, dtype) for shape, dtype in spec._tensor_kinds()]  # pyright: ignore
    return found


def tensors_of(expected: Any, given: Any, *, converts: bool) -> list[Any]:
    """The tensors of `given` where the structure `expected` has specs.

    Values become tensors if it `converts`. Raises: Mismatch if structures, types of tensors, or other leaves differ.
    """
    found: list[Any] = []
    for spec, value in _pairs(expected, given):
        if isinstance(spec, TensorSpec):
            found.append(_converted(spec, value, converts=converts))
        elif isinstance(spec, TypeSpec):
            if not spec.is_compatible_with(value):
                raise Mismatch(f"expected {spec}, got {value!r}")
            found += nest.flatten(value, expand_composites=True)
        elif isinstance(value, Tensor) or type(spec) is not type(value) or spec != value:
            raise Mismatch(f"expected {spec!r}, got {value!r}")
    return found


def _pairs(expected: Any, given: Any) -> Iterator[tuple[Any, Any]]:
    """The leaves of `expected`, each with what `given` has in its place. Raises Mismatch for another structure."""
    if is_mapping(type(expected)):
        if not is_mapping(type(given)) or set(expected) != set(given):
            raise Mismatch(f"expected a mapping with the keys {sorted(expected)}, got {given!r}")
        for key in sorted(expected):
            yield from _pairs(expected[key], given[key])
    elif isinstance(expected, (list, tuple)) and not isinstance(expected, TypeSpec):
        if not isinstance(given, (list, tuple)) or len(given) != len(expected):
            raise Mismatch(f"expected a sequence of {len(expected)} values, got {given!r}")
        for one, other in zip(expected, given, strict=True):
            yield from _pairs(one, other)
    else:
        yield expected, given


def _converted(spec: TensorSpec, value: Any, *, converts: bool) -> Tensor:
    """`value` as a tensor of the type `spec`. Raises Mismatch for another value."""
    tensor = acting(value)
    if converts and not isinstance(value, TypeSpec):
        try:
            tensor = convert_to_tensor(value, dtype_hint=spec.dtype)
        except (TypeError, ValueError) as bad:
            raise Mismatch(f"expected {spec}, got {value!r}") from bad
    if not isinstance(tensor, (Tensor, Variable)):
        raise Mismatch(f"expected {spec}, got {value!r}")
    if tensor.dtype is not spec.dtype or not spec.shape.is_compatible_with(tensor.shape):
        raise Mismatch(f"expected {spec}, got a tensor of shape {tensor.shape} and dtype {tensor.dtype.name}")
    return convert_to_tensor(tensor)


def packed(structure: Any, tensors: Iterator[Any]) -> Any:
    """`structure` with the next of `tensors` in place of each spec. Raises DataLossError if there are too few."""

    def value(spec: Any) -> Any:
        if isinstance(spec, TensorSpec):
            return next(tensors)
        if isinstance(spec, TypeSpec):
            return spec._of_tensors([next(tensors) for _ in spec._tensor_kinds()])  # pyright: ignore
        return spec

    try:
        return nest.map_structure(value, structure)
    except StopIteration as few:
        raise DataLossError.of("a SavedModel is corrupted: a function has fewer results than its signature") from few
