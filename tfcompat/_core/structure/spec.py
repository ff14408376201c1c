"""Descriptions of values without the values: TensorFlow's `TypeSpec` and `TensorSpec`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import DType, as_dtype, float32
from tfcompat._core.types.nest import flatten, map_structure, pack_sequence_as
from tfcompat._core.types.shape import TensorShape


class TypeSpec(ABC):
    """The type of a value. Specs are immutable and compare by content.

    Source: TF 2.21 `tf.TypeSpec`.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def value_type(self) -> type[Any]:
        """The class of the values that are described."""

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether this spec and `spec_or_value`, a spec or a value, can describe the same value."""
        spec = spec_or_value if isinstance(spec_or_value, TypeSpec) else getattr(spec_or_value, "_type_spec", None)
        return self._agrees(spec, "is_compatible_with")

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` describes every value that this spec describes."""
        return self._agrees(other, "is_subtype_of")

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """The narrowest common supertype of this spec and `others`; None if they have no common supertype."""
        if any(type(other) is not type(self) for other in others):
            return None
        columns = [flatten(spec._serialize()) for spec in (self, *others)]
        if len(set(map(len, columns))) > 1:
            return None
        found = [_common(first, rest) for first, *rest in zip(*columns, strict=True)]
        if any(one is None and first is not None for one, first in zip(found, columns[0], strict=True)):
            return None
        return self._deserialize(pack_sequence_as(self._serialize(), found))

    def _agrees(self, other: Any, relation: str) -> bool:
        """Whether each part of this spec has the `relation` to that of `other`, or is equal to it."""
        if type(other) is not type(self):
            return False
        mine, theirs = flatten(self._serialize()), flatten(other._serialize())
        return len(mine) == len(theirs) and all(
            getattr(one, relation)(part) if isinstance(one, (TypeSpec, TensorShape)) else one == part
            for one, part in zip(mine, theirs, strict=True)
        )

    def _serialize(self) -> tuple[Any, ...]:
        """The arguments that make an equal spec, which files of models hold."""
        return self.__reduce__()[1]  # pyright: ignore[reportReturnType]  # the form that all specs have

    @classmethod
    def _deserialize(cls, serialization: Sequence[Any]) -> Self:
        """The spec that `_serialize` has described."""
        return cls(*serialization)

    def _without_tensor_names(self) -> TypeSpec:
        """This spec without the names of tensors. Libraries call it."""

        def unnamed(part: Any) -> Any:
            return part._without_tensor_names() if isinstance(part, TypeSpec) else part

        return self._deserialize(map_structure(unnamed, self._serialize()))

    def _tensor_kinds(self) -> list[tuple[Sequence[Any] | None, DType]]:
        """The dimensions and the dtypes of the tensors of which a value consists; None for an unknown rank."""
        raise NotImplementedError(
            f"tf.{type(self).__name__}: such values are not supported in functions of the elements of datasets; pass "
            "their tensors as a tuple or a dict."
        )

    def _of_tensors(self, tensors: Sequence[Tensor]) -> Any:
        """The value that consists of `tensors`."""
        raise NotImplementedError(f"tf.{type(self).__name__}: values are not made of tensors.")

    def most_specific_compatible_type(self, other: TypeSpec) -> Self:
        """The narrowest spec of which this and `other` are subtypes.

        Raises: ValueError if the specs have no common supertype.
        """
        common = self.most_specific_common_supertype([other])
        if common is None:
            raise ValueError(f"tf.TypeSpec: No TypeSpec is compatible with both {self} and {other!r}")
        return common


def _common(first: Any, others: Sequence[Any]) -> Any:
    """The narrowest common supertype of parts of specs; None if they have none."""
    if isinstance(first, (TypeSpec, TensorShape)):
        return first.most_specific_common_supertype(others)
    return first if all(other == first for other in others) else None


def are_specs(leaves: Sequence[Any], specs: Sequence[Any]) -> bool:
    """Whether `leaves` are the `specs`."""
    return all(isinstance(leaf, TypeSpec) for leaf in leaves) and leaves == specs


class CompositeSpec(TypeSpec):
    """The type of a value that consists of several tensors. `tf.nest` expands it as it expands such a value."""

    __slots__ = ()

    def _flatten_composite(self) -> list[Any]:
        return [TensorSpec(shape, dtype) for shape, dtype in self._tensor_kinds()]

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> Any:
        """The value with the components `leaves`; `spec` itself if these are the specs of its components."""
        return spec if are_specs(leaves, spec._flatten_composite()) else spec._of_tensors(leaves)


class TensorSpec(TypeSpec):
    """The shape, element type and name of a tensor.

    Raises: TypeError if `shape` is not a shape or `dtype` is not a dtype; ValueError for a negative dimension.
    Source: TF 2.21 `tf.TensorSpec`.
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: Any = float32, name: str | None = None) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> Self:
        """A `TensorSpec` with the shape and dtype of `spec`, and the name `name` or else that of `spec`."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> Self:
        """The `TensorSpec` of `tensor`, with the name `name`.

        Raises: ValueError if `tensor` is not a `tf.Tensor`.
        """
        if not isinstance(tensor, Tensor):
            raise ValueError(f"tf.TensorSpec.from_tensor: `tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        return cls(tensor.shape, tensor.dtype, name)

    @property
    def shape(self) -> TensorShape:
        """The shape, which may be partly unknown."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name, or None."""
        return self._name

    @property
    def value_type(self) -> type[Tensor]:
        """`tf.Tensor`."""
        return Tensor

    def _without_tensor_names(self) -> TensorSpec:
        return TensorSpec(self._shape, self._dtype)

    def _tensor_kinds(self) -> list[tuple[Sequence[Any] | None, DType]]:
        return [(None if self._shape.rank is None else self._shape.as_list(), self._dtype)]

    def _of_tensors(self, tensors: Sequence[Tensor]) -> Any:
        return tensors[0]

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Whether `spec_or_tensor`, a `TensorSpec` or a `tf.Tensor`, has this dtype and can have this shape."""
        if not isinstance(spec_or_tensor, TensorSpec | Tensor):
            return False
        return self._dtype == spec_or_tensor.dtype and self._shape.is_compatible_with(spec_or_tensor.shape)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` is a `TensorSpec` of the same dtype that allows every shape that this spec allows.

        A spec with a name is a subtype of specs with that name only.
        """
        return (
            isinstance(other, TensorSpec)
            and self._dtype == other.dtype
            and self._name in (None, other.name)
            and self._shape.is_subtype_of(other.shape)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """The most specific spec that describes this and all of `others`; None if dtypes or names differ."""
        shape = self._shape
        for other in others:
            if not isinstance(other, TensorSpec) or (other.dtype, other.name) != (self._dtype, self._name):
                return None
            shape = shape.most_specific_compatible_shape(other.shape)
        return type(self)(shape, self._dtype, self._name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSpec) or type(other) is not type(self):
            return NotImplemented
        return (self._shape, self._dtype, self._name) == (other.shape, other.dtype, other.name)

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._shape, self._dtype, self._name)
