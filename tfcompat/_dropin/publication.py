"""Public classes print by the name that users write: `tfcompat.errors.InvalidArgumentError`."""

from __future__ import annotations

from types import ModuleType


def publish(package: ModuleType) -> None:
    """Tells each class that `package`, or a namespace in it, lists under its own name that it stands there.

    Tracebacks, `repr` and pickles name a class by its `__module__`. A class that several namespaces list gets the
    shortest name; one that is only listed under another name keeps the module that it is written in. A module that is
    loaded late tells those that no other has told before.
    """
    namespaces = [package]
    for namespace in namespaces:
        listed = {name: vars(namespace)[name] for name in namespace.__all__ if name in vars(namespace)}
        namespaces += [found for found in listed.values() if type(found) is ModuleType and found not in namespaces]
        for name, found in listed.items():
            if isinstance(found, type) and found.__name__ == name and "._" in found.__module__:
                found.__module__ = namespace.__name__
