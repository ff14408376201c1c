"""Calls in rewritten functions: the callee is rewritten in turn if it is the user's."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable
from types import ModuleType
from typing import Any
from weakref import WeakSet

from tfcompat._core.calls.by_trial import or_by_host
from tfcompat._function.autograph import library
from tfcompat._function.autograph.assertion import assert_stmt
from tfcompat._function.autograph.binding import caught
from tfcompat._function.autograph.builtin import overload_of
from tfcompat._function.autograph.conditional import if_exp, if_stmt
from tfcompat._function.autograph.item import get_item, set_item
from tfcompat._function.autograph.iteration import for_stmt
from tfcompat._function.autograph.logic import and_, eq, not_, not_eq, or_
from tfcompat._function.autograph.loop import while_stmt
from tfcompat._function.autograph.rule import is_kept, is_library, is_own
from tfcompat._function.autograph.staged_range import range_of
from tfcompat._function.autograph.staging import is_tracing
from tfcompat._function.autograph.transpiler import Transpiler
from tfcompat._function.rows.map import map_fn
from tfcompat._jaxpr.postponement import postponed
from tfcompat._ops.array.creation import range as known_range

_logger = logging.getLogger("tensorflow")
# Functions that could not be rewritten. A warning has been logged for each.
_unfit: WeakSet[Any] = WeakSet()


def converted_call(
    f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, caller_fn_scope: Any = None, options: Any = None
) -> Any:
    """`f(*args, **kwargs)` in a rewritten function. The conversion options are `options`, or those of its scope."""
    if options is None:
        options = caller_fn_scope.callopts
    kwargs = kwargs or {}
    if library.current().status is library.DISABLED:
        return f(*args, **kwargs)
    if isinstance(f, functools.partial):
        return converted_call(f.func, f.args + args, f.keywords | kwargs, caller_fn_scope, options)
    if f is known_range and is_tracing():
        return range_of(*args, **kwargs)
    if f is map_fn:
        return map_fn(*map(converted_within, args[:1]), *args[1:], **kwargs)
    if f is super or library.is_builtin(f):
        inspecting = _frame_inspecting(f)
        return overload_of(f)(*args, **kwargs) if inspecting is None else inspecting(f, args, caller_fn_scope)
    is_unwanted = is_own(f) or (is_library(f) and not options.user_requested)
    if is_kept(f) or is_unwanted or not options.internal_convert_user_code:
        return or_by_host(f, args, kwargs) if is_own(f) else f(*args, **kwargs)
    target, receiver = _target(f)
    made = _made(target, f, options)
    return f(*args, **kwargs) if made is None else made(*receiver, *args, **kwargs)


def converted_within(function: Any) -> Any:
    """`function` for a library function to call. It is rewritten if the current function is."""
    status = library.current()
    if library.is_marked(function) or status.status is not library.ENABLED:
        return function
    return library.mark(functools.partial(_call_within, function, status))


def _call_within(function: Any, status: Any, *args: Any, **kwargs: Any) -> Any:
    with status:
        return converted_call(function, args, kwargs, options=status.options.call_options())


def _frame_inspecting(f: Any) -> Callable[..., Any] | None:
    """The wrapper that calls `f` if `f` is a built-in function that inspects the caller's frame; otherwise None."""
    return next((call for function, call in library.in_context.items() if f is function), None)


def _target(f: Any) -> tuple[Any, tuple[Any, ...]]:
    """The Python function of the callable `f`, and the receiver that it takes as its first argument, if any."""
    if inspect.ismethod(f):
        return f.__func__, (f.__self__,)
    return (f, ()) if inspect.isfunction(f) else (type(f).__call__, (f,))


def _made(target: Any, f: Any, options: Any) -> Callable[..., Any] | None:
    """`target` rewritten; None, after a warning, if that is impossible."""
    code = getattr(target, "__code__", None)
    if code is None or code.co_filename == "<string>" or target in _unfit:
        return None
    if TRANSPILER.has_rewritten(target, options):
        return TRANSPILER.rewritten(target, options)
    with postponed():  # the exception of a signal handler must not make AutoGraph give up
        return _first_made(target, f, options)


def _first_made(target: Any, f: Any, options: Any) -> Callable[..., Any] | None:
    """As `_made`, for code that is not rewritten yet."""
    try:
        return TRANSPILER.rewritten(target, options)
    except RecursionError:
        raise
    except Exception as refused:
        _unfit.add(target)
        report = "" if isinstance(refused, library.UNSUITABLE) else "Please report this, with the function's source.\n"
        _logger.warning(
            "AutoGraph could not transform %s and will run it as-is.\n%sCause: %s\nTo silence this warning, decorate "
            "the function with @tf.autograph.experimental.do_not_convert",
            *(f, report, refused),
        )
        return None


def _operators() -> ModuleType:
    """The module of operators that generated code calls."""
    staged = (and_, assert_stmt, eq, for_stmt, get_item, if_exp, if_stmt, not_, not_eq, or_, set_item, while_stmt)
    module = ModuleType("operators", "The operators that rewritten functions call.")
    vars(module).update(library.plain_operators | {part.__name__: part for part in (*staged, caught, converted_call)})
    return module


TRANSPILER = Transpiler(_operators())
