"""What is said where somebody asks for a name that TensorFlow has and tfcompat doesn't."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NoReturn


def absence(namespace: str) -> Callable[[str], NoReturn]:
    """The `__getattr__` of the public module `namespace`.

    It raises AttributeError, so that `hasattr` answers and Python can suggest a name that is written alike.
    """
    public = "tf" + namespace.removeprefix("tfcompat")

    def __getattr__(name: str) -> NoReturn:
        told = f"tfcompat has no {public}.{name} yet; see migration_guide"
        if name.startswith("__"):
            told = f"module {namespace!r} has no attribute {name!r}"
        raise AttributeError(told, name=name, obj=sys.modules[namespace])

    return __getattr__
