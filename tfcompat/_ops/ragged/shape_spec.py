"""Types of row partitions and of ragged shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from tfcompat._core.structure.spec import TypeSpec
from tfcompat._core.types.dtype import DType, as_dtype, int64
from tfcompat._core.types.shape import TensorShape


def _shared(one: Any, other: Any) -> Any:
    return one if one == other else None


def _fits(one: Any, other: Any) -> bool:
    return one is None or other is None or one == other


class RowPartitionSpec(TypeSpec):
    """The numbers of rows and values of a `tf.experimental.RowPartition` and its row length; None if unknown."""

    __slots__ = ("_facts",)

    def __init__(
        self, nrows: Any = None, nvals: Any = None, uniform_row_length: Any = None, dtype: Any = int64
    ) -> None:
        self._facts = (nrows, nvals, uniform_row_length, as_dtype(dtype))

    @property
    def dtype(self) -> DType:
        """The dtype of the row splits."""
        return self._facts[3]

    @property
    def value_type(self) -> type[Any]:
        """The class of partitions."""
        return DynamicRaggedShapeSpec._partition_type

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether some partition matches both this spec and `spec_or_value`."""
        other = getattr(spec_or_value, "_type_spec", spec_or_value)
        return isinstance(other, RowPartitionSpec) and all(map(_fits, self._facts, other._facts))

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every partition that matches this spec matches `other`, too."""
        return isinstance(other, RowPartitionSpec) and all(
            its is None or mine == its for mine, its in zip(self._facts, other._facts, strict=True)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """The most specific spec that includes this one and all of `others`; None if dtypes differ."""
        facts = self._facts
        for other in others:
            if not isinstance(other, RowPartitionSpec) or other.dtype is not self.dtype:
                return None
            facts = tuple(map(_shared, facts, other._facts))
        return type(self)(*facts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowPartitionSpec) and self._facts == other._facts

    def __hash__(self) -> int:
        return hash(self._facts)

    def __repr__(self) -> str:
        nrows, nvals, length, dtype = self._facts
        return f"RowPartitionSpec(nrows={nrows}, nvals={nvals}, uniform_row_length={length}, dtype={dtype!r})"


class DynamicRaggedShapeSpec(TypeSpec):
    """The partitions, the known part of the inner shape, and the dtype of a `tf.experimental.DynamicRaggedShape`.

    Source: TF 2.21 `tf.experimental.DynamicRaggedShape.Spec`.
    """

    __slots__ = ("_dtype", "_row_partitions", "_static_inner_shape")

    _partition_type: ClassVar[type[Any]]
    _shape_type: ClassVar[type[Any]]

    def __init__(self, row_partitions: Sequence[Any], static_inner_shape: Any, dtype: Any) -> None:
        self._row_partitions: tuple[RowPartitionSpec, ...] = tuple(row_partitions)
        self._static_inner_shape = TensorShape(static_inner_shape)
        self._dtype = as_dtype(dtype)

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """The spec of the shape `value`."""
        return value._type_spec

    @property
    def dtype(self) -> DType:
        """The dtype of the lengths."""
        return self._dtype

    @property
    def num_row_partitions(self) -> int:
        """The number of row partitions."""
        return len(self._row_partitions)

    @property
    def inner_rank(self) -> int | None:
        """The number of axes of the flat values, if it is known."""
        return self._static_inner_shape.rank

    @property
    def rank(self) -> int | None:
        """The number of axes, if it is known."""
        return None if self.inner_rank is None else self.num_row_partitions + self.inner_rank

    @property
    def value_type(self) -> type[Any]:
        """`tf.experimental.DynamicRaggedShape`."""
        return self._shape_type

    def with_dtype(self, dtype: Any) -> Self:
        """The same spec with lengths of `dtype`."""
        rows = [type(each)(*each._facts[:3], dtype) for each in self._row_partitions]
        return type(self)(rows, self._static_inner_shape, dtype)

    def _beside(self, other: Any) -> list[tuple[RowPartitionSpec, RowPartitionSpec]] | None:
        """The pairs of partitions of this spec and `other`; None if it has another type, dtype or depth."""
        if not isinstance(other, DynamicRaggedShapeSpec) or other._dtype is not self._dtype:
            return None
        if self.num_row_partitions != other.num_row_partitions:
            return None
        return list(zip(self._row_partitions, other._row_partitions, strict=True))

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether some shape matches both this spec and `spec_or_value`."""
        other = getattr(spec_or_value, "_type_spec", spec_or_value)
        pairs = self._beside(other)
        return (
            pairs is not None
            and all(mine.is_compatible_with(its) for mine, its in pairs)
            and self._static_inner_shape.is_compatible_with(other._static_inner_shape)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` matches every shape that this spec matches."""
        pairs = self._beside(other)
        return (
            pairs is not None
            and all(mine.is_subtype_of(its) for mine, its in pairs)
            and self._static_inner_shape.is_subtype_of(other._static_inner_shape)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """The most specific spec that includes this one and all of `others`; None if dtypes or depths differ."""
        rows, inner = list(self._row_partitions), self._static_inner_shape
        for other in others:
            pairs = self._beside(other)
            if pairs is None:
                return None
            shared = [mine.most_specific_common_supertype([its]) for mine, (_, its) in zip(rows, pairs, strict=True)]
            rows = [each for each in shared if each is not None]
            inner = inner.most_specific_compatible_shape(other._static_inner_shape)
        return type(self)(rows, inner, self._dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DynamicRaggedShapeSpec) and self._state() == other._state()

    def __hash__(self) -> int:
        return hash((self._row_partitions, self._dtype))

    def _state(self) -> tuple[Any, ...]:
        return (self._row_partitions, repr(self._static_inner_shape), self._dtype)

    def __repr__(self) -> str:
        rows, inner, dtype = self._row_partitions, self._static_inner_shape, self._dtype
        return f"DynamicRaggedShape.Spec(row_partitions={rows}, static_inner_shape={inner!r}, dtype={dtype!r})"
