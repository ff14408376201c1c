"""What happens where somebody asks a namespace for a name that isn't there: yet, or at all."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

from tfcompat._dropin.refused import refused


def absence(namespace: str, late: tuple[str, ...] = ()) -> Callable[[str], Any]:
    """The `__getattr__` of the public module `namespace`.

    It imports the modules `late` when they are first asked for, because they take long to load, and answers for the
    symbols that exist to be refused. For any other name it raises AttributeError, so that `hasattr` answers and Python
    can suggest a name that is written alike.
    """
    path = namespace.partition(".")[2]
    public = f"tf.{path}".removesuffix(".")

    def __getattr__(name: str) -> Any:
        if name in late:
            return importlib.import_module(f"{namespace}.{name}")
        told = f"tfcompat has no {public}.{name} yet; see migration_guide"
        if name.startswith("__"):
            told = f"module {namespace!r} has no attribute {name!r}"
        elif (found := refused(f"{path}.{name}" if path else name)) is not None:
            return found
        raise AttributeError(told, name=name, obj=sys.modules[namespace])

    return __getattr__
