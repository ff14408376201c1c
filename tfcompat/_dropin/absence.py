"""What happens where somebody asks a namespace for a name that isn't there: yet, or at all."""

from __future__ import annotations

import difflib
import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tfcompat._dropin.refused import refused
from tfcompat._dropin.until_then import absent

_FIRST_VERSION = "tfcompat.compat.v1"
# Its names that TensorFlow 2 has kept.
_KEPT = frozenset(("initializers", "losses", "matrix_square_root", "metrics", "summary", "train"))
# How much of a name another must share to be suggested for it: "reduce_summ" and "reduce_sum" share 0.95 of theirs,
# "keras" and "zeros", which Python itself would suggest, 0.6.
_ALIKE = 0.8


def absence(namespace: str) -> Callable[[str], Any]:
    """The `__getattr__` of the public module `namespace`.

    What the module lists without having imported it is a module that takes long to load, and is imported when it is
    first asked for. Symbols that exist to be refused are answered for. For any other name AttributeError is raised, so
    that `hasattr` answers; Python suggests a name that is written alike, if there is one.
    """
    path = namespace.partition(".")[2]

    def __getattr__(name: str) -> Any:
        if name in sys.modules[namespace].__all__:
            return importlib.import_module(f"{namespace}.{name}")
        symbol = f"{path}.{name}" if path else name
        told = absent(symbol)
        if name.startswith("__"):
            told = f"module {namespace!r} has no attribute {name!r}"
        elif (found := refused(symbol)) is not None:
            return found
        elif not path and name not in _KEPT and hasattr(importlib.import_module(_FIRST_VERSION), name):
            told = f"TensorFlow 2 has no tf.{name}: it is a name of TensorFlow 1, tf.compat.v1.{name}"
        module = sys.modules[namespace]
        raise AttributeError(told, name=name, obj=module if _has_alike(module, name) else None)

    return __getattr__


def _has_alike(module: ModuleType, name: str) -> bool:
    return bool(difflib.get_close_matches(name, dir(module), n=1, cutoff=_ALIKE))


def directory(namespace: str) -> Callable[[], list[str]]:
    """The `__dir__` of the public module `namespace`: what it holds, and the modules that it has yet to import."""

    def __dir__() -> list[str]:
        module = sys.modules[namespace]
        return sorted({*vars(module), *module.__all__})

    return __dir__
