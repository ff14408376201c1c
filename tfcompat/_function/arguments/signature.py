"""Calls of decorated functions: binds the arguments and computes the key under which the trace is stored."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import CompositeSpec, TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.thread_state import recorder
from tfcompat._core.types import nest
from tfcompat._core.types.container import container_of, is_composite, is_mapping, sorted_keys
from tfcompat._function.arguments.elemental import Elemental
from tfcompat._function.arguments.function_type import (
    POSITIONAL,
    FunctionType,
    Parameter,
    constrained,
    function_type_of,
)
from tfcompat._function.arguments.object_type import Described, Weakref
from tfcompat._function.arguments.quick_signature import QuickSignature
from tfcompat._function.arguments.trace_type import Metadata, cast
from tfcompat._state.tracking.list_wrapper import ListWrapper
from tfcompat._state.variable import Variable

# As in TensorFlow, not their subclasses: a member of `enum.StrEnum` is not the string that it is equal to.
_LITERAL = frozenset((int, float, complex, bool, str, bytes, np.str_, type(None)))


class Call(NamedTuple):
    """One call.

    Attributes:
      args, kwargs: the arguments with defaults filled in, arrays as tensors.
      flat: the leaves of the arguments.
      key: equal for calls that share a trace.
      axes: for each leaf the axes whose sizes a trace leaves open; None if it leaves none open.
      elements: gives the function its elements of iterators, which are the last leaves (see `Elements`).
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    flat: list[Any]
    key: Any
    axes: tuple[tuple[int, ...], ...] | None = None
    elements: Any = None


class Known(NamedTuple):
    """A tensor whose value is part of the trace."""

    tensor: Tensor


