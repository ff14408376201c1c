"""Subclasses of `tf.Variable` that have a value of their own: they define `value`, and don't call the constructor.

Libraries make such variables of tensors. Operators take `value()`; other ops take it too, unless the library has
registered a conversion. Tapes see no variable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.conversion import converted
from tfcompat._ops.operator import attach_missing

# The methods of a cell that give its tensor.
_READS = ("_as_tensor", "_entered", "_observed", "_read", "_snapshot")


def serve(cls: type[Any]) -> None:
    """Makes ops take the values of instances of `cls`, unless these were constructed as variables."""
    attach_missing(cls, _either(cls._read, _value))
    for name in _READS:
        setattr(cls, name, _either(getattr(cls, name), _converted))
    cls._tensor = property(_either(cls._tensor.fget, _converted))


def _either(read: Callable[[Any], Any], own: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda self: read(self) if "_held" in self.__dict__ else own(self)


def _value(variable: Any) -> Any:
    return convert_to_tensor(variable.value())


def _converted(variable: Any) -> Any:
    found = converted(variable, None)
    return _value(variable) if found is None else found
