"""Symbols of TensorFlow that exist, and refuse to be used: which they are and the way out stand in `way_out`.

`hasattr`, `isinstance` and annotations find them, so that a program which only asks goes its way. Who calls one, or
asks it for an attribute, is told what to do instead.
"""

from __future__ import annotations

import functools
import importlib.machinery
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn, Union

from tfcompat._dropin.way_out import WAYS_OUT

_OURS = __name__.partition(".")[0]


class RefusedAttributeError(NotImplementedError, AttributeError):
    """Somebody asked a refused symbol for an attribute. `hasattr` takes it for absent."""


class Refused:
    """A symbol that is not supported.

    Attributes:
      public_name: TensorFlow's name for it.
      way_out: what to do instead.
    """

    def __init__(self, public_name: str, way_out: str) -> None:
        self.public_name = public_name
        self.way_out = way_out

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises NotImplementedError with the way out."""
        del args, kwargs
        raise NotImplementedError(self._told())

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(f"{self.public_name!r} has no attribute {name!r}", name=name, obj=self)
        raise RefusedAttributeError(f"{self.public_name}.{name} is not supported. {self.way_out}")

    def __mro_entries__(self, bases: tuple[Any, ...]) -> NoReturn:
        """Raises NotImplementedError: it has no subclasses."""
        del bases
        raise NotImplementedError(self._told())

    def _told(self) -> str:
        return f"{self.public_name} is not supported. {self.way_out}"

    def __instancecheck__(self, instance: object) -> bool:
        del instance
        return False

    def __subclasscheck__(self, subclass: type) -> bool:
        del subclass
        return False

    def __or__(self, other: Any) -> Any:
        return Union[self, other]  # noqa: UP007  # it is no class

    def __ror__(self, other: Any) -> Any:
        return Union[other, self]  # noqa: UP007

    def __repr__(self) -> str:
        return f"<{self.public_name}, not supported>"


@functools.cache
def refused(path: str) -> Refused | ModuleType | None:
    """What stands for the name `path`, written without `tf.`, if it is refused: a symbol, or a namespace of such."""
    if path in WAYS_OUT:
        return Refused(f"tf.{path}", WAYS_OUT[path])
    return _namespace(path) if any(name.startswith(f"{path}.") for name in WAYS_OUT) else None


def _namespace(path: str) -> ModuleType:
    """The module `path`, in which there is nothing but refused symbols. It can be imported from now on."""
    module = ModuleType(f"{_OURS}.{path}", f"`tf.{path}`, whose symbols are not supported.")
    module.__spec__ = importlib.machinery.ModuleSpec(module.__name__, None, is_package=True)
    module.__path__ = []
    vars(module)["__getattr__"] = _absence_from(module, path)
    sys.modules[module.__name__] = module
    return module


def _absence_from(module: ModuleType, path: str) -> Callable[[str], Any]:
    def __getattr__(name: str) -> Any:
        found = refused(f"{path}.{name}")
        if found is None:
            raise AttributeError(f"TensorFlow has no tf.{path}.{name}", name=name, obj=module)
        return found

    return __getattr__
