"""`AutoTrackable`: assigning to an attribute adds a dependency of that name."""

from __future__ import annotations

from typing import Any

from tfcompat._state.tracking.trackable import TRACKS, Trackable
from tfcompat._state.tracking.wrapping import NoDependency, sticky_attribute_assignment

_NONE = object()


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

    def _add_trackable_child(self, name: str, value: Any) -> None:
        """Adds `value` to an object that a SavedModel was loaded into."""
        setattr(self, name, value)
