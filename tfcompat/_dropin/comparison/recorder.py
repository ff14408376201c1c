"""Runs a script and writes records of its results: printed lines, gradients, results of functions, variables.

    PYTHON recorder.py SEED SCRIPT [ARGUMENT...]        SEED may be empty; SCRIPT may be `-m MODULE`

The file runs as a program under TensorFlow and under tfcompat, and needs only Python and NumPy. It changes neither the
script nor the files of the library: once `tensorflow` is imported, it replaces some public functions by ones that also
record. A tensor is read when the next record is made, since reading it at once would change the programs that tfcompat
compiles.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.abc
import importlib.machinery
import json
import os
import random
import runpy
import struct
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import numpy as np

DESCRIPTOR = "TFCOMPAT_COMPARE_DESCRIPTOR"
# An array with more elements is recorded by this many of them, evenly spaced, and by its mean and its size.
MOST_ELEMENTS = 4096
# Longer lines of text are cut.
_MOST_CHARACTERS = 4000
# Records that wait for the next one.
_MOST_PENDING = 256
# Variables that are kept for the end.
_MOST_VARIABLES = 2000
_LENGTH = struct.Struct("<I")
_PATHS = sysconfig.get_paths()
_STDLIB = _PATHS["stdlib"]
_SITES = tuple({_PATHS["purelib"] + os.sep, _PATHS["platlib"] + os.sep})
_NUMBERS = "iufcb"
Record = dict[str, Any]


def array_record(array: Any) -> Record:
    """The record of an array: dtype, shape, some elements as text or numbers, and totals of a long one."""
    name = str(array.dtype)
    shape = list(array.shape)
    if array.dtype.kind in "OSU":
        texts = [
            x.decode("utf-8", "replace") if isinstance(x, bytes) else str(x) for x in array.ravel()[:MOST_ELEMENTS]
        ]
        return {"dtype": "string", "shape": shape, "elements": texts, "every": 1}
    flat = np.ravel(array)
    if flat.dtype.kind not in _NUMBERS:  # bfloat16 and other types of ml_dtypes
        flat = flat.astype(np.float32)
    every = max(1, -(-flat.size // MOST_ELEMENTS))
    record: Record = {"dtype": name, "shape": shape, "every": every}
    if every > 1 and flat.dtype.kind in "fc":
        with np.errstate(all="ignore"):
            record["size"] = float(np.sqrt(np.mean(np.abs(flat.astype(np.complex128)) ** 2)))
    part = flat[::every]
    if part.dtype.kind == "c":
        part = np.stack([np.real(part), np.imag(part)], -1)
    # JSON has nan and infinities in Python's own spelling, and integers of any size.
    record["elements"] = part.ravel().astype(object if part.dtype.kind in "iu" else np.float64).tolist()
    return record


def leaf_record(leaf: Any) -> Record:
    """The record of a part of a result: a tensor, a variable, a number, a text, None; of other objects, the class."""
    if leaf is None:
        return {"dtype": "None"}
    if isinstance(leaf, str):
        leaf = np.array(leaf, object)
    elif hasattr(leaf, "numpy"):
        leaf = leaf.numpy()
    if isinstance(leaf, (bool, int, float, complex, bytes, np.ndarray, np.generic)):
        return array_record(np.asarray(leaf))
    return {"dtype": "object", "elements": [type(leaf).__name__]}


class Recorder:
    """Writes records to a file descriptor, in the order of the program.

    A record has a kind, the line of the program, the seconds since the start without those spent on records, and parts.
    """

    def __init__(self, descriptor: int, root: str) -> None:
        """`root` is the folder to which names of files are relative."""
        self._file = os.fdopen(descriptor, "wb", buffering=1 << 16)
        self._root = root
        self._pending: list[tuple[Record, list[Any]]] = []
        self._began = time.perf_counter()
        self._spent = 0.0
        self._main = threading.get_ident()
        self._variables: list[Any] = []
        self.own = (__file__, runpy.__file__)
        # Contexts of the whole program.
        self.stack = contextlib.ExitStack()
        # The depth of calls that record: those inside do not.
        self.depth = 0

    def records(self) -> bool:
        """Whether the current call is of the main thread, and not inside another call that records."""
        return self.depth == 0 and threading.get_ident() == self._main

    def keep(self, variable: Any) -> None:
        """Keeps a variable until the end."""
        if len(self._variables) < _MOST_VARIABLES:
            self._variables.append(variable)

    def add(self, kind: str, leaves: list[Any]) -> None:
        """Adds a record of `leaves`, to be read at the next one; nothing if no line of the program is responsible."""
        line = self._line()
        if line is None:
            return
        now = time.perf_counter()
        seconds = now - self._began - self._spent
        self._flush()
        leaves = [leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in leaves]
        self._pending.append(({"kind": kind, "line": line, "seconds": seconds}, leaves))

    def add_text(self, text: str) -> None:
        """Adds a record of a printed line; it does not read tensors."""
        line = self._line(with_libraries=False)
        if line is not None:
            header = {"kind": "print", "line": line, "seconds": self._seconds(), "text": text}
            self._pending.append((header, []))
            if len(self._pending) > _MOST_PENDING:
                self._flush()

    def end(self, outcome: Record) -> None:
        """Writes the variables, and the `outcome`: the class of the exception that ended the program, and its line."""
        self._flush()
        # After an error the number of assignments is left to chance.
        for number, variable in enumerate([] if outcome["error"] else self._variables):
            # A variable of a function that failed to be traced has no value.
            with contextlib.suppress(Exception):
                part = leaf_record(variable)
                self._send({"kind": "variable", "line": str(number), "name": str(variable.name), "parts": [part]})
        self._send({"kind": "end", "seconds": self._seconds(), **outcome})
        with contextlib.suppress(OSError):
            self._file.close()

    def _seconds(self) -> float:
        return time.perf_counter() - self._began - self._spent

    def _flush(self) -> None:
        pending, self._pending = self._pending, []
        for header, leaves in pending:
            # Waiting for a tensor is time of the program, writing it is not.
            parts = [leaf_record(leaf) for leaf in leaves]
            self._send({**header, "parts": parts})

    def _send(self, record: Record) -> None:
        began = time.perf_counter()
        data = json.dumps(record).encode()
        # The reader may have gone: the program continues without records.
        with contextlib.suppress(OSError, ValueError):
            self._file.write(_LENGTH.pack(len(data)) + data)
            self._file.flush()
        self._spent += time.perf_counter() - began

    def _line(self, *, with_libraries: bool = True) -> str | None:
        """`file:line` of the innermost frame of the program; None without one, or if a library calls."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            file = frame.f_code.co_filename
            if not self._is_hidden(file):
                if not self._is_installed(file):
                    return f"{os.path.relpath(file, self._root)}:{frame.f_lineno}" if os.path.isabs(file) else None
                if not with_libraries:
                    return None
            frame = frame.f_back
        return None

    def _is_hidden(self, file: str) -> bool:
        return file.startswith("<") or file in self.own

    def _is_installed(self, file: str) -> bool:
        return file.startswith((*_SITES, _STDLIB, *_libraries())) and not file.startswith(self._root + os.sep)


