"""The activity and the line of a program, from the frames of its main thread."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Literal, NamedTuple

import jax

Phase = Literal["importing", "compiling", "running", "waiting for input", "recording", "Python"]
PHASES: tuple[Phase, ...] = ("importing", "compiling", "running", "waiting for input", "recording", "Python")

_PACKAGE = f"{Path(__file__).parents[2]}{os.sep}"
_INPUT = f"{_PACKAGE}_data{os.sep}"
_JAX = f"{Path(jax.__file__).parent}{os.sep}"
# The module of JAX whose frames wait for results.
_ARRAY = "array.py"
_FROZEN = "<frozen "
_IMPORT = "<frozen importlib"
_PATHS = sysconfig.get_paths()
_INSTALLED = tuple([f"{_PATHS[name]}{os.sep}" for name in ("stdlib", "purelib", "platlib")])
# Modules of tfcompat whose frames run programs or wait for results, and functions of others that do.
_RUNNING = tuple(
    f"{_PACKAGE}{name.replace('/', os.sep)}"
    for name in (
        "_core/tracing/flush.py",
        "_core/programs/program.py",
        "_core/programs/op_by_op.py",
        "_core/programs/family/",
        "_function/running/launch.py",
    )
)
_READING = frozenset(("flush", "_value", "numpy", "__array__", "sync", "_computed", "store_results"))


class Moment(NamedTuple):
    """The activity of a program, and the line of its own code that caused it: `file:line`."""

    phase: Phase
    line: str


def moment(frame: FrameType) -> Moment:
    """The activity and the line of a thread whose innermost frame is `frame`."""
    frames = list(_outwards(frame))
    return Moment(phase_of([(each.f_code.co_filename, each.f_code.co_name) for each in frames]), _line(frames))


def phase_of(calls: list[tuple[str, str]]) -> Phase:
    """The activity of `calls`, pairs of a file and the name of a function, the innermost first."""
    inner: list[tuple[str, str]] = []
    for file, name in calls:
        if not file.startswith((_PACKAGE, _JAX, _FROZEN, *_INSTALLED)):
            break
        inner.append((file, name))
    ours = [each for each in inner if each[0].startswith(_PACKAGE)]
    if any(file.startswith(_INPUT) for file, _ in calls):
        return "waiting for input"
    if any(file.startswith(_IMPORT) for file, _ in inner):
        return "importing"
    if not ours or _is_of_library(inner):
        return "Python"
    if any(file.startswith(_JAX) and not file.endswith(_ARRAY) for file, _ in inner[: inner.index(ours[0])]):
        return "compiling"
    if any(file.startswith(_RUNNING) or name in _READING for file, name in ours):
        return "running"
    return "recording"


def _is_of_library(inner: list[tuple[str, str]]) -> bool:
    """Whether an installed library, such as Keras, or Python's own is at work, rather than tfcompat or JAX for it."""
    for file, _ in inner:
        if file.startswith((_PACKAGE, _JAX)):
            return False
        if "site-packages" in file:
            return True
    return False


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _line(frames: list[FrameType]) -> str:
    """The innermost line of the program itself; that outside tfcompat, or none, if a library runs on its own."""
    outside = [each for each in frames if not each.f_code.co_filename.startswith((_PACKAGE, _JAX, _FROZEN))]
    own = [each for each in outside if not each.f_code.co_filename.startswith(_INSTALLED)]
    chosen = next(iter(own or outside), None)
    return "" if chosen is None else f"{chosen.f_code.co_filename}:{chosen.f_lineno}"
