"""Python's `inspect`, which sees TensorFlow's functions as TensorFlow has them: without wrappers and annotations."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from tfcompat._keras.decorator import unwrap

_OURS = f"{__name__.partition('.')[0]}."

__all__ = ["ArgSpec", "getargspec", "getfullargspec", "inspect"]


class ArgSpec(NamedTuple):
    """The parameters of a function; those that are passed by name alone are among `args`."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getargspec(obj: Any) -> ArgSpec:
    """The parameters of `obj`, of the function in its wrappers, of the constructor of a class, or of a call.

    Source: TF 2.21, `getargspec` of `tensorflow.python.util.tf_inspect`.
    """
    full = getfullargspec(obj)
    names = [*full.args, *full.kwonlyargs]
    defaults = (*(full.defaults or ()), *((full.kwonlydefaults or {}).values()))
    return ArgSpec(names, full.varargs, full.varkw, defaults or None)


def getfullargspec(obj: Any) -> inspect.FullArgSpec:
    """The parameters of `obj`, or of the function in its wrappers.

    Source: TF 2.21, `getfullargspec` of `tensorflow.python.util.tf_inspect`.
    """
    decorators, target = unwrap(obj)
    declared = next((each.decorator_argspec for each in decorators if each.decorator_argspec is not None), None)
    if declared is not None:
        return declared
    found = inspect.getfullargspec(target)
    if (getattr(target, "__module__", None) or "").startswith(_OURS):
        return found._replace(annotations={})
    return found
