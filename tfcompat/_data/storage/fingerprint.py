"""Fingerprints of datasets: equal for datasets that are made in the same way, also by different processes.

A node counts with its type, its arguments and its inputs, a function of elements with its trace: its programs, the
values of its constants, and the steps of the host. Generators and functions that the host calls as Python count with
their code and with the plain values that they refer to; TensorFlow leaves them out.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
import sysconfig
from collections import deque
from collections.abc import Mapping, Set
from enum import Enum
from numbers import Number
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from tfcompat._core.structure.spec import TypeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import DType
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.options import Options
from tfcompat._data.blocks.order import Epochs
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.function.block_program import Draw
from tfcompat._data.function.branch import HostBlock
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.trace import Instances
from tfcompat._data.nodes.node import Node
from tfcompat._function.functions.function import Function
from tfcompat._jaxpr.size import is_open
from tfcompat._state.variable import Variable

# Objects that their text describes whole.
_TEXTUAL = (
    *(bool, int, float, complex, str, bytes, bytearray, range, slice, Enum, Number, np.generic, type(...)),
    *(DType, TensorShape, TypeSpec, Options),
)
# The attributes of nodes that do not say how they were made.
_DERIVED = frozenset(("_cardinality", "is_inner", "is_pure", "label", "origin", "structure"))
# The folders of libraries. (A program may lie elsewhere below `sys.prefix`.)
_LIBRARIES = tuple(
    {os.path.join(sysconfig.get_path(name), "") for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    | {f"{Path(__file__).parents[2]}{os.sep}"}
)
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
# Nested deeper, values of Python functions are left out.
_MOST_DEPTH = 100


def fingerprint(node: Node, *details: str) -> int:
    """The fingerprint of a dataset, and of `details`, 64 bits."""
    digest = _Digest()
    digest.add(node)
    digest.add(details)
    return int.from_bytes(digest.sum.digest()[:8], "little")


class _Digest:
    """The sum of the values that were added.

    Attributes:
      _seen: the place at which each object was added, by `id`, and the object, so that it stays alive.
      _depth: the number of objects that contain the value at hand.
    """

    def __init__(self) -> None:
        self.sum = hashlib.sha256()
        self._seen: dict[int, tuple[int, Any]] = {}
        self._depth = 0

    def add(self, value: Any) -> None:
        """Adds a value, or refers to the place where it was added before."""
        if value is None or isinstance(value, _TEXTUAL) or is_open(value):
            self._text(type(value).__qualname__, _text_of(value))
        elif id(value) in self._seen:
            self._text("seen", self._seen[id(value)][0])
        else:
            self._seen[id(value)] = len(self._seen), value
            self._text(type(value).__qualname__)
            self._depth += 1
            try:
                if self._depth < _MOST_DEPTH:
                    self._object(value)
            except Exception as unreadable:  # attributes and items of an object of the program may raise any error
                self._text("unreadable", type(unreadable).__qualname__)
            finally:
                self._depth -= 1

    def _text(self, *parts: Any) -> None:
        for part in parts:
            data = str(part).encode(errors="surrogatepass")
            self.sum.update(b"%d:" % len(data) + data)

    def _each(self, *values: Any) -> None:
        self._text(len(values))
        for value in values:
            self.add(value)

    def _object(self, value: Any) -> None:
        """Adds what makes up `value`; an object of another kind counts with its attributes."""
        if isinstance(value, np.ndarray):
            self._array(value)
        elif isinstance(value, Variable):
            self._text(value.dtype, value.shape)
        elif isinstance(value, Tensor):
            self.add((value.dtype, value.shape) if value._is_symbolic() else value.numpy())
        elif isinstance(value, Mapping):
            self._each(*value.keys(), *value.values())
        elif isinstance(value, Set):
            self._each(*sorted(value, key=repr))
        elif isinstance(value, Instances):
            self._each(value.node, *value.places.values())
        elif isinstance(value, Draw):
            self._each(value.place, value.stream.seeds)
        elif isinstance(value, HostBlock):
            self._each(value.label, value.calls, len(value.captured))
        elif isinstance(value, list | tuple | deque):
            self._each(*value)
        elif isinstance(value, Node):
            self._each(value.structure, {key: each for key, each in vars(value).items() if key not in _DERIVED})
        elif isinstance(value, Calls):
            self._calls(value)
        elif isinstance(value, Structure):
            self.add(value.spec)
        elif isinstance(value, Block):
            self._each(*value.columns)
        elif isinstance(value, Epochs):
            self._each(value.is_fixed, value.seeds if value.has_seed else None)
        elif isinstance(value, ModuleType):
            self._text(value.__name__)
        else:
            self._callable(value)

    def _calls(self, calls: Calls) -> None:
        """Adds a function of elements: its programs, the sources of their arguments, its steps and its results."""
        self._each(*calls.described(), calls.trace.stored.numbers)
        for step in calls.trace.steps:
            self._each(step.name, step.inputs, step.outputs, step.symbols, step.compute)
        self._each(calls.trace.results, list(calls.bound.values()))

    def _array(self, array: np.ndarray) -> None:
        self._text(array.dtype, array.shape)
        if array.dtype == object:
            self._each(*array.reshape(-1))
        else:
            self.sum.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)

    def _callable(self, value: Any) -> None:
        """Adds a function, or what behaves as one."""
        if isinstance(value, functools.partial):
            self._each(value.func, value.args, value.keywords)
        elif isinstance(value, MethodType):
            self._each(value.__func__, value.__self__)
        elif isinstance(value, Function):
            self.add(value.python_function)
        elif isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, CodeType):
            counts = value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount, value.co_flags
            self._each(value.co_code, value.co_names, value.co_varnames, counts, *value.co_consts)
        elif isinstance(value, BuiltinFunctionType | type):
            self._text(value.__module__, value.__qualname__)
            self._each(*(_methods(value) if isinstance(value, type) else ()))
        elif type(value).__module__.startswith("tfcompat.") or not _is_of_library(type(value)):
            self._each(type(value), *_state(value))

    def _function(self, function: FunctionType) -> None:
        code = function.__code__
        cells = [_content(cell) for cell in function.__closure__ or ()]
        self._each(code, function.__defaults__, function.__kwdefaults__, *cells)
        if code.co_filename.startswith(_LIBRARIES):
            self._text(function.__module__, function.__qualname__)
            return
        for name in sorted(_names(code)):
            if name in function.__globals__:
                self._each(name, function.__globals__[name])


def _text_of(value: Any) -> str:
    try:
        return _ADDRESS.sub("", repr(value))
    except ValueError:  # Python writes no integers of more than some thousand digits
        return hex(value)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the name has no value yet
        return None


def _names(code: CodeType) -> set[str]:
    """The names in the code, and in that of the functions that it makes."""
    inner = [_names(each) for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*inner)


def _state(value: Any) -> list[Any]:
    """The attributes of an object, each after its name."""
    names = [name for kind in type(value).__mro__ for name in _slots(kind) if hasattr(value, name)]
    return [*vars(value).items()] if hasattr(value, "__dict__") else [(name, getattr(value, name)) for name in names]


def _slots(kind: type) -> tuple[str, ...]:
    found = vars(kind).get("__slots__", ())
    return (found,) if isinstance(found, str) else tuple(found)


def _is_of_library(kind: type) -> bool:
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return kind.__module__ != "__main__" and (file is None or file.startswith(_LIBRARIES))


def _methods(kind: type) -> list[Any]:
    """The methods and attributes of a class of the program; none for one of a library."""
    if _is_of_library(kind):
        return []
    return [each for name, each in sorted(vars(kind).items()) if name not in ("__dict__", "__weakref__", "__doc__")]
