"""Annotations of the arguments that a handler accepts."""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any

from tfcompat._core.types.container import is_composite

Checker = Callable[[Any], bool]


def checker(annotation: Any) -> Checker:
    """A predicate for values of the type `annotation`: a class, None, or a list or union of these.

    Raises: ValueError for another annotation.
    """
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Union:
        options = [checker(part) for part in parts]
        return lambda value: any(option(value) for option in options)
    if origin is list and parts:
        element = checker(parts[0])
        return lambda value: isinstance(value, (list, tuple)) and all(map(element, value))
    kind = type(None) if annotation is None else annotation
    if origin is not None or not isinstance(kind, type):
        raise ValueError(
            f"Type annotation {annotation} is not currently supported by dispatch. Supported annotations: type "
            "objects, List[...], and Union[...]"
        )
    return lambda value: isinstance(value, kind)


def holds_composite(value: Any) -> bool:
    """Whether `value` is a composite, or a list that contains a composite."""
    if isinstance(value, (list, tuple)):
        return any(map(holds_composite, value))
    return is_composite(type(value))
