"""`tf.NoneTensorSpec`: the spec of None."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from tfcompat._core.structure.spec import TypeSpec


class NoneTensorSpec(TypeSpec):
    """The spec of None.

    Source: TF 2.21 `tf.NoneTensorSpec`.
    """

    __slots__ = ()

    @property
    def value_type(self) -> type[None]:
        """The class of None."""
        return type(None)

    def _tensor_kinds(self) -> list[Any]:
        return []

    def _of_tensors(self, tensors: Sequence[Any]) -> None:
        del tensors

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether `spec_or_value` is None or this spec."""
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` is this spec."""
        return isinstance(other, NoneTensorSpec)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """This spec if all of `others` are; None otherwise."""
        return self if all(isinstance(other, NoneTensorSpec) for other in others) else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoneTensorSpec)

    def __hash__(self) -> int:
        return hash(NoneTensorSpec)

    def __repr__(self) -> str:
        return "NoneTensorSpec()"

    def __reduce__(self) -> tuple[Any, ...]:
        return NoneTensorSpec, ()
