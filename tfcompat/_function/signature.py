"""What a call of a decorated function is: its arguments bound, its tensors, and the key by which it finds its trace."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core import nest
from tfcompat._core.container import container_of, is_composite, is_mapping, sorted_keys
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat._state.variable import Variable

_LITERAL = (int, float, complex, bool, str, bytes, type(None))


class Call(NamedTuple):
    """One call.

    Attributes:
      args, kwargs: the arguments with defaults filled in, arrays as tensors.
      flat: their leaves.
      key: equal for calls that share a trace.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    flat: list[Any]
    key: Any


class Signature:
    """The parameters of a decorated function, and how calls are told apart."""

    def __init__(self, function: Callable[..., Any], input_signature: Any, has_instance: bool) -> None:
        self._signature = inspect.signature(function)
        if has_instance:
            parameters = list(self._signature.parameters.values())
            if parameters and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL:
                self._signature = self._signature.replace(parameters=parameters[1:])
        # Input signatures say nothing about `self`.
        self._unsigned = 1 if self.names()[:1] == ["self"] else 0
        self.input_signature = None if input_signature is None else self._checked(input_signature)
        self._is_plain = all(
            p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for p in self._signature.parameters.values()
        )
        self._count = len(self._signature.parameters)

    def _checked(self, input_signature: Any) -> tuple[Any, ...]:
        if not isinstance(input_signature, (tuple, list)):
            raise TypeError(f"input_signature must be either a tuple or a list, got {type(input_signature)}.")
        names = self.names()[self._unsigned :]
        required = [
            p for p in self.parameters()[self._unsigned :] if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
        ]
        if len(required) > len(input_signature):
            raise TypeError(f"input_signature missing type constraint for {names[len(input_signature)]}")
        return tuple(input_signature)

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """The call with these arguments. Raises TypeError if they don't fit."""
        if kwargs or not self._is_plain or len(args) != self._count:
            args, kwargs = self._bound(args, kwargs)
        if self.input_signature is not None:
            args = self._cast(args, kwargs)
        key: list[Any] = []
        flat: list[Any] = []
        args = _entered(args, key, flat)
        if kwargs:
            kwargs = _entered(kwargs, key, flat)
        return Call(args, kwargs, flat, tuple(key))

    def keys(self, call: Call) -> dict[str, Any]:
        """The part of the key of `call` that belongs to each parameter."""
        keys: dict[str, Any] = {}
        for name, value in (*zip(self.names(), call.args, strict=False), *call.kwargs.items()):
            key: list[Any] = []
            _entered(value, key, [])
            keys[name] = key
        return keys

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as problem:
            raise self._refusal(str(problem), args, kwargs) from None
        if self.input_signature is None:
            bound.apply_defaults()
        # TensorFlow sorts what `**kwargs` takes.
        return bound.args, dict(sorted(bound.kwargs.items()))

    def _cast(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """The arguments as the input signature wants them."""
        assert self.input_signature is not None
        first, last = self._unsigned, self._unsigned + len(self.input_signature)
        try:
            signed = [cast(spec, value) for spec, value in zip(self.input_signature, args[first:last], strict=False)]
            return (*args[:first], *signed, *args[last:])
        except (TypeError, ValueError) as problem:
            raise self._refusal(str(problem), args, kwargs) from None

    def _refusal(self, problem: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> TypeError:
        return TypeError(
            f"Binding inputs to tf.function failed due to `{problem}`. Received args: {args} and kwargs: "
            f"{dict(kwargs)} for signature: {self._text()}."
        )

    def _text(self) -> str:
        specs = dict(zip(self.names()[self._unsigned :], self.input_signature or (), strict=False))
        parts = [
            p.replace(
                default=p.default if p.default is p.empty else "<captured_default_value>",
                annotation=specs.get(p.name, p.empty),
            )
            for p in self.parameters()
        ]
        return str(inspect.Signature(parts)).replace("'<captured_default_value>'", "<captured_default_value>")

    def places(self, count: int) -> list[str]:
        """What the first `count` arguments by position are called: those beyond the named ones by their numbers."""
        found: list[str] = []
        for parameter in self._signature.parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL:
                found += [f"{parameter.name}_{k}" for k in range(count - len(found))]
            elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                found.append(parameter.name)
        return found[:count]

    def names(self) -> list[str]:
        """The parameters' names."""
        return list(self._signature.parameters)

    def parameters(self) -> Sequence[inspect.Parameter]:
        """The parameters."""
        return list(self._signature.parameters.values())


def cast(spec: Any, value: Any) -> Any:
    """`value`, or each part of it, as a tensor that `spec` describes. Raises TypeError if there is none."""
    if container_of(type(spec)) is not None:
        return nest.map_structure(cast, spec, value)
    if not isinstance(spec, TensorSpec):
        return value
    tensor = value if isinstance(value, (Tensor, Variable)) else convert_to_tensor(value, spec.dtype)
    if tensor.dtype is not spec.dtype or not spec.shape.is_compatible_with(tensor.shape):
        raise TypeError(f"Can not cast {TensorSpec(tensor.shape, tensor.dtype)!r} to {spec!r}")
    return tensor


def _entered(value: Any, key: list[Any], flat: list[Any]) -> Any:
    """`value` with its arrays as tensors; what tells calls apart is added to `key`, and the leaves to `flat`."""
    kind = type(value)
    if kind is Tensor:
        key.append(_tensor_key(value))
    elif isinstance(value, _LITERAL):
        key.append(("literal", "nan" if value != value else value))
    elif isinstance(value, (np.ndarray, np.generic)):
        value = convert_to_tensor(value)
        key.append(_tensor_key(value))
    elif isinstance(value, Variable):
        key.append(_variable_key(value, flat))
    elif isinstance(value, TensorSpec):
        key.append(("spec", value))
    elif is_composite(kind):
        parts = value._flatten_composite()
        key.append((kind, len(parts)))
        return kind._unflatten_composite(value, [_entered(part, key, flat) for part in parts])
    elif (container := container_of(kind)) is not None:
        children = list(container.children(value))
        key.append((kind, tuple(sorted_keys(value)) if is_mapping(kind) else len(children)))
        return container.rebuild(value, [_entered(child, key, flat) for child in children])
    else:
        key.append(_object_key(value))
    flat.append(value)
    return value


def _tensor_key(tensor: Tensor) -> Any:
    """What tensors have in common that share a trace. A string is known while tracing, and traced by its value."""
    return tensor._aval if tensor._aval.struct is not None else (tensor._aval, tuple(tensor._value().ravel()))


def _variable_key(variable: Variable, flat: list[Any]) -> Any:
    """Variables of the same kind share a trace; which of several arguments are the same one doesn't."""
    first = next((i for i, other in enumerate(flat) if isinstance(other, Variable) and _is_same(other, variable)), -1)
    return ("variable", variable.shape.is_fully_defined(), variable._tensor._aval, variable.trainable, first)


def _is_same(one: Variable, other: Variable) -> bool:
    return one._number == other._number


def _object_key(value: Any) -> Any:
    """Any other object stands for itself. Raises TypeError if it is not hashable."""
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"Could not generate a generic TraceType for {value!r}.Please verify that it is immutable/hashable. "
            "Otherwise, consider implementing the Tracing Protocol for it."
        ) from None
    try:
        return _Itself(weakref.ref(value))
    except TypeError:
        return ("literal", value)


class _Itself:
    """Equal to what refers to the same object, which it doesn't keep alive."""

    def __init__(self, reference: weakref.ref[Any]) -> None:
        self._reference = reference
        self._hash = id(reference())

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and (found := self._reference()) is not None and found is other._reference()
