"""Placeholders for unsupported symbols of TensorFlow. `way_out` lists the symbols and the alternatives.

`hasattr`, `isinstance` and annotations accept them, so that a program can test for them. Calling a placeholder, or
accessing an attribute of it, raises an error that names an alternative.
"""

from __future__ import annotations

import functools
import importlib.machinery
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NoReturn, Union

from tfcompat._core.system import shortfall
from tfcompat._dropin.way_out import CONSTANTS, WAYS_OUT

_OURS = __name__.partition(".")[0]


class RefusedAttributeError(NotImplementedError, AttributeError):
    """Raised for an attribute of a refused symbol. As an AttributeError, it makes `hasattr` False."""


class Refused:
    """A symbol that is not supported.

    It has the constants of the symbol, which libraries take as defaults of their arguments.

    Attributes:
      public_name: its name in TensorFlow.
      way_out: a sentence that names an alternative.
    """

    def __init__(self, public_name: str, way_out: str, constants: Mapping[str, Any] | None = None) -> None:
        self.public_name = public_name
        self.way_out = way_out
        vars(self).update(constants or {})

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises NotImplementedError, naming the alternative."""
        del args, kwargs
        raise NotImplementedError(self._noted_message())

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(f"{self.public_name!r} has no attribute {name!r}", name=name, obj=self)
        shortfall.note(f"{self.public_name}.{name} is not supported. {self.way_out}")
        raise RefusedAttributeError(f"{self.public_name}.{name} is not supported. {self.way_out}")

    def __mro_entries__(self, bases: tuple[Any, ...]) -> NoReturn:
        """Raises NotImplementedError: it cannot have subclasses."""
        del bases
        raise NotImplementedError(self._noted_message())

    def _noted_message(self) -> str:
        message = f"{self.public_name} is not supported. {self.way_out}"
        shortfall.note(message)
        return message

    def __instancecheck__(self, instance: object) -> bool:
        del instance
        return False

    def __subclasscheck__(self, subclass: type) -> bool:
        del subclass
        return False

    def __or__(self, other: Any) -> Any:
        return Union[self, other]  # noqa: UP007  # it is not a class

    def __ror__(self, other: Any) -> Any:
        return Union[other, self]  # noqa: UP007

    def __repr__(self) -> str:
        return f"<{self.public_name}, not supported>"


@functools.cache
def refused(path: str) -> Refused | ModuleType | None:
    """The placeholder for the name `path`, written without `tf.`: a symbol or a namespace; None if not refused."""
    if path in WAYS_OUT:
        return Refused(f"tf.{path}", WAYS_OUT[path], CONSTANTS.get(path))
    return _namespace(path) if any(name.startswith(f"{path}.") for name in WAYS_OUT) else None


def _namespace(path: str) -> ModuleType:
    """A new importable module `path` that contains only refused symbols."""
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
