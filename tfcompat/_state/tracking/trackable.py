"""`Trackable`: an object with named dependencies on other trackable objects, which checkpoints follow."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

# The attributes in which an object keeps its dependencies, and whether assignments to attributes add some.
DEPENDENCIES = "_self_unconditional_checkpoint_dependencies"
NAMES = "_self_unconditional_dependency_names"
TRACKS = "_self_setattr_tracking"
# The restoration that set it last, and restorations that wait for dependencies that it does not have yet.
UID = "_self_update_uid"
DEFERRED = "_self_unconditional_deferred_dependencies"
NAME_BASED = "_self_name_based_restores"
TRACKING_ATTRIBUTES = frozenset((DEPENDENCIES, NAMES, TRACKS, UID, DEFERRED, NAME_BASED))


class SaveType(enum.StrEnum):
    """The purpose for which dependencies are listed."""

    CHECKPOINT = "checkpoint"
    SAVEDMODEL = "savedmodel"


class TrackableReference:
    """A dependency. It has a class of its own, as Keras saves the layers in tuples among the attributes of a model.

    Attributes:
      name: its name in the object that depends on it.
      ref: the object.

    Source: TF 2.21 `tf.__internal__.tracking.TrackableReference`.
    """

    __slots__ = ("_name", "_ref")

    def __init__(self, name: str, ref: Any) -> None:
        self._name = name
        self._ref = ref

    @property
    def name(self) -> str:
        return self._name

    @property
    def ref(self) -> Any:
        return self._ref

    def __iter__(self) -> Iterator[Any]:
        yield self._name
        yield self._ref

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | TrackableReference) and (self._name, self._ref) == tuple(other)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self._name}, ref={self._ref})"


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """`method`, in which assignments to attributes of the object add no dependencies.

    Source: TF 2.21 `tf.__internal__.tracking.no_automatic_dependency_tracking`.
    """

    @functools.wraps(method)
    def method_without_tracking(self: Any, *args: Any, **kwargs: Any) -> Any:
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return method_without_tracking


@contextmanager
def no_automatic_dependency_tracking_scope(trackable: Any) -> Generator[None]:
    """A context in which assignments to attributes of `trackable` add no dependencies."""
    before = getattr(trackable, TRACKS, True)
    setattr(trackable, TRACKS, False)
    try:
        yield
    finally:
        setattr(trackable, TRACKS, before)


class Trackable:
    """An object that may depend on other trackable objects; each dependency has a name.

    Source: TF 2.21 `tf.__internal__.tracking.Trackable`.
    """

    # The end of the names of its tensors in a checkpoint, where they have one attribute together.
    _saveable_name = ""

    @property
    def _update_uid(self) -> int:
        """The number of the restoration that set the object last; -1 at first."""
        return vars(self).get(UID, -1)

    @_update_uid.setter
    def _update_uid(self, value: int) -> None:
        vars(self)[UID] = value

    @property
    def _deferred_dependencies(self) -> dict[str, list[Any]]:
        """The places in checkpoints that wait for dependencies, by name."""
        return vars(self).setdefault(DEFERRED, {})

    @property
    def _name_based_restores(self) -> set[Any]:
        """The checkpoints by names of variables that dependencies are restored from."""
        return vars(self).setdefault(NAME_BASED, set())

    @property
    def _setattr_tracking(self) -> bool:
        """Whether assignments to attributes add dependencies."""
        return getattr(self, TRACKS, True)

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        setattr(self, TRACKS, value)

    @property
    def _unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        """The dependencies in the order in which they were added."""
        return self._dependencies()

    @property
    def _unconditional_dependency_names(self) -> dict[str, Any]:
        """The dependencies by name."""
        return vars(self)[NAMES]

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        """The same as `_unconditional_checkpoint_dependencies`; subclasses may add to it."""
        return self._dependencies()

    def _maybe_initialize_trackable(self) -> None:
        """Makes the tables of dependencies, unless they exist."""
        self._dependencies()

    def _dependencies(self) -> list[TrackableReference]:
        found = vars(self).get(DEPENDENCIES)
        if found is None:
            # Not by assignment: subclasses add dependencies when an attribute is assigned.
            found = vars(self)[DEPENDENCIES] = []
            vars(self)[NAMES] = {}
        return found

    @property
    def _object_identifier(self) -> str:
        """The name of the kind of object in a SavedModel."""
        return "_generic_user_object"

    def _no_dependency(self, value: Any) -> Any:
        """`value`, marked so that its assignment to an attribute adds no dependency, if others do."""
        return value

    def _lookup_dependency(self, name: str, cached_dependencies: dict[str, Any] | None = None) -> Any:
        """The dependency `name`; None if it does not exist."""
        known = self._trackable_children() if cached_dependencies is None else cached_dependencies
        return known.get(name)

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Adds the dependency `trackable` under `name`, and returns it.

        Raises: TypeError if `trackable` is not trackable; ValueError if `name` is that of another dependency, unless
          `overwrite`.
        """
        if not isinstance(trackable, Trackable):
            raise TypeError(
                f"Trackable._track_trackable() can only be used to track objects of type Trackable. Got type "
                f"{type(trackable)}."
            )
        if not getattr(self, "_manual_tracking", True):
            return trackable
        dependencies, names = self._dependencies(), self._unconditional_dependency_names
        known = names.get(name)
        if known is None:
            dependencies.append(TrackableReference(name, trackable))
            # Before the restore, which may raise an error: then the name is not added a second time.
            names[name] = trackable
            self._handle_deferred_dependencies(name, trackable)
        elif known is not trackable:
            if not overwrite:
                raise ValueError(
                    f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this name is "
                    "already declared as a dependency. Names must be unique (or overwrite=True)."
                )
            place = next(k for k, dependency in enumerate(dependencies) if dependency.name == name)
            dependencies[place] = TrackableReference(name, trackable)
        names[name] = trackable
        return trackable

    def _add_variable_with_custom_getter(
        self, name: str, *, getter: Callable[..., Any], overwrite: bool = False, **kwargs: Any
    ) -> Any:
        """The variable `getter(name=name, **kwargs)`, added as the dependency `name`, for older libraries."""
        variable = getter(name=name, **kwargs)
        if overwrite and not isinstance(variable, Trackable):
            return variable
        return self._track_trackable(variable, name, overwrite=overwrite)

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        """Restores the new dependency `trackable` from the checkpoints that have waited for it, the latest first."""
        trackable._maybe_initialize_trackable()
        waiting = vars(self).get(DEFERRED, {}).pop(name, ())
        for position in sorted(waiting, key=lambda position: position.restore_uid, reverse=True):
            position.restore(trackable)
        named = vars(self).get(NAME_BASED, ())
        for checkpoint in sorted(named, key=lambda checkpoint: checkpoint.restore_uid, reverse=True):
            checkpoint.restore(trackable)

    def _delete_tracking(self, name: str) -> None:
        """Removes the dependency `name`, if it exists."""
        dependencies, names = self._dependencies(), self._unconditional_dependency_names
        if names.pop(name, None) is not None:
            dependencies[:] = [dependency for dependency in dependencies if dependency.name != name]

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The dependencies by name, for a checkpoint or a SavedModel."""
        del save_type, kwargs
        return {name: child for name, child in self._checkpoint_dependencies}  # noqa: C416  # pairs with names

    def _add_trackable_child(self, name: str, value: Any) -> None:
        """Adds `value` to an object that a SavedModel was loaded into."""
        self._track_trackable(value, name, overwrite=True)

    def _deserialization_dependencies(self, children: dict[str, Any]) -> dict[str, Any]:
        """Those of `children` that have to be loaded before this object."""
        del children
        return {}

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """TensorFlow's older form of `_serialize_to_tensors`; empty."""
        return {}

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """The tensors that a checkpoint holds for this object. Raises NotImplementedError: it has none."""
        raise NotImplementedError(f"{type(self).__name__}._serialize_to_tensors: the object has no tensors of its own.")

    def _present_tensors(self) -> dict[str, Any]:
        """The tensors of the object now, or their types, by the names under which a checkpoint has them."""
        return self._serialize_to_tensors()

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        """Sets the object from the tensors of a checkpoint. Raises NotImplementedError: it has none."""
        del restored_tensors
        raise NotImplementedError(f"{type(self).__name__}._restore_from_tensors: the object has no tensors of its own.")

    def _copy_trackable_to_cpu(self, object_map: dict[Any, Any]) -> NoReturn:
        """Copies the object for saving. Raises NotImplementedError."""
        del object_map
        raise NotImplementedError(f"{type(self).__name__}._copy_trackable_to_cpu: tf.saved_model is not supported yet.")

    def _export_to_saved_model_graph(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Copies the object into a graph. Raises NotImplementedError."""
        del args, kwargs
        raise NotImplementedError(
            f"{type(self).__name__}._export_to_saved_model_graph: tf.saved_model is not supported yet."
        )