@functools.cache
def _libraries() -> tuple[str, ...]:
    """The folder of tfcompat, which may be a checkout; empty under TensorFlow."""
    module = sys.modules.get("tfcompat")
    return () if module is None or module.__file__ is None else (os.path.dirname(module.__file__) + os.sep,)


class _Watched(importlib.abc.Loader):
    """A loader that calls `then` with the module that another one has loaded."""

    def __init__(self, inner: Any, then: Callable[[Any], None]) -> None:
        self._inner = inner
        self._then = then

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Any:
        """The module that the other loader creates."""
        return self._inner.create_module(spec)

    def exec_module(self, module: Any) -> None:
        """Loads the module, and calls `then`."""
        self._inner.exec_module(module)
        self._then(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds `tensorflow` as the other finders do, and calls `then` once it is loaded."""

    def __init__(self, then: Callable[[Any], None]) -> None:
        self._then = then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of `tensorflow` with the loader that calls `then`; None for other modules."""
        if fullname != "tensorflow":
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(fullname, path, target) if hasattr(finder, "find_spec") else None
            if spec is not None:
                spec.loader = _Watched(spec.loader, self._then)
                return spec
        return None


def _recording(recorder: Recorder, tf: Any, kind: str, original: Callable[..., Any]) -> Any:
    """`original`, recording its results when they have values."""

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not recorder.records() or not tf.executing_eagerly():
            return original(*args, **kwargs)
        recorder.depth += 1
        try:
            result = original(*args, **kwargs)
        finally:
            recorder.depth -= 1
        recorder.add(kind, tf.nest.flatten(result, expand_composites=True))
        return result

    return tf.autograph.experimental.do_not_convert(call)


def watch(recorder: Recorder, tf: Any, seed: int | None) -> None:
    """Makes the functions of `tf` record, and seeds its random numbers unless `seed` is None."""
    tape = tf.GradientTape
    for name in ("gradient", "jacobian", "batch_jacobian"):
        setattr(tape, name, _recording(recorder, tf, name, getattr(tape, name)))
    function = type(tf.function(lambda: None))
    function.__call__ = _recording(recorder, tf, "function", function.__call__)

    def creator(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        variable = next_creator(**kwargs)
        recorder.keep(variable)
        return variable

    recorder.stack.enter_context(tf.variable_creator_scope(creator))
    if seed is not None:
        tf.random.set_seed(seed)


def _seed_python(seed: int) -> None:
    """Seeds the generators of Python and NumPy, and those of NumPy that are made without a seed."""
    random.seed(seed)
    np.random.seed(seed)
    original = np.random.default_rng
    made = iter(range(seed, sys.maxsize))

    @functools.wraps(original)
    def default_rng(seed: Any = None) -> np.random.Generator:
        return original(next(made) if seed is None else seed)

    np.random.default_rng = default_rng


def _watch_output(recorder: Recorder) -> None:
    """Records the lines that are written to standard output."""
    write = sys.stdout.write
    parts: list[str] = []

    def recording(text: str) -> int:
        *lines, rest = text.split("\n")
        for line in lines:
            recorder.add_text("".join([*parts, line])[:_MOST_CHARACTERS])
            parts.clear()
        if rest:
            parts.append(rest)
        return write(text)

    sys.stdout.write = recording


def main() -> None:
    """Runs the script named on the command line."""
    seed, *sys.argv = sys.argv[1:]
    is_module = sys.argv[0] == "-m"
    if is_module:
        del sys.argv[0]
    root = os.getcwd() if is_module else os.path.dirname(os.path.realpath(sys.argv[0]))
    descriptor = int(os.environ.pop(DESCRIPTOR))
    os.set_inheritable(descriptor, False)
    recorder = Recorder(descriptor, root)
    number = int(seed) if seed else None
    if number is not None:
        _seed_python(number)
    sys.meta_path.insert(0, _Finder(lambda tf: watch(recorder, tf, number)))
    _watch_output(recorder)
    sys.path[0] = root
    outcome: Record = {"error": "", "status": 0}
    try:
        if is_module:
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as error:
        outcome["status"] = error.code if isinstance(error.code, int) else int(error.code is not None)
        raise
    except BaseException as error:
        outcome.update(error=type(error).__name__, status=1, message=str(error)[:_MOST_CHARACTERS])
        raise
    finally:
        recorder.end(outcome)


if __name__ == "__main__":
    main()
