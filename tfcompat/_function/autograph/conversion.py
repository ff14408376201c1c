"""AutoGraph for whole functions: the conversion for `tf.function`, and the functions of `tf.autograph`."""

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

# Features that change only the names and the order of a graph's nodes.
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
    """`function` with its control flow, and that of its callees, staged where it depends on tensors.

    It is rewritten when it is called. Functions without source code run unchanged, with a warning. Exceptions refer to
    the lines of the user's code.
    """
    return converted_with(function, options_of(features))


def converted_with(function: Callable[..., Any], options: Any) -> Callable[..., Any]:
    """As `converted`, with the conversion `options`."""

    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            with library.Status(library.ENABLED, options):
                return converted_call(function, args, kwargs, options=options)
        except Exception as error:
            located = in_user_code(error)
            if located is error:
                raise
        raise located

    for name in ("__name__", "__qualname__"):
        setattr(run, name, getattr(function, name, "function"))
    return mark(run)


def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """`func`, wrapped so that AutoGraph doesn't rewrite it when it is called in a `tf.function`.

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
    """`entity` rewritten by AutoGraph; with `recursive`, the functions that it calls are rewritten too.

    Raises: ConversionError (of `malt`) if it can't be rewritten; ValueError if it isn't a Python function.
    Source: TF 2.21 `tf.autograph.to_graph`.
    """
    options = options_of(experimental_optional_features, is_recursive=recursive)
    return mark(_made(entity, lambda: TRANSPILER.rewritten(entity, options)))


def to_code(entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """The source code of `entity` after AutoGraph has rewritten it.

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
