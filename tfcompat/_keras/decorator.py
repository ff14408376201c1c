"""Functions in wrappers, as `functools.wraps` and TensorFlow's decorators make them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


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
    del decorator_name
    wrapped: Any = functools.update_wrapper(decorator_func, target)
    if decorator_doc:
        wrapped.__doc__ = decorator_doc
    if decorator_argspec is not None:
        wrapped.__signature__ = _signature_of(decorator_argspec)
    return wrapped


def unwrap(maybe_tf_decorator: Any) -> tuple[list[Any], Any]:
    """The wrappers of a function, the outermost first, and the function in them.

    Source: TF 2.21 `tf.__internal__.decorator.unwrap`.
    """
    wrappers: list[Any] = []
    found = maybe_tf_decorator
    while hasattr(found, "__wrapped__"):
        wrappers.append(found)
        found = found.__wrapped__
    return wrappers, found


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
