"""`_DictWrapper`: the dictionary that an attribute holds after a dictionary was assigned to it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

import wrapt

from tfcompat._state.tracking.data_structure import TrackableDataStructure
from tfcompat._state.tracking.trackable import Trackable
from tfcompat._state.tracking.wrapping import NoDependency, wrap_or_unwrap


class _DictWrapper(TrackableDataStructure, wrapt.ObjectProxy):  # pyright: ignore[reportMissingTypeArgument]
    """A dictionary whose trackable values are dependencies, named by their keys.

    It is a proxy: it shares its items with the dictionary that was assigned. It cannot be saved if the key of a
    trackable value is not a string.

    Source: TF 2.21, the class that `tf.__internal__.tracking.wrap` returns for dictionaries.
    """

    def __init__(self, wrapped_dict: Any = None) -> None:
        items = {} if wrapped_dict is None else wrapped_dict
        wrapt.ObjectProxy.__init__(self, items if isinstance(items, Mapping) else dict(items))
        wrapt.ObjectProxy.__setattr__(self, "_self_state", {})
        self._self_has_other_key = False
        for key, value in self.__wrapped__.items():
            self.__wrapped__[key] = self._stored(key, value)
        self._self_snapshot: dict[Any, Any] | None = dict(self.__wrapped__)

    def __getattribute__(self, name: str) -> Any:
        # Properties of this class, rather than attributes of the dictionary.
        if name == "__dict__":
            # Not the dictionary of the proxy, which wrapt before 2.0 does not give, but one of its attributes.
            return object.__getattribute__(self, "_self_state")
        if isinstance(getattr(type(self), name, None), property):
            return object.__getattribute__(self, name)
        return super().__getattribute__(name)

    @property
    def _values(self) -> Iterable[Any]:
        return [value for _, value in sorted(self.items(), key=lambda item: item[0])]

    def _stored(self, key: Any, value: Any) -> Any:
        """The object to store for `value` at `key`; a dependency if it is trackable."""
        if isinstance(key, str):
            return self._track_fitting_value(value, key)
        wrapped = wrap_or_unwrap(value)
        if isinstance(wrapped, Trackable) and not isinstance(value, NoDependency):
            self._self_has_other_key = True
        return wrapped

    def _note_external_change(self) -> None:
        """Notes whether the dictionary that was assigned has been changed by itself."""
        known = self._self_snapshot
        if known is not None and not (
            known.keys() == self.__wrapped__.keys()
            and all(known[key] is value for key, value in self.__wrapped__.items())
        ):
            self._self_snapshot = None

    def _note_own_change(self) -> None:
        if self._self_snapshot is not None:
            self._self_snapshot = dict(self.__wrapped__)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The trackable values by key. Raises ValueError for other keys, and after changes from outside."""
        self._note_external_change()
        subject = f"Unable to save the object {self} (a dictionary wrapper constructed automatically on attribute "
        if self._self_has_other_key:
            raise ValueError(
                f"{subject}assignment). The wrapped dictionary contains a non-string key which maps to a trackable "
                "object or mutable data structure."
            )
        if self._self_snapshot is None:
            raise ValueError(f"{subject}assignment). The wrapped dictionary was modified outside the wrapper.")
        return super()._trackable_children(save_type, **kwargs)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._note_external_change()
        self.__wrapped__[key] = self._stored(key, value)
        self._note_own_change()

    def __delitem__(self, key: Any) -> None:
        self._note_external_change()
        del self.__wrapped__[key]
        self._note_own_change()

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Sets items, as `dict.update` does."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def copy(self) -> _DictWrapper:
        """A wrapper of a copy of the dictionary."""
        return copy.copy(self)

    def __copy__(self) -> _DictWrapper:
        return _DictWrapper(copy.copy(self.__wrapped__))

    def __deepcopy__(self, memo: dict[int, Any]) -> _DictWrapper:
        return _DictWrapper(copy.deepcopy(self.__wrapped__, memo))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.__wrapped__.__reduce_ex__(protocol)

    def __eq__(self, other: object) -> bool:
        return self.__wrapped__ == other

    __hash__ = None  # pyright: ignore  # as of dictionaries

    def __repr__(self) -> str:
        return f"DictWrapper({self.__wrapped__!r})"


# A proxy is not a subclass of `dict`.
MutableMapping.register(_DictWrapper)  # pyright: ignore[reportAttributeAccessIssue]  # every ABC has it