class Signature:
    """The parameters of a decorated function. Binds calls and computes their keys.

    Attributes:
      input_signature: as given, or None.
      type: the parameters, with the types that the input signature gives them.
      python: the signature of the Python function.
    """

    def __init__(self, function: Callable[..., Any], input_signature: Any, has_instance: bool) -> None:
        """Raises TypeError if `input_signature` doesn't fit."""
        signature = inspect.signature(function)
        self._parameters = list(signature.parameters.values())
        if has_instance and self._parameters and self._parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL:
            del self._parameters[0]
        self.type = function_type_of(self._parameters)
        self.input_signature: tuple[Any, ...] | None = None
        if input_signature is not None:
            # Input signatures don't describe `self`.
            unsigned = 1 if self.names()[:1] == ["self"] else 0
            self.type = constrained(self.type, input_signature, unsigned)
            self.input_signature = tuple(input_signature)
        self.python = signature.replace(parameters=self._parameters)
        kinds = {parameter.kind for parameter in self._parameters}
        self._is_plain = kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}
        self._count = len(self._parameters)
        self._types = [parameter.type_constraint for parameter in self.type.parameters.values()]
        self._quick = None if input_signature is not None else QuickSignature.of(self._parameters)

    @property
    def is_open(self) -> bool:
        """Whether the input signature leaves dimensions open."""
        specs = nest.flatten(self.input_signature)
        return any(isinstance(spec, TensorSpec) and not spec.shape.is_fully_defined() for spec in specs)

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """The call with these arguments. Raises TypeError if they don't fit."""
        if kwargs or not self._is_plain or len(args) != self._count:
            found = None if self._quick is None else self._quick.bound(args, kwargs)
            args, kwargs = self.bound(args, kwargs) if found is None else found
        elif self.input_signature is not None:
            args = self._cast(args)
        return entered(args, kwargs)

    def _cast(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Casts one argument for each parameter to the input signature. Raises TypeError if one doesn't fit."""
        try:
            return tuple(
                [arg if kind is None else cast(kind, arg) for kind, arg in zip(self._types, args, strict=True)]
            )
        except (TypeError, ValueError) as problem:
            raise TypeError(self.type.refusal(problem, args, {})) from None

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional and keyword arguments with defaults filled in, cast to the input signature.

        Raises: TypeError if they don't fit.
        """
        try:
            return self.type.bound(args, kwargs)
        except (TypeError, ValueError) as problem:
            raise TypeError(self.type.refusal(problem, args, kwargs)) from None

    def signed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, with the specs of the input signature in place of the tensors that they describe."""
        if self.input_signature is None:
            return args, kwargs
        names = list(self.type.parameters)
        kinds = [self.type.parameters[name].type_constraint for name in names[: len(args)]]
        signed = [kind if isinstance(kind, TensorSpec) else arg for kind, arg in zip(kinds, args, strict=True)]
        return tuple(signed), kwargs

    def keys(self, call: Call) -> dict[str, Any]:
        """The part of the key of `call` that belongs to each parameter."""
        keys: dict[str, Any] = {}
        for name, value in (*zip(self.argument_names(len(call.args)), call.args, strict=True), *call.kwargs.items()):
            key: list[Any] = []
            _entered(value, key, [])
            keys[name] = key
        return keys

    def names(self) -> list[str]:
        """The parameters' names."""
        return [parameter.name for parameter in self._parameters]

    def argument_names(self, count: int) -> list[str]:
        """Names for the first `count` arguments by position: those of their parameters, numbered for `*args`."""
        names = [parameter.name for parameter in self._parameters if parameter.kind in POSITIONAL][:count]
        rest = next((p.name for p in self._parameters if p.kind is inspect.Parameter.VAR_POSITIONAL), "args")
        return names + [f"{rest}[{k}]" for k in range(count - len(names))]

    def typed(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], output: Any = None, captures: Sequence[Any] = ()
    ) -> FunctionType:
        """The type of a trace for arguments of these types."""
        positional = [p for p in self._parameters if p.kind in POSITIONAL]
        rest = [p.name for p in self._parameters if p.kind is inspect.Parameter.VAR_POSITIONAL]
        parameters = [Parameter(p.name, p.kind, False, kind) for p, kind in zip(positional, args, strict=False)]
        only = inspect.Parameter.POSITIONAL_ONLY
        if len(args) > len(positional):
            parameters = [parameter._replace(kind=only) for parameter in parameters]
            more = args[len(positional) :]
            parameters += [Parameter(f"{rest[0]}_{k}", only, False, kind) for k, kind in enumerate(more)]
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters += [Parameter(name, keyword, False, kind) for name, kind in kwargs.items()]
        return FunctionType(parameters, output, captures)


