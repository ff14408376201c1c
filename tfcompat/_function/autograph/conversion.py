"""AutoGraph for whole functions: what `tf.function` traces, and what `tf.autograph` offers."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from tfcompat._function.autograph import library
from tfcompat._function.autograph.call import TRANSPILER, converted_call
from tfcompat._function.autograph.error import in_user_code
from tfcompat._function.autograph.library import Feature, mark

# What changes only names and orders of a graph's nodes.
_WITHOUT_EFFECT = (Feature.NAME_SCOPES, Feature.AUTO_CONTROL_DEPS)


def options_of(features: Any, *, is_recursive: bool = True) -> Any:
    """The options for optional `features`: None, one, or several."""
    chosen: Any = () if features is None else features
    if not isinstance(chosen, (list, tuple, set, frozenset)):
        chosen = (chosen,)
    if Feature.ALL in chosen:
        chosen = Feature.all()
    kept = tuple(one for one in chosen if one not in (*_WITHOUT_EFFECT, Feature.ALL))
    return library.Options(recursive=is_recursive, user_requested=True, optional_features=kept)


def converted(function: Callable[..., Any], features: Any = None) -> Callable[..., Any]:
    """`function` with its control flow staged where it depends on tensors, and so that of what it calls.

    It is rewritten when it is called; functions whose source is not found run as they are, with a warning. What it
    raises tells the lines of the user's code.
    """
    options = options_of(features)

    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            with library.Status(library.ENABLED, options):
                return converted_call(function, args, kwargs, options=options)
        except Exception as error:
            told = in_user_code(error)
            if told is error:
                raise
        raise told

    for name in ("__name__", "__qualname__"):
        setattr(run, name, getattr(function, name, "function"))
    return mark(run)


def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """`func`, left as it is written where it is called in a `tf.function`.

    Without `func` it is a decorator.

    Source: TF 2.21 `tf.autograph.experimental.do_not_convert`.
    """
    if func is None:
        return do_not_convert

    def as_written(*args: Any, **kwargs: Any) -> Any:
        with library.Status(library.DISABLED):
            return func(*args, **kwargs)

    if inspect.isfunction(func) or inspect.ismethod(func):
        functools.update_wrapper(as_written, func)
    return mark(as_written)


def to_graph(entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None) -> Any:
    """The function that AutoGraph makes of `entity`; with `recursive` also of the functions that it calls.

    Raises: ConversionError (of `malt`) if it can't be rewritten; ValueError if it isn't a Python function.
    Source: TF 2.21 `tf.autograph.to_graph`.
    """
    options = options_of(experimental_optional_features, is_recursive=recursive)
    return mark(_made(entity, lambda: TRANSPILER.rewritten(entity, options)))


def to_code(entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """The source text of the function that AutoGraph makes of `entity`.

    Raises: ConversionError (of `malt`) if it can't be rewritten.
    Source: TF 2.21 `tf.autograph.to_code`.
    """
    options = options_of(experimental_optional_features, is_recursive=recursive)
    return textwrap.dedent(_made(entity, lambda: TRANSPILER.source(entity, options)))


def _made(entity: Any, make: Callable[[], Any]) -> Any:
    try:
        if not hasattr(entity, "__code__"):
            raise ValueError(
                "Cannot apply autograph to a function that doesn't expose a __code__ object. If this is a "
                "@tf.function, try passing f.python_function instead."
            )
        return make()
    except (ValueError, AttributeError, KeyError, NameError, AssertionError) as error:
        raise library.ConversionError(f"converting {entity}: {type(error).__name__}: {error}") from error


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Sets how much is logged about rewriting functions: nothing at `level` 0, everything at 10.

    Source: TF 2.21 `tf.autograph.set_verbosity`.
    """
    library.set_verbosity(level, alsologtostdout)


def trace(*args: Any) -> None:
    """Prints `args` while a function is traced, not when it runs.

    Source: TF 2.21 `tf.autograph.trace`.
    """
    print(*args)
