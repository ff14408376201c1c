"""The types of a decorated function: its parameters, its result, and the binding of arguments to them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tfcompat._core.structure.spec import TypeSpec
from tfcompat._core.types import nest
from tfcompat._function.arguments.trace_type import cast, shown, types_of
from tfcompat._state.variable import VariableSpec

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_EMPTY = inspect.Parameter.empty


class Parameter(NamedTuple):
    """One parameter.

    Attributes:
      kind: as in `inspect.Parameter`.
      optional: whether it has a default.
      type_constraint: the type of its arguments, or None for any type.
      default: the default.
    """

    name: str
    kind: Any
    optional: bool
    type_constraint: Any
    default: Any = _EMPTY

    def __repr__(self) -> str:
        return (
            f"Parameter(name={self.name}, kind={self.kind.name}, optional={self.optional}, "
            f"type_constraint={_shown(self.type_constraint)})"
        )


class FunctionType:
    """The types of a function's parameters, of its result, and of the values that it captures.

    Attributes:
      parameters: by name, each a `Parameter`.
      output: the type of the result; None if it isn't known.
      captures: the types of the values that it reads from outside.

    Source: TF 2.21 `tf.types.experimental.FunctionType`.
    """

    def __init__(self, parameters: Iterable[Parameter], output: Any = None, captures: Iterable[Any] = ()) -> None:
        self.parameters = {parameter.name: parameter for parameter in parameters}
        self.output = output
        self.captures = list(captures)
        self._signature = inspect.Signature(
            [inspect.Parameter(p.name, p.kind, default=p.default) for p in self.parameters.values()]
        )

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional and keyword arguments, with defaults filled in, each cast to the type of its parameter.

        Raises: TypeError or ValueError if they don't fit.
        """
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            kind = self.parameters[name].type_constraint
            if kind is not None:
                bound.arguments[name] = cast(kind, value)
        # TensorFlow sorts the arguments in `**kwargs`.
        return bound.args, dict(sorted(bound.kwargs.items()))

    def refusal(self, problem: object, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
        """The message for arguments that don't fit because of `problem`."""
        return (
            f"Binding inputs to tf.function failed due to `{problem}`. Received args: {args} and kwargs: "
            f"{dict(kwargs)} for signature: {self}."
        )

    def __str__(self) -> str:
        parameters = [
            inspect.Parameter(
                p.name,
                p.kind,
                default=_Text("<captured_default_value>") if p.optional else _EMPTY,
                annotation=_EMPTY if p.type_constraint is None else _Text(shown(p.type_constraint)),
            )
            for p in self.parameters.values()
        ]
        output = inspect.Signature.empty if self.output is None else _Text(shown(self.output))
        return str(inspect.Signature(parameters, return_annotation=output))

    def __repr__(self) -> str:
        types = [f"  {p.name} ({p.kind.name}): {_shown(p.type_constraint)}" for p in self.parameters.values()]
        captures = [f"  {shown(capture)}" for capture in self.captures] or ["  None"]
        return "\n".join(
            ["Input Parameters:", *types, "Output Type:", f"  {_shown(self.output)}", "Captures:", *captures]
        )


class _Text(str):
    """Text that is its own `repr`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _shown(kind: Any) -> str:
    return "None" if kind is None else shown(kind)


def function_type_of(parameters: Iterable[inspect.Parameter]) -> FunctionType:
    """The type of a Python function whose `parameters` accept any types."""
    return FunctionType(Parameter(p.name, p.kind, p.default is not _EMPTY, None, p.default) for p in parameters)


def constrained(function_type: FunctionType, input_signature: Any, unsigned: int) -> FunctionType:
    """`function_type` with the types of an input signature, which doesn't describe the first `unsigned` parameters.

    Raises: TypeError if `input_signature` is not a sequence of specs, or has too few or too many of them.
    """
    if not isinstance(input_signature, (tuple, list)):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(input_signature)}.")
    leaves = nest.flatten(input_signature)
    if any(isinstance(leaf, VariableSpec) for leaf in leaves):
        raise TypeError(f"input_signature doesn't support VariableSpec, got {input_signature}")
    strange = [leaf for leaf in leaves if not isinstance(leaf, TypeSpec)]
    if strange:
        raise TypeError(
            "input_signature must be a possibly nested sequence of TensorSpec objects, got invalid args "
            f"{strange} with types {list(map(type, strange))}."
        )
    given = list(input_signature)
    parameters: list[Parameter] = []
    for place, parameter in enumerate(function_type.parameters.values()):
        if place < unsigned:
            parameters.append(parameter)
        elif parameter.kind in POSITIONAL:
            parameters.append(parameter._replace(type_constraint=_constraint(parameter, given)))
        elif parameter.kind is inspect.Parameter.VAR_POSITIONAL and given:
            kind = inspect.Parameter.POSITIONAL_ONLY
            parameters = [before._replace(kind=kind) for before in parameters]
            parameters += [Parameter(f"{parameter.name}_{k}", kind, False, spec) for k, spec in enumerate(given)]
            given = []
        elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            if not parameter.optional:
                raise TypeError(
                    f"Since input_signature is defined, keyword-only parameter `{parameter.name}` must have a default "
                    "value"
                )
            parameters.append(parameter._replace(type_constraint=types_of(parameter.default)))
    if given:
        raise TypeError(f"input_signature contains {len(given)} extra type constraints.")
    return FunctionType(parameters)


def _constraint(parameter: Parameter, given: list[Any]) -> Any:
    """The type of a parameter: the next of those `given`, or else the type of its default."""
    if given:
        return given.pop(0)
    if not parameter.optional:
        raise TypeError(f"input_signature missing type constraint for {parameter.name}")
    return types_of(parameter.default)
