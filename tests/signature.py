"""The public callables of a package and their parameters, in the same form for TensorFlow and for tfcompat."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator

ABSENT = ("compat", "keras")
VERSIONS = ("__compiler_version__", "__git_version__", "__version__")


def every_object(tf: types.ModuleType, prefix: str | tuple[str, ...], first: str) -> Iterator[tuple[str, object]]:
    """The objects under TensorFlow's names in `tf`, whose modules are named `prefix`..., TensorFlow 1's `first`..."""
    yield from ((name, getattr(tf, name)) for name in VERSIONS)
    yield from public_objects(tf, prefix)
    yield from ((f"compat.{name}", found) for name, found in public_objects(tf.compat, prefix, ("v1", "v2")))
    yield from first_version_objects(tf, first)


def public_objects(
    root: types.ModuleType,
    prefix: str | tuple[str, ...],
    absent: tuple[str, ...] = ABSENT,
    has_members: bool = True,
) -> Iterator[tuple[str, object]]:
    """Everything that public names reach from `root` through modules named `prefix`..., and the methods of classes.

    Left out are the names `absent`, by default TensorFlow 1's and Keras's; and the methods, if not `has_members`.
    """
    stack, seen = [("", root)], set()
    while stack:
        path, module = stack.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        for name in sorted({*dir(module), *getattr(module, "__all__", ())} - set(absent)):
            found, full = getattr(module, name, None), f"{path}.{name}".lstrip(".")
            if name.startswith("_"):
                continue
            if isinstance(found, types.ModuleType):
                # A module that loads late may have no name yet.
                stack += [(full, found)] if getattr(found, "__name__", "").startswith(prefix) else []
                continue
            yield full, found
            if has_members and inspect.isclass(found):
                yield from ((f"{full}.{key}", getattr(found, key, None)) for key in dir(found) if key[0] != "_")


def first_version_objects(root: types.ModuleType, prefix: str) -> Iterator[tuple[str, object]]:
    """The objects under TensorFlow 1's names in `root.compat.v1`, in modules named `prefix`..., without methods."""
    found = public_objects(root.compat.v1, prefix, (*ABSENT, "raw_ops"), has_members=False)
    return ((f"compat.v1.{name}", member) for name, member in found)


def parameters(found: object) -> list[list[str]] | None:
    """[name, kind] or [name, kind, default] of each parameter; None if the object cannot be called or inspected."""
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
