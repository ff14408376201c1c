"""The objects that a SavedModel holds, and the functions among their attributes."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import Any

import jax

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import UntraceableError
from tfcompat._core.types import nest
from tfcompat._distribute.replicated_variable import Component
from tfcompat._distribute.stack import first_components
from tfcompat._function.autograph.error import message_of
from tfcompat._function.functions.concrete import ConcreteFunction
from tfcompat._function.functions.function import Function
from tfcompat._function.functions.untraced_function import UntracedFunction
from tfcompat._saved_model.kernels.restored_function import LoadedFunction
from tfcompat._saved_model.programs.staged_function import StagedFunction, is_staged
from tfcompat._state.tracking.trackable import SaveType, Trackable
from tfcompat._state.tracking.wrapping import wrap_or_unwrap

CONCRETE = (ConcreteFunction, LoadedFunction, StagedFunction)
FUNCTIONS = (Function, *CONCRETE)


class Concretes:
    """The functions, each for one kind of call, that are saved of decorated functions.

    Attributes:
      cache: for libraries' objects, which keep the objects there that they make for this SavedModel.
    """

    def __init__(self) -> None:
        self.cache: dict[Any, Any] = {}
        # With the decorated function, so that its `id` stays its own.
        self._found: dict[int, tuple[Function, list[Any]]] = {}

    def of(self, function: Function) -> list[Any]:
        """Those of `function`; a function with an input signature is traced for it, once.

        Raises: NotImplementedError if no trace can hold it.
        """
        known = self._found.get(id(function))
        if known is None:
            known = self._found[id(function)] = function, _concretes(function)
        return known[1]


def _concretes(function: Function) -> list[Any]:
    specs = function.input_signature
    if specs is not None and is_staged(specs):
        return [_staged(function, specs)]
    try:
        listed = function._list_all_concrete_functions_for_serialization()
    except (NotImplementedError, UntraceableError):
        if specs is None:
            raise
        return [_staged(function, specs)]
    found: dict[Any, Any] = {}
    for concrete in _of_first_components(function, listed):
        specs = _specs_of(concrete)
        kind = id(concrete) if specs is None else repr(specs)
        if kind not in found:
            found[kind] = concrete if specs is None else _staged(function, specs)
    return list(found.values())


def _staged(function: Function, specs: Any) -> StagedFunction:
    with first_components():
        return StagedFunction(function, specs)


def _of_first_components(function: Function, listed: list[Any]) -> list[Any]:
    """`listed`, with other traces for those in which variables have components for several replicas.

    In a SavedModel a variable of a strategy is a plain one, as the first component.
    """
    if not any(map(_has_components, listed)):
        return listed
    with first_components():
        if function.input_signature is not None:
            return [function.get_concrete_function()]
        alike = [concrete for concrete in listed if not _has_components(concrete)]
        others = [concrete.structured_input_signature for concrete in listed if _has_components(concrete)]
        found = [function.get_concrete_function(*args, **kwargs) for args, kwargs in others]
        return list({id(concrete): concrete for concrete in (*alike, *found)}.values())


def _has_components(concrete: Any) -> bool:
    if not isinstance(concrete, ConcreteFunction) or isinstance(concrete, UntracedFunction):
        return False
    return any(isinstance(variable, Component) and not variable.is_first for variable in concrete.variables)


@contextmanager
def saved_form_of(concrete: Any) -> Generator[Any]:
    """A context in which `saved_form(concrete)`, its value, is written.

    A function of open sizes is traced once more then, with variables that are their first components.
    """
    is_traced = isinstance(concrete, ConcreteFunction) and not isinstance(concrete, UntracedFunction)
    is_replicated = is_traced and any(isinstance(variable, Component) for variable in concrete.variables)
    with first_components() if is_replicated else nullcontext():
        yield saved_form(concrete)


def saved_form(concrete: Any) -> Any:
    """The concrete function that is saved for `concrete`: one that serves all values of its arguments.

    Raises: NotImplementedError if no trace can hold it.
    """
    specs = _specs_of(concrete)
    return concrete if specs is None else _staged(concrete._function, specs)


def _specs_of(concrete: Any) -> Any:
    """The specs of the arguments of a function that needs steps of the host; None for one that is a program.

    A trace that holds values of arguments, strings or row splits, would serve no others.

    Raises: NotImplementedError if these are keyword arguments.
    """
    if isinstance(concrete, LoadedFunction | StagedFunction):
        return None
    args, kwargs = concrete.structured_input_signature
    leaves = nest.flatten((args, kwargs), expand_composites=True)
    has_values = is_staged((args, kwargs)) or any(isinstance(leaf, Tensor) for leaf in leaves)
    if not has_values and not isinstance(concrete, UntracedFunction):
        return None
    if kwargs:
        raise NotImplementedError(
            f"{concrete.name}: strings, ragged and sparse tensors in keyword-only arguments are not saved; make them "
            "positional arguments."
        )
    return nest.map_structure(_spec_of, args)


def _spec_of(value: Any) -> Any:
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    return value._type_spec if hasattr(type(value), "_type_spec") else value


def children_of(trackable: Any, concretes: Concretes) -> dict[str, Any]:
    """The objects that `trackable` depends on in a SavedModel, by name, with functions, which `concretes` traces.

    Raises: ValueError if one is not trackable.
    """
    if isinstance(trackable, FUNCTIONS):
        return {}
    trackable._maybe_initialize_trackable()
    children = _of_model(trackable, concretes)
    functions = {name: child for name, child in children.items() if isinstance(child, Function)}
    for name, function in functions.items():
        with named_refusals(name):
            concretes.of(function)
    found: dict[str, Any] = {}
    # Tracing may create variables, which are then children.
    for name, child in (_of_model(trackable, concretes) if functions else children).items():
        wrapped = child if isinstance(child, FUNCTIONS) else wrap_or_unwrap(child)
        if not isinstance(wrapped, (Trackable, *FUNCTIONS)):
            raise ValueError(f"Cannot convert {child} to Trackable.")
        found[name] = wrapped
    return found


def _of_model(trackable: Any, concretes: Concretes) -> dict[str, Any]:
    return trackable._trackable_children(SaveType.SAVEDMODEL, cache=concretes.cache)


@contextmanager
def named_refusals(name: str) -> Generator[None]:
    """A context that raises NotImplementedError with the name of the function that cannot be saved."""
    try:
        yield
    except (NotImplementedError, jax.errors.InconclusiveDimensionOperation) as refused:
        reason = message_of(refused).split("\n")[0]
        if not isinstance(refused, NotImplementedError):
            reason = f"its shapes can't be computed for all sizes ({reason}); give these sizes in the input signature."
        raise NotImplementedError(
            f"tf.saved_model.save: the function {name!r} cannot be saved as a program: {reason} A function without an "
            "input signature that was never called is not saved."
        ) from refused
