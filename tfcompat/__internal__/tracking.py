"""`tf.__internal__.tracking`: objects whose dependencies checkpoints follow."""

from tfcompat._keras.graph_view import ObjectGraphView
from tfcompat._keras.registration import register_session_provider
from tfcompat._keras.slot import CheckpointInitialValueCallable
from tfcompat._saved.saveable import saveable_objects_from_trackable
from tfcompat._state.tracking.auto_trackable import AutoTrackable
from tfcompat._state.tracking.data_structure import TrackableDataStructure
from tfcompat._state.tracking.delegating import DelegatingTrackableMixin
from tfcompat._state.tracking.trackable import Trackable, TrackableReference, no_automatic_dependency_tracking
from tfcompat._state.tracking.wrapping import sticky_attribute_assignment
from tfcompat._state.tracking.wrapping import wrap_or_unwrap as wrap

__all__ = [
    "AutoTrackable",
    "CheckpointInitialValueCallable",
    "DelegatingTrackableMixin",
    "ObjectGraphView",
    "Trackable",
    "TrackableDataStructure",
    "TrackableReference",
    "no_automatic_dependency_tracking",
    "register_session_provider",
    "saveable_objects_from_trackable",
    "sticky_attribute_assignment",
    "wrap",
]
