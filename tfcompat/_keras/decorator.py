"""Functions in wrappers, as TensorFlow's decorators make them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from tfcompat._function.functions.function import Function

_ATTRIBUTE = "_tf_decorator"
_TARGET = "__wrapped__"
_OURS = f"{__name__.partition('.')[0]}."


class Decorator(NamedTuple):
    """How a function was wrapped.

    Attributes:
      decorated_target: the function in the wrapper.
      decorator_name: the name of the decorator.
      decorator_doc: the documentation of the wrapper; empty if it has that of the function.
      decorator_argspec: the signature of the wrapper; None if it has that of the function.
    """

    decorated_target: Any
    decorator_name: str | None = None
    decorator_doc: str = ""
    decorator_argspec: Any = None


def make_decorator(
    target: Callable[..., Any],
    decorator_func: Callable[..., Any],
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Callable[..., Any]:
    """`decorator_func` with the name, the documentation and the signature of `target`, which it calls.

    Source: TF 2.21 `tf.__internal__.decorator.make_decorator`.
    """
    wrapped: Any = functools.update_wrapper(decorator_func, target)
    if decorator_doc:
        wrapped.__doc__ = decorator_doc
    if decorator_argspec is not None:
        wrapped.__signature__ = _signature_of(decorator_argspec)
    elif (instance := _bound_instance(target)) is not None:
        # The wrapper of a bound method may have been given a signature with `self`.
        signature = inspect.signature(target)
        parameters = [parameter for name, parameter in signature.parameters.items() if name != "self"]
        wrapped.__signature__ = signature.replace(parameters=parameters)
        wrapped.__self__ = instance
    setattr(wrapped, _ATTRIBUTE, Decorator(target, decorator_name, decorator_doc, decorator_argspec))
    return wrapped


def _bound_instance(target: Any) -> Any:
    """The object that `target`, or the function in its wrappers, is a method of; None for a plain function."""
    while target is not None and not inspect.ismethod(target):
        target = getattr(target, _TARGET, None)
    return None if target is None else target.__self__


def unwrap(maybe_tf_decorator: Any) -> tuple[list[Decorator], Any]:
    """How a function was wrapped by `make_decorator` and `tf.function`, the outermost first; the function in all.

    The wrappers of `functools.wraps` alone are not TensorFlow's: the first of them is the function that is found.
    Source: TF 2.21 `tf.__internal__.decorator.unwrap`.
    """
    decorators: list[Decorator] = []
    found: Any = maybe_tf_decorator
    while True:
        if isinstance(found, Function):
            decorators.append(Decorator(getattr(found, _TARGET), "tf.function"))
            found = decorators[-1].decorated_target
        elif _ATTRIBUTE in getattr(found, "__dict__", ()):
            decorators.append(getattr(found, _ATTRIBUTE))
            found = decorators[-1].decorated_target
        elif hasattr(found, _TARGET) and _is_ours(found):
            found = getattr(found, _TARGET)
        else:
            return decorators, found


def _is_ours(wrapper: Any) -> bool:
    """Whether the code of `wrapper` is of this package; its `__module__` may be that of the function in it."""
    names = getattr(wrapper, "__globals__", None)
    module = type(wrapper).__module__ if names is None else names.get("__name__", "")
    return module.startswith(_OURS)


def _signature_of(spec: inspect.FullArgSpec) -> inspect.Signature:
    kinds = inspect.Parameter
    defaults = spec.defaults or ()
    first = len(spec.args) - len(defaults)
    parameters = [
        kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=defaults[k - first] if k >= first else kinds.empty)
        for k, name in enumerate(spec.args)
    ]
    if spec.varargs:
        parameters.append(kinds(spec.varargs, kinds.VAR_POSITIONAL))
    keywords = spec.kwonlydefaults or {}
    parameters += [kinds(name, kinds.KEYWORD_ONLY, default=keywords.get(name, kinds.empty)) for name in spec.kwonlyargs]
    if spec.varkw:
        parameters.append(kinds(spec.varkw, kinds.VAR_KEYWORD))
    return inspect.Signature(parameters)
