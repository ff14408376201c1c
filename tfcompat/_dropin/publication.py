"""Makes public classes print under their public names: `tfcompat.errors.InvalidArgumentError`."""

from __future__ import annotations

from types import ModuleType


def publish(package: ModuleType) -> None:
    """Sets `__module__` of each class that `package`, or a namespace in it, lists under the class's own name.

    Tracebacks, `repr` and pickles name a class by its `__module__`. A class in several namespaces gets the shortest
    name. A class that is listed only under another name keeps the module that defines it. A module that is loaded late
    changes only classes that have not been changed before.
    """
    namespaces = [package]
    for namespace in namespaces:
        listed = {name: vars(namespace)[name] for name in namespace.__all__ if name in vars(namespace)}
        namespaces += [found for found in listed.values() if type(found) is ModuleType and found not in namespaces]
        for name, found in listed.items():
            if isinstance(found, type) and found.__name__ == name and "._" in found.__module__:
                found.__module__ = namespace.__name__
