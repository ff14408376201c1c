"""`AutoTrackable`: assigning to an attribute adds a dependency of that name."""

from __future__ import annotations

import warnings
from typing import Any

from tfcompat._core.system.location import is_raised_by_handler
from tfcompat._state.tracking.trackable import TRACKS, SaveType, Trackable
from tfcompat._state.tracking.wrapping import NoDependency, sticky_attribute_assignment

_NONE = object()
# The class of a decorated function, and that of a function for one kind of call, have one of these; they are above.
_OF_FUNCTIONS = ("_list_all_concrete_functions_for_serialization", "structured_input_signature")


class AutoTrackable(Trackable):
    """A trackable object that depends on the trackable objects, lists and dictionaries in its attributes.

    Source: TF 2.21 `tf.__internal__.tracking.AutoTrackable`.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, name, _NONE) is value:
            return
        if getattr(self, TRACKS, True):
            value = sticky_attribute_assignment(self, name, value)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._delete_tracking(name)
        super().__delattr__(name)

    def _no_dependency(self, value: Any) -> NoDependency:
        """`value`, marked so that its assignment to an attribute adds no dependency."""
        return NoDependency(value)

    def _trackable_children(self, save_type: str = SaveType.CHECKPOINT, **kwargs: Any) -> dict[str, Any]:
        """The dependencies by name. Those of a SavedModel include the functions that are attributes at this moment."""
        found = super()._trackable_children(save_type, **kwargs)
        if save_type != SaveType.SAVEDMODEL:
            return found
        return {name: child for name, child in found.items() if not _is_function(child)} | _functions_of(self)

    def _add_trackable_child(self, name: str, value: Any) -> None:
        """Adds `value` to an object that a SavedModel was loaded into."""
        setattr(self, name, value)


def _functions_of(instance: Any) -> dict[str, Any]:
    """The decorated functions among the attributes of `instance`, by name."""
    found: dict[str, Any] = {}
    for name in dir(instance):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                value = getattr(instance, name, None)
            except Exception as error:  # a property of the user's class may raise any error
                if is_raised_by_handler(error):
                    raise
                continue
        if _is_function(value):
            found[name] = value
    return found


def _is_function(value: Any) -> bool:
    return any(hasattr(type(value), attribute) for attribute in _OF_FUNCTIONS)
