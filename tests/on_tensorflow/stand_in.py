"""TensorFlow in the place of tfcompat, and in the place of what TensorFlow's environment lacks a name that raises."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

# Packages that the tests import, and the environment of TensorFlow lacks.
ABSENT = {"jax", "optax"}


def is_absent(name: str) -> bool:
    """Whether the module, or a name in it, is private to tfcompat or of a package that is absent."""
    return name.startswith("tfcompat._") or name.partition(".")[0] in ABSENT


class AbsentName:
    """A name in a module that is absent, or what comes of it. Modules of tests may use it, tests may not."""

    is_usable = True

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> AbsentName:
        if name.startswith("__"):
            raise AttributeError(name)
        return AbsentName(f"{self._name}.{name}")

    def __call__(self, *_: object, **__: object) -> AbsentName:
        if not self.is_usable:
            raise RuntimeError(f"{self._name} is not there when the tests run on TensorFlow.")
        return AbsentName(f"{self._name}()")

    def __getitem__(self, key: object) -> AbsentName:
        return AbsentName(f"{self._name}[{key!r}]")


class AbsentModule(ModuleType):
    """A module that is absent; every name can be imported from it."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> AbsentName:
        if name.startswith("__"):
            raise AttributeError(name)
        return AbsentName(f"{self.__name__}.{name}")


class AbsentFinder(MetaPathFinder, Loader):
    """Finds the absent modules."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        return ModuleSpec(fullname, self, is_package=True) if is_absent(fullname) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return AbsentModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to execute."""


def install() -> None:
    """Lets `import tfcompat` find TensorFlow."""
    sys.modules["tfcompat"] = importlib.import_module("tensorflow")
    sys.meta_path.insert(0, AbsentFinder())
