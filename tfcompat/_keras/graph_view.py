"""`ObjectGraphView`: the objects that an object depends on, and the ways to them."""

from __future__ import annotations

from typing import Any

from tfcompat._keras.object_identity import ObjectIdentityDictionary
from tfcompat._saved.object_view import TrackableView


class ObjectGraphView(TrackableView):
    """The objects that `root` depends on. Source: TF 2.21 `tf.__internal__.tracking.ObjectGraphView`."""

    def breadth_first_traversal(self) -> tuple[list[Any], ObjectIdentityDictionary]:
        """The objects, the nearest first, and for each the references that lead to it."""
        visits = self._visits()
        paths = ObjectIdentityDictionary()
        for visit in visits:
            paths[visit.trackable] = visit.path
        return [visit.trackable for visit in visits], paths
