"""The location in the user's code of the current call: the nearest frame outside this package."""

from __future__ import annotations

import functools
import importlib.util
import pathlib
import signal
import sys
from types import CodeType, FrameType
from typing import Any
from weakref import ref

import jax
import numpy as np

_PACKAGE = f"{pathlib.Path(__file__).parents[2]}/"
# Their frames make the calls of the functions that AutoGraph has rewritten, which count as the user's.
_CALLERS = (_PACKAGE + "_function/autograph/", _PACKAGE + "_core/calls/by_trial.py")
_JAX = str(pathlib.Path(jax.__file__).parent) + "/"
_NUMPY = str(pathlib.Path(np.__file__).parent) + "/"
# The library that JAX plans products of several arrays with.
_PLANNER = importlib.util.find_spec("opt_einsum")
_PLANS = () if _PLANNER is None else tuple([path + "/" for path in _PLANNER.submodule_search_locations or ()])
_LIBRARIES = (_PACKAGE, _JAX, _NUMPY, *_PLANS)
# The files of this package that have made calls: they are looked up faster than compared.
_own: set[str] = set()
# The line of each instruction that has called this package, by the `id` of its code, with the code that had it.
_lines: dict[tuple[int, int], tuple[str, ref[CodeType]]] = {}
_MOST_LINES = 4096
# Methods that read a value, and `__getattr__`, which Python calls for `numpy` of a tensor without a value.
_READS = frozenset(
    ("__array__", "__getattr__", "__bool__", "__complex__", "__float__", "__index__", "__int__", "numpy")
)


def user_line() -> str:
    """`file:line` of the nearest caller outside tfcompat."""
    frame = _user_frame()
    code = frame.f_code
    key = id(code), frame.f_lasti
    known = _lines.get(key)
    if known is None or known[1]() is not code:
        if len(_lines) >= _MOST_LINES:
            _lines.clear()
        known = _lines[key] = sys.intern(f"{code.co_filename}:{frame.f_lineno}"), ref(code)
    return known[0]


def user_place(depth: int) -> tuple[int, int]:
    """A hashable identifier of the user's instruction that called tfcompat; `depth` callers are tfcompat's."""
    frame = _user_frame(depth)
    return id(frame.f_code), frame.f_lasti


def user_path(end: CodeType) -> tuple[tuple[str, int, int], ...]:
    """The instructions of the user's functions that led to this call, from the inner one up to the frame of `end`.

    They are the same whenever the same code comes here again.
    """
    found: list[tuple[str, int, int]] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not end:
        code = frame.f_code
        if not code.co_filename.startswith(_LIBRARIES):
            found.append((code.co_filename, code.co_firstlineno, frame.f_lasti))
        frame = frame.f_back
    return tuple(found)


def is_raised_here(error: BaseException) -> bool:
    """Whether `error` was raised by tfcompat, not by a function that it called."""
    file = _raising_file(error)
    return file is not None and file.startswith(_PACKAGE)


def is_raised_by_user(error: BaseException) -> bool:
    """Whether `error` was raised by neither tfcompat, JAX, its planner nor NumPy, or by the handler of a signal."""
    file = _raising_file(error)
    return (file is not None and not file.startswith(_LIBRARIES)) or is_raised_by_handler(error)


def is_raised_by_handler(error: BaseException) -> bool:
    """Whether the handler of a signal raised `error`, which says nothing about the code that it has interrupted."""
    others: set[CodeType | None] = set()
    trail = error.__traceback__
    while trail is not None:
        if not (code := trail.tb_frame.f_code).co_filename.startswith(_LIBRARIES):
            others.add(code)
        trail = trail.tb_next
    handlers = map(signal.getsignal, signal.valid_signals()) if others else ()
    return any(callable(handler) and _code_of(handler) in others for handler in handlers)


def exception_of_handler(error: BaseException) -> BaseException | None:
    """The exception of a signal handler that `error` is, or was made from; None for other errors."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        if is_raised_by_handler(cause):
            return cause
        seen.add(id(cause))  # an error may be its own cause
        cause = cause.__cause__
    return None


def _code_of(handler: Any) -> CodeType | None:
    """The code that runs when `handler` is called; None if it is not Python code."""
    while isinstance(handler, functools.partial):
        handler = handler.func
    code = getattr(handler, "__code__", None)  # methods have that of their functions
    return getattr(type(handler).__call__, "__code__", None) if code is None else code


def _raising_file(error: BaseException) -> str | None:
    """The file whose code raised `error`; None if it was not raised yet."""
    trail = error.__traceback__
    while trail is not None and trail.tb_next is not None:
        trail = trail.tb_next
    return None if trail is None else trail.tb_frame.f_code.co_filename


def is_read_by_library() -> bool:
    """Whether tfcompat called the method of a tensor, such as `__array__`, that is reading the tensor's value."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_name not in _READS:
        frame = frame.f_back
    # A method of a variable calls that of its tensor.
    while frame is not None and (frame.f_code.co_name in _READS or frame.f_code.co_filename.startswith(_NUMPY)):
        frame = frame.f_back
    file = frame.f_code.co_filename if frame is not None else ""
    return file.startswith(_PACKAGE) and not file.startswith(_CALLERS)


def _user_frame(depth: int = 0) -> FrameType:
    frame = sys._getframe(2 + depth)
    while frame.f_back is not None:
        file = frame.f_code.co_filename
        if file not in _own:
            if not file.startswith(_PACKAGE):
                break
            _own.add(file)
        frame = frame.f_back
    return frame
