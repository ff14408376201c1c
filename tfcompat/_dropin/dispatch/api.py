"""`tf.experimental.dispatch_for_api`: one function, and the handlers that stand before it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from itertools import chain
from types import FunctionType
from typing import Any, NamedTuple

from tfcompat._core.diversion import divert, restore
from tfcompat._dropin.dispatch.annotation import Checker, checker, holds_composite
from tfcompat._state.scope import name_scope

Function = Callable[..., Any]
_OURS = __name__.partition(".")[0]


class _Condition(NamedTuple):
    """What an argument must be: its place and name in the signature, and what tells whether it is that."""

    place: int
    name: str
    is_met_by: Checker


class _Api:
    """A function with handlers, each with the signatures that it answers for."""

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
        """What the handler for these arguments says; the function where there is none, or it says NotImplemented."""
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
        """Whether all conditions are met, and a composite meets one of them."""
        met: list[Any] = []
        for place, name, is_met_by in conditions:
            value = args[place] if place < len(args) else kwargs.get(name, self.defaults.get(name))
            if not is_met_by(value):
                return False
            met.append(value)
        return holds_composite(met)


_apis: dict[Function, _Api] = {}


def dispatch_for_api(api: Any, *signatures: Any) -> Callable[[Function], Function]:
    """A decorator of functions that answer for `api` where the arguments match one of `signatures`.

    A signature is a dictionary from names or places of parameters to annotations: classes, and `typing.List` and
    `typing.Union` of such. Without any, the annotations of the decorated function are the signature. It matches if each
    of these arguments is of its type and one of them is, or holds, an extension type or another composite of tensors.
    What answers has the parameters of `api`, but for `name`, which it may leave to a name scope; it may return
    NotImplemented. It is looked for first, before `api` itself and what `api` does with ragged and sparse tensors.

    Shapes: none.
    Dtypes: none.
    Raises: ValueError if `api` takes no handlers, or the parameters or annotations don't fit; TypeError if a signature
      is no dictionary or what is decorated cannot be called. In a call: ValueError if several handlers match.
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
    """Takes `handler` from all functions, and tells whether there were any."""
    served = [function for function, api in _apis.items() if handler in api.handlers]
    for function in served:
        del _apis[function].handlers[handler]
        if not _apis[function].handlers:
            del _apis[function]
            restore(function)  # pyright: ignore[reportArgumentType]
    return bool(served)


def _takes_handlers(api: Any) -> bool:
    """Whether `api` is one of our functions with parameters that have names."""
    if not isinstance(api, FunctionType) or api.__module__.partition(".")[0] != _OURS:
        return False
    open_kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return all(parameter.kind not in open_kinds for parameter in inspect.signature(api).parameters.values())


def _without_annotations(signature: inspect.Signature) -> inspect.Signature:
    listed = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    return inspect.Signature(listed)


def _conditions(parameters: inspect.Signature, signature: Any) -> list[_Condition]:
    """The conditions that `signature` sets for the arguments of a function with these `parameters`."""
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
    """The signature that the annotations of `handler` say."""
    listed = inspect.signature(handler).parameters.items()
    annotated = {name: each.annotation for name, each in listed if each.annotation is not each.empty}
    if not annotated:
        raise ValueError(
            "The dispatch_for_api decorator must be called with at least one signature, or applied to a function that "
            "has type annotations on its parameters."
        )
    return annotated


def _with_name(handler: Function, parameters: inspect.Signature) -> Function:
    """`handler`, or if it leaves out the parameter `name`, one that opens the scope of that name for it."""
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
    """Raises ValueError unless `handler` has these `parameters`, or takes any."""
    own = inspect.signature(handler)
    listed = [(each.name, each.kind) for each in own.parameters.values()]
    if [kind for _, kind in listed] == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]:
        return
    if listed != [(each.name, each.kind) for each in parameters.parameters.values()]:
        raise ValueError(f"Dispatch function's signature {own} does not match API's signature {parameters}.")