def entered(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """The call with arguments that are bound already. Raises TypeError for an argument that can't be part of a key."""
    key: list[Any] = []
    flat = _Leaves()
    args = _entered(args, key, flat)
    if kwargs:
        kwargs = _entered(kwargs, key, flat)
    if recorder.place is not None:
        key.append(recorder.place)
    axes = None if flat.axes is None else tuple([flat.axes.get(k, ()) for k in range(len(flat))])
    return Call(args, kwargs, flat, tuple(key), axes)


class _Leaves(list[Any]):
    """The leaves of arguments.

    Attributes:
      axes: by the numbers of leaves, the axes whose sizes traces leave open (see `Composite`); None without any.
    """

    axes: dict[int, tuple[int, ...]] | None = None


def _entered(value: Any, key: list[Any], flat: list[Any]) -> Any:
    """`value` with arrays converted to tensors. Appends its part of the key to `key`, and its leaves to `flat`."""
    kind = type(value)
    if kind is Tensor:
        key.append(_tensor_key(value))
    elif kind is tuple:
        key.append((kind, len(value)))
        return tuple([_entered(child, key, flat) for child in value])
    elif isinstance(value, Elemental):
        first = next((k for k, other in enumerate(flat) if other is value), -1)
        key.append((kind, value._element_key, first))
    elif kind in _LITERAL:
        key.append(("literal", "nan" if value != value else value))
    elif is_composite(kind) and hasattr(kind, "_entry") and (entry := value._entry()):
        key += entry
        flat += value.values
        return value
    elif isinstance(value, (np.ndarray, np.generic)):
        value = convert_to_tensor(value)
        key.append(_tensor_key(value))
    elif isinstance(value, Variable):
        key.append(_variable_key(value, flat))
    elif isinstance(value, (TensorSpec, CompositeSpec)):
        key.append(("spec", value))
    elif is_composite(kind):
        parts = value._flatten_composite()
        key.append((kind, len(parts), value._plain() if hasattr(kind, "_plain") else None))
        deciding = value._deciding() if hasattr(kind, "_deciding") else ()
        opened: dict[int, tuple[int, ...]] = getattr(kind, "_open_axes", {})
        if opened and isinstance(flat, _Leaves):
            flat.axes = (flat.axes or {}) | {len(flat) + k: axes for k, axes in opened.items()}
        entries = [(_known if k in deciding else _entered)(part, key, flat) for k, part in enumerate(parts)]
        return kind._unflatten_composite(value, entries)
    elif (container := container_of(kind)) is not None:
        _require_plain(value)
        if kind is MappingProxyType:
            return _entered(dict(value), key, flat)
        if kind is ListWrapper:
            return _entered(list(value), key, flat)
        if value.__class__ is not kind and hasattr(value, "__wrapped__"):  # a wrapper of a tuple
            return _entered(value.__wrapped__, key, flat)
        children = list(container.children(value))
        # TensorFlow reuses a trace for any mapping type with the same keys.
        key.append((dict, tuple(sorted_keys(value))) if is_mapping(kind) else (kind, len(children)))
        if container.metadata is not None:
            key.append(Metadata(container.metadata(value)))
        return container.rebuild(value, [_entered(child, key, flat) for child in children])
    elif hasattr(kind, "__tf_tracing_type__"):
        described = Described(value)
        key.append(described)
        flat.append(described)
        return value
    else:
        key.append(_object_key(value))
    flat.append(value)
    return value


def _require_plain(container: Any) -> None:
    """Raises TypeError for an unhashable container that TensorFlow treats as an opaque object."""
    is_plain = isinstance(container, (list, tuple, Mapping, range))
    if not is_plain and not hasattr(container, "__attrs_attrs__") and not hasattr(container, "__tf_flatten__"):
        _object_key(container)


def _known(part: Any, key: list[Any], flat: list[Any]) -> Any:
    """As `_entered`, for a component that determines shapes: its value, if known, is part of the trace."""
    if part._is_symbolic():
        return _entered(part, key, flat)
    value = np.asarray(part)
    key.append((part._aval, value.tobytes()))
    flat.append(Known(part))
    return part


def _tensor_key(tensor: Tensor) -> Any:
    """The key of a tensor. A string tensor's value is known while tracing, so its key contains the value."""
    return tensor._aval if tensor._aval.struct is not None else (tensor._aval, tuple(tensor._value().ravel()))


def _variable_key(variable: Variable, flat: list[Any]) -> Any:
    """The key of a variable: its kind, and the place of the first argument that is the same variable, or -1.

    A replicated variable, which stands for several cells, has traces of its own.
    """
    if variable._is_replicated:
        return ("variable", variable._unique_id)
    first = next((i for i, other in enumerate(flat) if isinstance(other, Variable) and _is_same(other, variable)), -1)
    return ("variable", variable.shape.is_fully_defined(), variable._tensor._aval, variable.trainable, first)


def _is_same(one: Variable, other: Variable) -> bool:
    return one._number == other._number


def _object_key(value: Any) -> Any:
    """The key of any other object; equal objects share a trace.

    Raises: TypeError if it is not hashable, or a weak reference.
    """
    if isinstance(value, weakref.ref):
        raise TypeError(f"weakref input {value} not supported for tf.function.")
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"Could not generate a generic TraceType for {value!r}.Please verify that it is immutable/hashable. "
            "Otherwise, consider implementing the Tracing Protocol for it."
        ) from None
    try:
        return Weakref(value)
    except TypeError:
        return ("literal", value)
