"""Classes of objects that a SavedModel names, and that libraries register."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

Setter = Callable[[Any, str, Any], None]


class VersionedTypeRegistration:
    """A version of a class.

    Args:
      object_factory: makes an object from the message in the SavedModel.
      version: the version that is written.
      min_producer_version: the oldest version that this one reads.
      min_consumer_version: the oldest version that can read this one.
      bad_consumers: versions that cannot read it.
      setter: gives the object a child.

    Source: TF 2.21 `tf.__internal__.saved_model.load.VersionedTypeRegistration`.
    """

    def __init__(
        self,
        object_factory: Callable[[Any], Any],
        version: int,
        min_producer_version: int,
        min_consumer_version: int,
        bad_consumers: Sequence[int] | None = None,
        setter: Setter = setattr,
    ) -> None:
        self.identifier: str | None = None
        self.setter = setter
        self.version = version
        self._make = object_factory
        self._oldest_read, self._oldest_reader = min_producer_version, min_consumer_version
        self._bad_consumers = list(bad_consumers or ())

    def write(self, message: Any) -> None:
        """Fills the message of an object with its class."""
        message.identifier = self.identifier
        message.version.producer, message.version.min_consumer = self.version, self._oldest_reader
        message.version.bad_consumers.extend(self._bad_consumers)

    def from_proto(self, proto: Any) -> Any:
        """An object for the message `proto`."""
        return self._make(proto)

    def should_load(self, proto: Any) -> bool:
        """Whether this version reads the message `proto`."""
        return (
            proto.identifier == self.identifier
            and self.version >= proto.version.min_consumer
            and proto.version.producer >= self._oldest_read
            and self.version not in proto.version.bad_consumers
        )


_registered: dict[str, tuple[Callable[[Any], bool], list[VersionedTypeRegistration]]] = {}


def register_revived_type(
    identifier: str, predicate: Callable[[Any], bool], versions: list[VersionedTypeRegistration]
) -> None:
    """Registers the class of the objects for which `predicate` is true under the name `identifier`.

    Raises: AssertionError without a version, or with two of the same number.
    Source: TF 2.21 `tf.__internal__.saved_model.load.register_revived_type`.
    """
    if not versions:
        raise AssertionError("Need at least one version of a registered type.")
    if len({each.version for each in versions}) < len(versions):
        raise AssertionError(f"Got multiple registrations with the same version for type {identifier}.")
    for each in versions:
        each.identifier = identifier
    _registered[identifier] = (predicate, sorted(versions, key=lambda each: each.version, reverse=True))


def registered_identifiers() -> Collection[str]:
    """The names of the registered classes.

    Source: TF 2.21 `tf.__internal__.saved_model.load.registered_identifiers`.
    """
    return _registered.keys()


def get_setter(proto: Any) -> Setter | None:
    """The function that gives a child to the object of the message `proto`; None if its class is not registered.

    Source: TF 2.21 `tf.__internal__.saved_model.load.get_setter`.
    """
    found = registration_of(proto)
    return None if found is None else found.setter


def registration_of(proto: Any) -> VersionedTypeRegistration | None:
    """The latest version of the class of `proto` that reads it; None without one."""
    _, versions = _registered.get(proto.identifier, (None, ()))
    return next((each for each in versions if each.should_load(proto)), None)


def latest_registration(trackable: Any) -> VersionedTypeRegistration | None:
    """The latest version of the class of `trackable`; None if it is not registered."""
    return next((versions[0] for predicate, versions in _registered.values() if predicate(trackable)), None)
