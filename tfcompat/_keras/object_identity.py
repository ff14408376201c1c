"""Dictionaries and sets whose keys are equal only if they are the same object: variables cannot be hashed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any

from tfcompat._core.structure.tensor import Reference


class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A dictionary by object. Source: TF 2.21, `tensorflow.python.util.object_identity.ObjectIdentityDictionary`."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[Any, Any]] = {}

    def __getitem__(self, key: Any) -> Any:
        try:
            return self._entries[id(key)][1]
        except KeyError:
            raise KeyError(Reference(key)) from None

    def __setitem__(self, key: Any, value: Any) -> None:
        self._entries[id(key)] = (key, value)

    def __delitem__(self, key: Any) -> None:
        del self._entries[id(key)]

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, _ in self._entries.values()])

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"ObjectIdentityDictionary({list(self._entries.values())!r})"


class ObjectIdentitySet(MutableSet[Any]):
    """A set of objects. Source: TF 2.21, `tensorflow.python.util.object_identity.ObjectIdentitySet`."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._items = {id(item): item for item in items}

    def __contains__(self, key: object) -> bool:
        return id(key) in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._items.values()))

    def __len__(self) -> int:
        return len(self._items)

    def add(self, value: Any) -> None:
        """Adds an object."""
        self._items[id(value)] = value

    def discard(self, value: Any) -> None:
        """Removes an object, if it is there."""
        self._items.pop(id(value), None)

    def update(self, items: Iterable[Any]) -> None:
        """Adds several objects."""
        for item in items:
            self.add(item)

    def intersection(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """The objects that are in `items` too."""
        return ObjectIdentitySet(item for item in items if item in self)

    def difference(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """The objects that are not in `items`."""
        others = ObjectIdentitySet(items)
        return ObjectIdentitySet(item for item in self if item not in others)
