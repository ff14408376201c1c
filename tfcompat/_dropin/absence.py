"""Attribute access of public namespaces for names that they do not have."""

from __future__ import annotations

import difflib
import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tfcompat._core.system import shortfall
from tfcompat._dropin.absent import absent
from tfcompat._dropin.keras import first_version_namespace
from tfcompat._dropin.refused import refused
from tfcompat._jaxpr.postponement import postponed

_FIRST_VERSION = "tfcompat.compat.v1"
# Names of TensorFlow 1 that TensorFlow 2 has kept.
_KEPT = frozenset(("initializers", "losses", "matrix_square_root", "metrics", "summary", "train"))
# Namespaces of `tf` that are not listed: one is for libraries, the others are modules of Keras.
_UNLISTED = frozenset(("__internal__", "__operators__", "initializers", "keras", "losses", "metrics", "optimizers"))
# Names of `tf.compat.v2` that `tf`, the same module here, has not in TensorFlow; programs begin with them.
_OF_SECOND_VERSION = frozenset(("enable_v2_behavior",))
# The least similarity of a name that is suggested for another: that of "reduce_summ" and "reduce_sum" is 0.95; that of
# "keras" and "zeros", which Python itself would suggest, is 0.6.
_ALIKE = 0.8


def absence(namespace: str) -> Callable[[str], Any]:
    """The `__getattr__` of the public module `namespace`.

    Names that the module lists but has not imported are modules that take long to load; they are imported at the first
    access. Refused symbols return their placeholder. Any other name raises AttributeError, so that `hasattr` is False;
    Python suggests a similar name, if one exists.
    """
    path = namespace.partition(".")[2]

    def __getattr__(name: str) -> Any:
        if name in sys.modules[namespace].__all__ or (not path and name in _UNLISTED):
            with postponed():  # a signal handler that needs it must not find half of it
                return importlib.import_module(f"{namespace}.{name}")
        if not path and name in _OF_SECOND_VERSION:
            return getattr(importlib.import_module(_FIRST_VERSION), name)
        if namespace == _FIRST_VERSION and (of_keras := first_version_namespace(name)) is not None:
            return of_keras
        symbol = f"{path}.{name}" if path else name
        message = absent(symbol)
        if name.startswith("__"):
            message = f"module {namespace!r} has no attribute {name!r}"
        elif (found := refused(symbol)) is not None:
            return found
        elif not path and name not in _KEPT and _is_of_first_version(name):
            message = f"TensorFlow 2 has no tf.{name}: it is a name of TensorFlow 1, tf.compat.v1.{name}"
        if not name.startswith("_"):
            shortfall.note(f"tf.{symbol} is missing")
        module = sys.modules[namespace]
        is_alike = not name.startswith("__") and _has_alike(module, name)
        raise AttributeError(message, name=name, obj=module if is_alike else None)

    return __getattr__


def _is_of_first_version(name: str) -> bool:
    """Whether `tf.compat.v1` has or refuses `name`."""
    module = importlib.import_module(_FIRST_VERSION)
    return name in dir(module) or refused(f"compat.v1.{name}") is not None


def _has_alike(module: ModuleType, name: str) -> bool:
    public = [each for each in dir(module) if not each.startswith("_")]
    return bool(difflib.get_close_matches(name, public, n=1, cutoff=_ALIKE))


def directory(namespace: str) -> Callable[[], list[str]]:
    """The `__dir__` of the public module `namespace`: its attributes, and the modules that it imports on access."""

    def __dir__() -> list[str]:
        module = sys.modules[namespace]
        return sorted({*vars(module), *module.__all__})

    return __dir__
