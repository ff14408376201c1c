"""`tf.__internal__.tracking`: objects whose dependencies checkpoints follow."""

from tfcompat._state.tracking.auto_trackable import AutoTrackable
from tfcompat._state.tracking.data_structure import TrackableDataStructure
from tfcompat._state.tracking.trackable import Trackable, TrackableReference, no_automatic_dependency_tracking
from tfcompat._state.tracking.wrapping import sticky_attribute_assignment
from tfcompat._state.tracking.wrapping import wrap_or_unwrap as wrap

__all__ = [
    "AutoTrackable",
    "Trackable",
    "TrackableDataStructure",
    "TrackableReference",
    "no_automatic_dependency_tracking",
    "sticky_attribute_assignment",
    "wrap",
]
