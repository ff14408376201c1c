"""`tf.experimental.dispatch_for_api`: handlers that are tried before a function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from itertools import chain
from types import FunctionType
from typing import Any, NamedTuple

from tfcompat._dropin.dispatch.annotation import Checker, checker, holds_composite
from tfcompat._dropin.dispatch.diversion import divert, restore
from tfcompat._state.scope import name_scope

Function = Callable[..., Any]
_OURS = __name__.partition(".")[0]


class _Condition(NamedTuple):
    """The position and name of a parameter, and a predicate for its argument."""

    place: int
    name: str
    is_met_by: Checker


class _Api:
    """A function with its handlers, each with its signatures."""

    def __init__(self, function: FunctionType) -> None:
        self.signature = inspect.signature(function)
        self.handlers: dict[Function, list[list[_Condition]]] = {}
        self.defaults = {
            name: parameter.default
            for name, parameter in self.signature.parameters.items()
            if parameter.default is not parameter.empty
        }
        self.original = divert(function, self.answer)

    def answer(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The handler's result for these arguments; the function's if no handler applies."""
        if any(map(holds_composite, chain(args, kwargs.values()))):
            found = [
                handler
                for handler, signatures in self.handlers.items()
                if any(self._matches(conditions, args, kwargs) for conditions in signatures)
            ]
            if len(found) > 1:
                raise ValueError(
                    "Multiple dispatch targets that were registered with tf.dispatch_for "
                    f"({' and '.join(map(str, found))}) match the arguments to {self.original.__name__}"
                )
            answer = found[0](*args, **kwargs) if found else NotImplemented
            if answer is not NotImplemented:
                return answer
        return self.original(*args, **kwargs)

    def _matches(self, conditions: list[_Condition], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether all conditions hold, at least one of them for a composite."""
        met: list[Any] = []
        for place, name, is_met_by in conditions:
            value = args[place] if place < len(args) else kwargs.get(name, self.defaults.get(name))
            if not is_met_by(value):
                return False
            met.append(value)
        return holds_composite(met)


_apis: dict[Function, _Api] = {}


def dispatch_for_api(api: Any, *signatures: Any) -> Callable[[Function], Function]:
    """A decorator of handlers that replace `api` for arguments that match one of `signatures`.

    A signature is a dictionary from names or positions of parameters to annotations: classes, and `typing.List` and
    `typing.Union` of these. By default, the annotations of the handler are the signature. It matches if each of these
    arguments has its type and one of them is, or contains, an extension type or another composite of tensors.
    The handler has the parameters of `api`, except that `name` is optional; it may return NotImplemented. It takes
    precedence over `api` itself, and over built-in handlers for ragged and sparse tensors.

    Shapes: none.
    Dtypes: none.
    Raises: ValueError if `api` does not support handlers, or the parameters or annotations do not fit; TypeError if a
      signature is not a dictionary or the handler is not callable. In a call: ValueError if several handlers match.
    Source: TF 2.21 `tf.experimental.dispatch_for_api`.
    """
    if not _takes_handlers(api):
        raise ValueError(f"{api} does not support dispatch.")
    parameters = _without_annotations(inspect.signature(api))
    given = [_conditions(parameters, signature) for signature in signatures]

    def register(handler: Function) -> Function:
        if not callable(handler):
            raise TypeError(f"Expected dispatch_target to be callable; got {handler!r}")
        answering = _with_name(handler, parameters)
        _require_parameters(answering, parameters)
        conditions = given or [_conditions(parameters, _annotations(answering))]
        found = _apis.get(api)
        if found is None:
            found = _apis[api] = _Api(api)
        found.handlers.setdefault(answering, []).extend(conditions)
        return answering

    return register


def withdraw(handler: Function) -> bool:
    """Removes `handler` from all functions; returns whether it was registered."""
    served = [function for function, api in _apis.items() if handler in api.handlers]
    for function in served:
        del _apis[function].handlers[handler]
        if not _apis[function].handlers:
            del _apis[function]
            restore(function)  # pyright: ignore[reportArgumentType]
    return bool(served)


def _takes_handlers(api: Any) -> bool:
    """Whether `api` is a function of tfcompat with named parameters."""
    if not isinstance(api, FunctionType) or api.__module__.partition(".")[0] != _OURS:
        return False
    open_kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return all(parameter.kind not in open_kinds for parameter in inspect.signature(api).parameters.values())


def _without_annotations(signature: inspect.Signature) -> inspect.Signature:
    listed = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    return inspect.Signature(listed)


def _conditions(parameters: inspect.Signature, signature: Any) -> list[_Condition]:
    """The conditions of `signature` on the arguments of a function with these `parameters`."""
    if not isinstance(signature, Mapping) or not all(isinstance(key, (str, int)) for key in signature):
        raise TypeError("signatures must be dictionaries mapping parameter names to type annotations.")
    names = list(parameters.parameters)
    conditions: list[_Condition] = []
    for key, annotation in signature.items():
        name: Any = names[key] if isinstance(key, int) and key < len(names) else key
        if name not in names:
            raise ValueError(f"signature includes annotation for unknown parameter {name!r}.")
        conditions.append(_Condition(names.index(name), name, checker(annotation)))
    return conditions


def _annotations(handler: Function) -> dict[str, Any]:
    """The signature given by the annotations of `handler`."""
    listed = inspect.signature(handler).parameters.items()
    annotated = {name: each.annotation for name, each in listed if each.annotation is not each.empty}
    if not annotated:
        raise ValueError(
            "The dispatch_for_api decorator must be called with at least one signature, or applied to a function that "
            "has type annotations on its parameters."
        )
    return annotated


def _with_name(handler: Function, parameters: inspect.Signature) -> Function:
    """`handler`; if it lacks the parameter `name`, a wrapper that calls it in the name scope `name`."""
    own = inspect.signature(handler)
    takes_any = any(each.kind is each.VAR_KEYWORD for each in own.parameters.values())
    if "name" not in parameters.parameters or "name" in own.parameters or takes_any:
        return handler
    place = list(parameters.parameters).index("name")

    @functools.wraps(handler)
    def scoped(*args: Any, **kwargs: Any) -> Any:
        name = args[place] if place < len(args) else kwargs.pop("name", None)
        args = (*args[:place], *args[place + 1 :])
        if name is None:
            return handler(*args, **kwargs)
        with name_scope(name):
            return handler(*args, **kwargs)

    listed = [*own.parameters.values(), parameters.parameters["name"]]
    vars(scoped)["__signature__"] = own.replace(parameters=listed)
    return scoped


def _require_parameters(handler: Function, parameters: inspect.Signature) -> None:
    """Raises ValueError unless `handler` has these `parameters`, or accepts any."""
    own = inspect.signature(handler)
    listed = [(each.name, each.kind) for each in own.parameters.values()]
    if [kind for _, kind in listed] == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]:
        return
    if listed != [(each.name, each.kind) for each in parameters.parameters.values()]:
        raise ValueError(f"Dispatch function's signature {own} does not match API's signature {parameters}.")
