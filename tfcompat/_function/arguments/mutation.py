"""Refuses functions that modify containers among their arguments: a trace would do so only once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tfcompat._core.types import nest


def unchanging(function: Callable[..., Any], label: str, signature: inspect.Signature) -> Callable[..., Any]:
    """`function` of this signature, wrapped to raise ValueError if it modifies a container among its arguments."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        before = {name: nest.map_structure(lambda leaf: leaf, value) for name, value in given.items()}
        result = function(*args, **kwargs)
        if changed := [name for name, value in given.items() if not _is_same(before[name], value)]:
            raise ValueError(
                f"{label}{signature} should not modify its Python input arguments. Modifying a copy is allowed. The "
                f"following parameter(s) were modified: {', '.join(changed)}"
            )
        return result

    return run


def _is_same(before: Any, after: Any) -> bool:
    """Whether two structures have the same containers and contain the same objects."""
    try:
        nest.assert_same_structure(before, after)
    except (TypeError, ValueError):
        return False
    return all(old is new for old, new in zip(nest.flatten(before), nest.flatten(after), strict=True))
