"""The public callables of a package and their parameters, told in the same way for TensorFlow and for tfcompat."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator

ABSENT = ("compat", "keras")


def public_objects(root: types.ModuleType, prefix: str | tuple[str, ...]) -> Iterator[tuple[str, object]]:
    """Everything that public names reach from `root` through modules named `prefix`..., and the methods of classes.

    Left out are TensorFlow 1's names and Keras's.
    """
    stack, seen = [("", root)], set()
    while stack:
        path, module = stack.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        for name in sorted({*dir(module), *getattr(module, "__all__", ())} - set(ABSENT)):
            found, full = getattr(module, name, None), f"{path}.{name}".lstrip(".")
            if name.startswith("_"):
                continue
            if isinstance(found, types.ModuleType):
                stack += [(full, found)] if found.__name__.startswith(prefix) else []
                continue
            yield full, found
            if inspect.isclass(found):
                yield from ((f"{full}.{key}", getattr(found, key, None)) for key in dir(found) if key[0] != "_")


def parameters(found: object) -> list[list[str]] | None:
    """[name, kind] or [name, kind, default] of each parameter; None for what cannot be called or read."""
    try:
        listed = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return None
    return [
        [item.name, item.kind.name] + ([] if item.default is item.empty else [shown(item.default)]) for item in listed
    ]


def shown(default: object) -> str:
    """A default as text that is the same in both packages and in every run."""
    if type(default).__name__ == "DType":
        return f"tf.{default.name}"
    if isinstance(default, Callable) and hasattr(default, "__name__"):
        return default.__name__
    text = repr(default)
    return type(default).__name__ if " at 0x" in text else text
