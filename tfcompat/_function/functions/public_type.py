"""`tf.types.experimental`: classes for `isinstance` and for annotations."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any, Union

import numpy as np

from tfcompat._core.structure.spec import TypeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._function.arguments.object_type import Literal, TraceType, Weakref
from tfcompat._function.arguments.trace_type import VariableSpec
from tfcompat._function.functions.concrete import ConcreteFunction as _ConcreteFunction
from tfcompat._function.functions.function import Function
from tfcompat._function.functions.open_function import OpenFunction


class Callable(metaclass=ABCMeta):  # noqa: B024  # classes are registered with it
    """A function that `tf.function` makes, or a trace of one. Source: TF 2.21 `tf.types.experimental.Callable`."""


class PolymorphicFunction(Callable):
    """A function that `tf.function` makes. Source: TF 2.21 `tf.types.experimental.PolymorphicFunction`."""


class ConcreteFunction(Callable):
    """A trace of a function. Source: TF 2.21 `tf.types.experimental.ConcreteFunction`."""


PolymorphicFunction.register(Function)
for _traced in (_ConcreteFunction, OpenFunction):
    ConcreteFunction.register(_traced)
for _kind in (TypeSpec, VariableSpec, Weakref, Literal):
    TraceType.register(_kind)

# Classes without type parameters, since users pass it to `isinstance`.
_PLAIN: tuple[type[Any], ...] = (Tensor, int, float, bool, str, bytes, complex, tuple, list, np.ndarray, np.generic)
TensorLike: Any = Union[_PLAIN]  # noqa: UP007  # built from a tuple
