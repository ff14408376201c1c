"""The wrapping of values that are assigned to attributes: containers become trackable."""

from __future__ import annotations

import importlib
from collections import OrderedDict
from functools import cache
from typing import Any

from tfcompat._jaxpr.postponement import postponed
from tfcompat._state.tracking.trackable import Trackable

_PLAIN = (list, dict, OrderedDict)


class NoDependency:
    """Marks a value whose assignment to an attribute adds no dependency.

    Attributes:
      value: the value.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def wrap_or_unwrap(value: Any) -> Any:
    """`value`, in a trackable wrapper if it is a list, a dictionary, or a tuple of trackable values.

    Only the exact classes are wrapped, not subclasses such as `Counter`. A `NoDependency` is unwrapped.

    Source: TF 2.21 `tf.__internal__.tracking.wrap`.
    """
    kind = type(value)
    if kind is NoDependency:
        return value.value
    if isinstance(value, Trackable):
        return value
    if kind is list:
        return _wrapper("list_wrapper", "ListWrapper")(value)
    if kind is dict or kind is OrderedDict:
        return _wrapper("dict_wrapper", "_DictWrapper")(value)
    if isinstance(value, tuple) and _holds_trackable(value):
        return _wrapper("tuple_wrapper", "_TupleWrapper")(value)
    return value


@cache
def _wrapper(module: str, name: str) -> Any:
    """A class of wrappers. Wrappers contain other wrappers, so their modules import this one."""
    with postponed():  # a signal handler that needs it must not find half of it
        return getattr(importlib.import_module(f"tfcompat._state.tracking.{module}"), name)


def _holds_trackable(values: tuple[Any, ...]) -> bool:
    return any(
        type(value) in _PLAIN
        or isinstance(value, (NoDependency, Trackable))
        or (isinstance(value, tuple) and _holds_trackable(value))
        for value in values
    )


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """The object to store in the attribute `name` of `trackable` for `value`, on which `trackable` then depends.

    Source: TF 2.21 `tf.__internal__.tracking.sticky_attribute_assignment`.
    """
    is_dependency = not isinstance(value, NoDependency)
    value = wrap_or_unwrap(value)
    if is_dependency and isinstance(value, Trackable):
        trackable._track_trackable(value, name=name, overwrite=True)
    return value
