"""`_TupleWrapper`: the tuple that an attribute holds after a tuple of trackable objects was assigned to it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

import wrapt

from tfcompat._state.tracking.data_structure import TrackableDataStructure
from tfcompat._state.tracking.wrapping import NoDependency, wrap_or_unwrap


class _TupleWrapper(TrackableDataStructure, wrapt.ObjectProxy):  # pyright: ignore[reportMissingTypeArgument]
    """A tuple whose trackable elements are dependencies, named by their places, and by fields if it is a namedtuple.

    Source: TF 2.21, the class that `tf.__internal__.tracking.wrap` returns for tuples.
    """

    def __init__(self, original_wrapped_tuple: Any = ()) -> None:
        elements = list(map(wrap_or_unwrap, original_wrapped_tuple))
        kind = type(original_wrapped_tuple)
        fields = getattr(original_wrapped_tuple, "_fields", ())
        wrapt.ObjectProxy.__init__(self, kind._make(elements) if fields else kind(elements))
        wrapt.ObjectProxy.__setattr__(self, "_self_state", {})
        for names in (fields, map(str, range(len(elements)))):
            for name, given, element in zip(names, original_wrapped_tuple, elements, strict=False):
                if not isinstance(given, NoDependency):
                    self._track_value(element, name)

    def __getattribute__(self, name: str) -> Any:
        # Attributes of the tuple come first: the names of its fields are any.
        if name != "__wrapped__" and hasattr(self.__wrapped__, name):
            return getattr(self.__wrapped__, name)
        if name == "__dict__":
            # Not the dictionary of the proxy, which wrapt before 2.0 does not give, but one of its attributes.
            return object.__getattribute__(self, "_self_state")
        if isinstance(getattr(type(self), name, None), property):
            return object.__getattribute__(self, name)
        return super().__getattribute__(name)

    def __iter__(self) -> Iterator[Any]:
        return iter(object.__getattribute__(self, "__wrapped__"))  # without the method above, which takes longer

    @property
    def _values(self) -> Iterable[Any]:
        return self.__wrapped__

    def _rebuilt(self, children: list[Any]) -> _TupleWrapper:
        """A wrapper of a similar tuple with other elements."""
        kind = type(self.__wrapped__)
        return _TupleWrapper(kind._make(children) if hasattr(kind, "_make") else kind(children))

    def __copy__(self) -> _TupleWrapper:
        return _TupleWrapper(copy.copy(self.__wrapped__))

    def __deepcopy__(self, memo: dict[int, Any]) -> _TupleWrapper:
        return _TupleWrapper(copy.deepcopy(self.__wrapped__, memo))

    # The operators of a proxy would change it in place.
    def __imul__(self, count: Any) -> Any:
        return self.__wrapped__ * count

    def __iadd__(self, other: Any) -> Any:
        return self.__wrapped__ + other

    def __eq__(self, other: object) -> bool:
        return self.__wrapped__ == other

    def __hash__(self) -> int:
        return hash(self.__wrapped__)

    def __repr__(self) -> str:
        return f"_TupleWrapper({self.__wrapped__!r})"
