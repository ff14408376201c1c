"""`tf.types.experimental`: classes for `isinstance` and annotations."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._function.arguments.function_type import FunctionType
from tfcompat._function.functions.public_type import (
    Callable,
    ConcreteFunction,
    PolymorphicFunction,
    TensorLike,
    TraceType,
)
from tfcompat._function.functions.public_type import PolymorphicFunction as GenericFunction
from tfcompat.types.experimental import distributed

__all__ = [
    "Callable",
    "ConcreteFunction",
    "FunctionType",
    "GenericFunction",
    "PolymorphicFunction",
    "TensorLike",
    "TraceType",
    "distributed",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
