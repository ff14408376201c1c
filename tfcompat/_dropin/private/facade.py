"""The modules of the table: they resolve a name when it is asked for."""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import inspect
import re
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from tfcompat._dropin.private.table import MODULES, PACKAGES
from tfcompat._dropin.refused import refused

_OURS = __name__.partition(".")[0]
_THEIRS = "tensorflow"
_MISSING = object()


def has_facade(name: str) -> bool:
    """Whether the table has the module or package `name`, which begins with `tensorflow.`."""
    path = _path(name)
    return path in MODULES or path in PACKAGES


def longest_facade(symbol: str) -> str:
    """The longest module or package of the table that `symbol`, a dotted name without `tf.`, begins with, or empty."""
    parts = symbol.split(".")
    paths = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((path for path in paths if path in MODULES or path in PACKAGES), "")


def make_facade(spec: importlib.machinery.ModuleSpec) -> ModuleType:
    """The module for `spec`, whose names are resolved when they are asked for."""
    path = _path(spec.name)
    module = ModuleType(spec.name, f"Names of TensorFlow's private module {spec.name} that have public counterparts.")
    module.__path__ = []
    vars(module)["__getattr__"] = _resolver(spec.name, path)
    return module


def _path(name: str) -> str:
    return name.removeprefix(f"{_THEIRS}.")


def _resolver(module: str, path: str) -> Callable[[str], Any]:
    explicit, namespaces = MODULES.get(path, ({}, ()))

    def __getattr__(name: str) -> Any:
        if name == "__all__":
            return _names(explicit, namespaces)
        if has_facade(f"{module}.{name}"):
            return importlib.import_module(f"{module}.{name}")
        found = _resolved(explicit[name]) if name in explicit else _MISSING
        searched = iter(() if name.startswith("__") else namespaces)
        while found is _MISSING and (namespace := next(searched, None)) is not None:
            found = _found_in(namespace, name)
        if found is _MISSING:
            found = refused(f"{path}.{name}") or _MISSING
        if found is _MISSING:
            raise AttributeError(
                f"module {module!r} has no attribute {name!r} in tfcompat: it is private to TensorFlow. Use a public "
                "name; `python -m tfcompat guide supported` lists them.",
                name=name,
            )
        if module in sys.modules:  # else it was removed, but a program still holds it
            vars(sys.modules[module])[name] = found
        return found

    return __getattr__


def _names(explicit: Iterable[str], namespaces: Iterable[str]) -> list[str]:
    """The names that `import *` gives: those of a row of the table, without TensorFlow's generated functions."""
    found = set(explicit)
    for namespace in namespaces:
        if namespace != "raw_ops" and not namespace.endswith(":"):
            found.update((_resolved(namespace) if namespace else sys.modules[_OURS]).__all__)
    return sorted(name for name in found if not name.startswith("_"))


def _resolved(target: str) -> Any:
    """The object at `target`, a public name without `tf.`, or a module of ours or of Python and a name in it."""
    module, colon, name = target.partition(":")
    if colon:
        return getattr(importlib.import_module(module), name)
    found: Any = sys.modules[_OURS]
    for part in target.split("."):
        found = getattr(found, part)
    return found


def _found_in(namespace: str, name: str) -> Any:
    """The name of `namespace`; `_MISSING` without one."""
    if namespace.endswith(":"):
        return getattr(importlib.import_module(namespace[:-1]), name, _MISSING)
    found = _resolved(namespace) if namespace else sys.modules[_OURS]
    kernel = _kernel(name) if namespace == "raw_ops" else name
    if kernel not in found.__all__:
        return _MISSING
    return getattr(found, kernel) if kernel == name else _generated(getattr(found, kernel))


def _kernel(name: str) -> str:
    """The name of the kernel for a generated function: `MatMul` for `mat_mul`."""
    return next((each for each in _resolved("raw_ops").__all__ if _snake(each) == name), name)


def _generated(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The generated function for `kernel`, which takes arguments by place, too."""
    names = tuple(inspect.signature(kernel).parameters)

    @functools.wraps(kernel)
    def call(*args: Any, **given: Any) -> Any:
        if len(args) > len(names):
            raise TypeError(f"tf.raw_ops.{kernel.__name__}: takes {len(names)} arguments, got {len(args)}.")
        return kernel(**dict(zip(names, args, strict=False)), **given)

    return call


def _snake(kernel: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", kernel).lower()
