"""AutoGraph, which is imported at its first use because it loads a parser."""

from __future__ import annotations

from functools import cache
from types import ModuleType

from tfcompat._jaxpr.postponement import postponed


@cache
def autograph() -> ModuleType:
    with postponed():  # a signal handler that needs it must not find half of it
        from tfcompat._function import autograph as module
    return module
