"""`DelegatingTrackableMixin`: an object that checkpoints treat as another one."""

from __future__ import annotations

from typing import Any

from tfcompat._state.tracking.trackable import TrackableReference


class DelegatingTrackableMixin:
    """Makes a class behave as `trackable_obj` in checkpoints: it has its dependencies and its tensors.

    Source: TF 2.21 `tf.__internal__.tracking.DelegatingTrackableMixin`.
    """

    def __init__(self, trackable_obj: Any) -> None:
        self._trackable = trackable_obj

    @property
    def _setattr_tracking(self) -> bool:
        return self._trackable._setattr_tracking

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        self._trackable._setattr_tracking = value

    @property
    def _update_uid(self) -> int:
        return self._trackable._update_uid

    @_update_uid.setter
    def _update_uid(self, value: int) -> None:
        self._trackable._update_uid = value

    @property
    def _unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        return self._trackable._unconditional_checkpoint_dependencies

    @property
    def _unconditional_dependency_names(self) -> dict[str, Any]:
        return self._trackable._unconditional_dependency_names

    @property
    def _name_based_restores(self) -> set[Any]:
        return self._trackable._name_based_restores

    @property
    def _object_identifier(self) -> str:
        return self._trackable._object_identifier

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return self._trackable._checkpoint_dependencies

    @property
    def _deferred_dependencies(self) -> dict[str, list[Any]]:
        return self._trackable._deferred_dependencies

    def _maybe_initialize_trackable(self) -> None:
        self._trackable._maybe_initialize_trackable()

    def _no_dependency(self, *args: Any, **kwargs: Any) -> Any:
        return self._trackable._no_dependency(*args, **kwargs)

    def _lookup_dependency(self, *args: Any, **kwargs: Any) -> Any:
        return self._trackable._lookup_dependency(*args, **kwargs)

    def _track_trackable(self, *args: Any, **kwargs: Any) -> Any:
        return self._trackable._track_trackable(*args, **kwargs)

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        self._trackable._handle_deferred_dependencies(name, trackable)

    def _trackable_children(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return self._trackable._trackable_children(*args, **kwargs)

    def _deserialization_dependencies(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return self._trackable._deserialization_dependencies(*args, **kwargs)

    def _export_to_saved_model_graph(self, *args: Any, **kwargs: Any) -> Any:
        return self._trackable._export_to_saved_model_graph(*args, **kwargs)
