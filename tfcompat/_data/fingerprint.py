"""Fingerprints of datasets: equal for datasets that are made in the same way, also by different processes.

A node counts with its type, its arguments and its inputs; the user's functions count with their code, and with the
values that they refer to: constants, defaults, closures, and the global names in their code. TensorFlow takes the graph
of a function instead.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sysconfig
from collections.abc import Mapping, Set
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from tfcompat._core.dtype import DType
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TypeSpec
from tfcompat._core.tensor import Tensor
from tfcompat._data.block import Block
from tfcompat._data.function.calling import Calls
from tfcompat._data.node import Node
from tfcompat._data.options import Options
from tfcompat._data.order import Epochs
from tfcompat._data.structure import Structure
from tfcompat._function.function import Function
from tfcompat._state.variable import Variable

# Objects that their text describes whole.
_TEXTUAL = (bool, int, float, complex, str, bytes, np.generic, DType, TensorShape, TypeSpec, Options, type(...))
# The attributes of nodes that do not say how they were made.
_DERIVED = frozenset(("_cardinality", "is_inner", "is_pure", "label", "origin", "structure"))
_LIBRARIES = tuple(
    {os.path.join(path, "") for path in (*sysconfig.get_paths().values(), os.path.dirname(os.path.dirname(__file__)))}
)


def fingerprint(node: Node) -> int:
    """The fingerprint of a dataset, 64 bits."""
    digest = _Digest()
    digest.add(node)
    return int.from_bytes(digest.sum.digest()[:8], "little")


class _Digest:
    """The sum of the values that were added.

    Attributes:
      _seen: the place at which each object was added, by `id`, and the object, so that it stays alive.
    """

    def __init__(self) -> None:
        self.sum = hashlib.sha256()
        self._seen: dict[int, tuple[int, Any]] = {}

    def add(self, value: Any) -> None:
        """Adds a value, or refers to the place where it was added before."""
        if value is None or isinstance(value, _TEXTUAL):
            self._text(type(value).__qualname__, repr(value))
        elif id(value) in self._seen:
            self._text("seen", self._seen[id(value)][0])
        else:
            self._seen[id(value)] = len(self._seen), value
            self._text(type(value).__qualname__)
            self._object(value)

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
        elif isinstance(value, list | tuple):
            self._each(*value)
        elif isinstance(value, Node):
            self._each(value.structure, {key: each for key, each in vars(value).items() if key not in _DERIVED})
        elif isinstance(value, Calls):
            self._each(value.function.given, list(value.bound.values()))
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
            self._each(value.co_code, value.co_names, *value.co_consts)
        elif isinstance(value, BuiltinFunctionType | type):
            self._text(value.__module__, value.__qualname__)
            self._each(*(_methods(value) if isinstance(value, type) else ()))
        elif type(value).__module__.startswith("tfcompat.") or _methods(type(value)):
            self._each(type(value), getattr(value, "__dict__", None))

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


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the name has no value yet
        return None


def _names(code: CodeType) -> set[str]:
    """The names in the code, and in that of the functions that it makes."""
    inner = [_names(each) for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*inner)


def _methods(kind: type) -> list[FunctionType]:
    """The methods of a class of the program; none for one of a library."""
    functions = [each for _, each in sorted(vars(kind).items()) if isinstance(each, FunctionType)]
    return [each for each in functions if not each.__code__.co_filename.startswith(_LIBRARIES)]
