"""Error messages for functions that fail while they are traced: user code locations and cause, as in TensorFlow."""

from __future__ import annotations

import pathlib
import sysconfig
import traceback
from types import CodeType, TracebackType
from typing import Any

import jax

from tfcompat._core.system.error import (
    InaccessibleTensorError,
    OperatorNotAllowedInGraphError,
    OpError,
    UntraceableError,
)
from tfcompat._core.tracing.trace import here
from tfcompat._function.autograph.library import FOLDER, OF_TEXT, MultilineKeyError, OwnError, StagingError
from tfcompat._function.autograph.relocation import is_block, is_generated
from tfcompat._function.graphs.refusal import refused_while_traced, remembered

_PACKAGE = f"{pathlib.Path(__file__).parents[2]}/"
_MACHINERY = (_PACKAGE, FOLDER, f"{pathlib.Path(str(jax.__file__)).parent}/")
_OF_GRAPHS = (InaccessibleTensorError, OperatorNotAllowedInGraphError)
_STANDARD = sysconfig.get_path("stdlib")


def in_user_code(error: Exception) -> Exception:
    """`error` with the locations in rewritten functions that led to it; unchanged if no such function was called.

    It keeps its class if the constructor takes only a message, as in TensorFlow; otherwise it becomes a StagingError.
    """
    places = _places(error.__traceback__)
    if not places:
        return error
    is_refused = here.graph is not None and _is_ours(error.__traceback__)
    refused = refused_while_traced(error) if is_refused else None
    if refused is not None:
        error = refused.with_traceback(error.__traceback__)
    cause: str = getattr(error, "_cause_in_user_code", f"{type(error).__name__}: {error}")
    indented = "\n".join(f"    {line}" for line in cause.split("\n"))
    located = _with_message(error, "\n".join(["in user code:", "", *places, "", indented, ""]), cause)
    located.__suppress_context__ = True
    vars(located).update(remembered(error), _cause_in_user_code=cause)
    return located.with_traceback(_without_machinery(error.__traceback__))


def message_of(error: Exception) -> str:
    """The message of `error`, without the places in user code that `in_user_code` added."""
    cause: str | None = getattr(error, "_cause_in_user_code", None)
    return str(error) if cause is None else cause.partition(": ")[2]


def _with_message(error: Exception, message: str, cause: str) -> Exception:
    kind = type(error)
    build: Any = kind
    if isinstance(error, OpError) and kind is not OpError:
        return build(error.node_def, error.op, message)
    if kind in (*OF_TEXT, *_OF_GRAPHS) or issubclass(kind, (OwnError, UntraceableError)):
        return build(message)
    if kind.__init__ is Exception.__init__:
        return build(message)
    return MultilineKeyError(message, cause) if kind is KeyError else StagingError(message)


def _is_ours(trail: TracebackType | None) -> bool:
    """Whether the error was raised in this package."""
    files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(trail)]
    return files[-1].startswith(_PACKAGE)


def _without_machinery(trail: TracebackType | None) -> TracebackType | None:
    """`trail` without the frames of this package and of libraries that precede a frame of user code."""
    entries: list[TracebackType] = []
    while trail is not None:
        entries.append(trail)
        trail = trail.tb_next
    kept: TracebackType | None = None
    is_before_user = False
    for entry in reversed(entries):
        is_machinery = _is_machinery(entry.tb_frame.f_code.co_filename)
        if not (is_machinery and is_before_user):
            kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
        is_before_user = is_before_user or not is_machinery
    return kept


def _is_machinery(file: str) -> bool:
    return file.startswith(_MACHINERY) or (file.startswith(_STANDARD) and "site-packages" not in file)


def _places(trail: TracebackType | None) -> list[str]:
    """The lines of rewritten functions, each followed by those of its callees outside of this package."""
    places: list[str] = []
    within: CodeType | None = None
    for frame, number in traceback.walk_tb(trail):
        code = frame.f_code
        if is_generated(code):
            if within is not None and is_block(code):
                places.pop()
            mark, within = "  *", code
        elif not places or _is_machinery(code.co_filename):
            continue
        else:
            mark, within = "  **" if within is not None else "", None
        text = traceback.FrameSummary(code.co_filename, number, code.co_name).line
        place = f'    File "{code.co_filename}", line {number}, in {code.co_name}{mark}\n        {text}'
        if place not in places[-1:]:
            places.append(place)
    return places
