"""`CompositeTensor`: the class of tensors that are made of several, for `isinstance`."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any

from tfcompat._core.container import is_composite


class _Recognised(ABCMeta):
    def __subclasscheck__(cls, subclass: type[Any]) -> bool:
        if cls is CompositeTensor and (is_composite(subclass) or getattr(subclass, "_is_composite", False)):
            return True
        return super().__subclasscheck__(subclass)

    def __instancecheck__(cls, instance: Any) -> bool:
        return issubclass(type(instance), cls)


class CompositeTensor(metaclass=_Recognised):
    """A ragged, sparse or extension tensor, or a variable.

    Source: TF 2.21 `tf.__internal__.CompositeTensor`.
    """
