"""Types of arguments that are neither tensors nor variables nor containers, and the tracing protocol for them.

An object of a class with the method `__tf_tracing_type__` has the type that this method returns: `Described`. The type
of any other object that supports weak references is a `Weakref`, that of any other value a `Literal`.
"""

from __future__ import annotations

import weakref
from abc import ABCMeta, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

_PLAIN = frozenset((int, float, complex, bool, str, bytes, type(None)))


class TraceType(metaclass=ABCMeta):
    """The type of an argument. Subclasses, with the five abstract methods, are returned by `__tf_tracing_type__`.

    A class whose method `__tf_tracing_type__(self, context)` returns a `TraceType` decides itself which of its objects
    share a trace of a `tf.function`: those with equal types. While it is traced, the function gets `placeholder_value`
    of the type of the first such object.

    Raises: NotImplementedError in calls with a type whose `to_tensors` returns tensors.
    Source: TF 2.21 `tf.types.experimental.TraceType`.
    """

    @abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether all values of this type have the type `other`. Functions share traces of equal types only."""
        raise NotImplementedError

    @abstractmethod
    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """A type of which this one and `others` are subtypes, or None."""
        raise NotImplementedError

    @abstractmethod
    def placeholder_value(self, placeholder_context: Any) -> Any:
        """The argument that the function gets while it is traced."""
        raise NotImplementedError

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensors of `value`: none."""
        del value
        return []

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """The value with the given tensors, which are an empty sequence."""
        del tensors
        return self.placeholder_value(None)

    def flatten(self) -> list[TraceType]:
        """The types of the tensors: none."""
        return []

    def cast(self, value: Any, cast_context: Any) -> Any:
        """`value` as a value of this type. Raises AssertionError if it is not the placeholder."""
        del cast_context
        if value != self.placeholder_value(None):
            raise AssertionError(f"Can not cast {value!r} to type {self!r}")
        return value

    @abstractmethod
    def __hash__(self) -> int:
        raise NotImplementedError

    @abstractmethod
    def __eq__(self, other: object) -> bool:
        raise NotImplementedError


class Weakref:
    """The type of an object and of all objects equal to it. It refers to the object weakly."""

    def __init__(self, referent: Any) -> None:
        """Raises TypeError if `referent` doesn't support weak references, or if it is not hashable."""
        self._hash = hash(referent)
        self._reference = weakref.ref(referent)

    def deref(self) -> Any:
        """The object; None if it no longer exists."""
        return self._reference()

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weakref) or (found := self._reference()) is None:
            return False
        second = other._reference()
        return found is second or bool(found == second)

    def __repr__(self) -> str:
        return f"Weakref[{self._reference!r}]"


class Literal:
    """The type of all values equal to `value`."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return hash(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and self.value == other.value

    def __repr__(self) -> str:
        return f"Literal[{self.value!r}]"


class Described(Weakref):
    """The type of an object that implements the tracing protocol."""

    def __init__(self, value: Any) -> None:
        """Raises TypeError if its type is not a `TraceType`; NotImplementedError if it has tensors."""
        kind = value.__tf_tracing_type__(None)
        if not isinstance(kind, TraceType):
            raise TypeError(f"Expected an instance of TraceType for Tracing Protocol call to {value} but got {kind}")
        if TraceType not in type(kind).__mro__ or kind.to_tensors(value):
            raise NotImplementedError(
                f"tf.types.experimental.TraceType: {type(kind).__name__} has tensors, which is not supported for "
                "arguments with __tf_tracing_type__; derive their class from tf.experimental.ExtensionType."
            )
        self.kind = kind
        self._hash = hash(kind)

    def deref(self) -> Any:
        """The value to trace with."""
        return self.kind.placeholder_value(None)

    def cast(self, value: Any) -> Any:
        """`value` as a value of this type. Raises TypeError if that is impossible."""
        try:
            return self.kind.cast(value, None)
        except AssertionError as refusal:
            raise TypeError(str(refusal)) from None

    __hash__ = Weakref.__hash__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Described) and bool(self.kind == other.kind)

    def __repr__(self) -> str:
        return repr(self.kind)


def type_of_object(value: Any) -> Weakref | Literal:
    """The type of a value that is neither a tensor nor a variable nor a container."""
    if type(value) in _PLAIN:
        return Literal(value)
    if hasattr(type(value), "__tf_tracing_type__"):
        return Described(value)
    try:
        return Weakref(value)
    except TypeError:
        return Literal(value)
