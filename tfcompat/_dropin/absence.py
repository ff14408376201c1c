"""What happens where somebody asks a namespace for a name that isn't there: yet, or at all."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType


def absence(namespace: str, late: tuple[str, ...] = ()) -> Callable[[str], ModuleType]:
    """The `__getattr__` of the public module `namespace`.

    It imports the modules `late` when they are first asked for, because they take long to load. For any other name it
    raises AttributeError, so that `hasattr` answers and Python can suggest a name that is written alike.
    """
    public = "tf" + namespace.removeprefix("tfcompat")

    def __getattr__(name: str) -> ModuleType:
        if name in late:
            return importlib.import_module(f"{namespace}.{name}")
        told = f"tfcompat has no {public}.{name} yet; see migration_guide"
        if name.startswith("__"):
            told = f"module {namespace!r} has no attribute {name!r}"
        raise AttributeError(told, name=name, obj=sys.modules[namespace])

    return __getattr__
