"""`ListWrapper`: the list that an attribute holds after a list was assigned to it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, MutableSequence
from typing import Any, Self

from tfcompat._state.tracking.data_structure import TrackableDataStructure
from tfcompat._state.tracking.trackable import Trackable


class ListWrapper(TrackableDataStructure, MutableSequence, list):  # pyright: ignore  # a list for `isinstance` only
    """A list whose trackable elements are dependencies, named by their places.

    It shares its elements with the list that was assigned; its own storage as a list is empty. Replacing, deleting or
    moving a trackable element makes it impossible to save.

    Source: TF 2.21, the class that `tf.__internal__.tracking.wrap` returns for lists.
    """

    def __init__(self, wrapped_list: list[Any]) -> None:
        super().__init__()
        self._storage = wrapped_list
        self._is_rearranged = False
        for place, element in enumerate(wrapped_list):
            wrapped_list[place] = self._track_fitting_value(element, str(place))
        self._snapshot: list[Any] | None = list(wrapped_list)

    @property
    def _values(self) -> Iterable[Any]:
        return self._storage

    def _note_external_change(self) -> None:
        """Notes whether the list that was assigned has been changed by itself."""
        if self._snapshot is not None and not self._is_rearranged and not _are_same(self._storage, self._snapshot):
            self._snapshot = None

    def _note_own_change(self) -> None:
        if self._snapshot is not None:
            self._snapshot = list(self._storage)

    def _note_rearrangement(self, *elements: Any) -> None:
        """Notes a change that moves or removes elements, if they or the present ones are trackable."""
        self._note_external_change()
        if any(isinstance(element, Trackable) for element in (*elements, *self._storage)):
            self._is_rearranged = True

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The trackable elements by place. Raises ValueError if elements were replaced or moved."""
        self._note_external_change()
        if self._is_rearranged:
            raise ValueError(
                f"Unable to save the object {self} (a list wrapper constructed to track trackable TensorFlow objects). "
                "A list element was replaced, deleted or moved; only appending can be restored. If the list need not "
                "be saved, wrap it in a non-trackable object."
            )
        if self._snapshot is None:
            raise ValueError(
                f"Unable to save the object {self} (a list wrapper constructed to track trackable TensorFlow objects). "
                "The wrapped list was modified outside the wrapper. Append to the attribute instead, or wrap the list "
                "in a non-trackable object."
            )
        return super()._trackable_children(save_type, **kwargs)

    def __len__(self) -> int:
        return len(self._storage)

    def __getitem__(self, key: Any) -> Any:
        return self._storage[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._storage)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._note_external_change()
        if isinstance(key, slice):
            before = list(self._storage)
            self._storage[key] = value
            if any(isinstance(element, Trackable) for element in before):
                self._is_rearranged = True
            self._track_from(before)
        else:
            if isinstance(self._storage[key], Trackable):
                self._is_rearranged = True
            place = range(len(self._storage))[key]
            self._storage[key] = self._track_fitting_value(value, str(place))
        self._note_own_change()

    def _track_from(self, before: list[Any]) -> None:
        for place, element in enumerate(self._storage):
            if place >= len(before) or element is not before[place]:
                self._storage[place] = self._track_fitting_value(element, str(place))

    def __delitem__(self, key: Any) -> None:
        self._note_rearrangement()
        del self._storage[key]
        self._note_own_change()

    def append(self, value: Any) -> None:
        """Adds an element at the end."""
        self._note_external_change()
        self._storage.append(self._track_fitting_value(value, str(len(self._storage))))
        self._note_own_change()

    def extend(self, values: Iterable[Any]) -> None:
        """Adds `values` at the end."""
        for value in list(values):
            self.append(value)

    def insert(self, index: Any, value: Any) -> None:
        """Adds an element before `index`."""
        self._note_rearrangement(value)
        self._storage.insert(index, value)
        self._note_own_change()

    def sort(self, **options: Any) -> None:
        """Sorts the elements, with the options of `list.sort`."""
        self._note_rearrangement()
        self._storage.sort(**options)
        self._note_own_change()

    def copy(self) -> ListWrapper:
        """A wrapper of a copy of the list."""
        return copy.copy(self)

    def __copy__(self) -> ListWrapper:
        return self._like(copy.copy(self._storage))

    def __deepcopy__(self, memo: dict[int, Any]) -> ListWrapper:
        return self._like(copy.deepcopy(self._storage, memo))

    def _like(self, elements: list[Any]) -> ListWrapper:
        copied = type(self)(elements)
        copied._is_rearranged = self._is_rearranged
        return copied

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        del protocol
        return type(self), (self._storage,)

    def __add__(self, other: Any) -> list[Any]:
        return self._storage + getattr(other, "_storage", other)

    def __radd__(self, other: Any) -> list[Any]:
        return other + self._storage

    def __iadd__(self, values: Iterable[Any]) -> Self:
        self.extend(values)
        return self

    def __mul__(self, count: Any) -> list[Any]:
        return self._storage * count

    def __rmul__(self, count: Any) -> list[Any]:
        return self * count

    def __imul__(self, count: Any) -> Self:
        if count <= 0:
            del self[:]
        else:
            self.extend(self._storage * (count - 1))
        return self

    def __eq__(self, other: object) -> bool:
        return self._storage == getattr(other, "_storage", other)

    def __ne__(self, other: object) -> bool:
        return self._storage != getattr(other, "_storage", other)

    def __lt__(self, other: Any) -> bool:
        return self._storage < getattr(other, "_storage", other)

    def __le__(self, other: Any) -> bool:
        return self._storage <= getattr(other, "_storage", other)

    def __gt__(self, other: Any) -> bool:
        return self._storage > getattr(other, "_storage", other)

    def __ge__(self, other: Any) -> bool:
        return self._storage >= getattr(other, "_storage", other)

    __hash__ = None  # pyright: ignore  # as of lists

    def __sizeof__(self) -> int:
        return super().__sizeof__() + self._storage.__sizeof__()

    def __repr__(self) -> str:
        return f"ListWrapper({self._storage!r})"


def _are_same(elements: list[Any], others: list[Any]) -> bool:
    """Whether both lists have the same elements. Arrays and tensors are compared by identity."""
    return len(elements) == len(others) and all(map(lambda one, other: one is other, elements, others))
