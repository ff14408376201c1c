"""Subclasses of `tf.Variable` that have a value of their own: they define `value`, and don't call the constructor.

Libraries make such variables of tensors. Ops take what `value()` returns, and tapes see no variable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core.convert import convert_to_tensor
from tfcompat._ops.operator import attach_missing

# The methods of a cell that give its tensor.
_READS = ("_as_tensor", "_entered", "_observed", "_read", "_snapshot")


def serve(cls: type[Any]) -> None:
    """Makes ops read instances of `cls` by `value()`, unless they were constructed as variables."""
    for name in _READS:
        setattr(cls, name, _or_value(getattr(cls, name)))
    cls._tensor = property(_or_value(cls._tensor.fget))
    attach_missing(cls, cls._read)


def _or_value(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def own(self: Any) -> Any:
        return read(self) if "_held" in self.__dict__ else convert_to_tensor(self.value())

    return own
