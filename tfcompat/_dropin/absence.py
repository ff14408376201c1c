"""What happens where somebody asks a namespace for a name that isn't there: yet, or at all."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

from tfcompat._dropin.refused import refused

_FIRST_VERSION = "tfcompat.compat.v1"
# Its names that TensorFlow 2 has kept.
_KEPT = frozenset(("initializers", "losses", "matrix_square_root", "metrics", "summary", "train"))


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
        elif not path and name not in _KEPT and hasattr(importlib.import_module(_FIRST_VERSION), name):
            told = f"TensorFlow 2 has no tf.{name}: it is a name of TensorFlow 1, tf.compat.v1.{name}"
        raise AttributeError(told, name=name, obj=sys.modules[namespace])

    return __getattr__
