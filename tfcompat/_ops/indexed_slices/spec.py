"""`tf.IndexedSlicesSpec`: the type of a set of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from tfcompat._core.structure.spec import CompositeSpec
from tfcompat._core.types.dtype import DType, as_dtype, float32, int64
from tfcompat._core.types.shape import TensorShape
from tfcompat._ops.indexed_slices.rows import IndexedSlices


class IndexedSlicesSpec(CompositeSpec):
    """The shape and dtype of the dense tensor, the dtypes of the indices and of its shape, and the number of rows.

    `dense_shape_dtype` is None if there is no dense shape.

    Source: TF 2.21 `tf.IndexedSlicesSpec`.
    """

    __slots__ = ("_dense_shape_dtype", "_dtype", "_indices_dtype", "_indices_shape", "_shape")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = float32,
        indices_dtype: Any = int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._indices_dtype = as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._indices_shape = TensorShape([None]) if indices_shape is None else TensorShape(indices_shape)

    @classmethod
    def of(cls, rows: IndexedSlices) -> Self:
        """The spec of `rows`. Not public."""
        dense, values = rows.dense_shape, rows.values.shape
        shape = TensorShape([None]).concatenate(values[1:]) if dense is None else rows.shape
        return cls(shape, rows.dtype, rows.indices.dtype, None if dense is None else dense.dtype, rows.indices.shape)

    @property
    def value_type(self) -> type[IndexedSlices]:
        """`tf.IndexedSlices`."""
        return IndexedSlices

    def _tensor_kinds(self) -> list[tuple[Sequence[Any] | None, DType]]:
        values = self._indices_shape.concatenate(self._shape[1:])
        kinds: list[tuple[Any, DType]] = [(values, self._dtype), (self._indices_shape, self._indices_dtype)]
        dense = self._dense_shape_dtype
        return kinds if dense is None else [*kinds, ([self._shape.rank], dense)]

    def _of_tensors(self, tensors: Sequence[Any]) -> Any:
        return IndexedSlices(*tensors)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether `spec_or_value`, a spec or rows, has these dtypes and a compatible shape."""
        if isinstance(spec_or_value, IndexedSlices):
            spec_or_value = type(self).of(spec_or_value)
        if not isinstance(spec_or_value, IndexedSlicesSpec) or spec_or_value._dtypes() != self._dtypes():
            return False
        return all(mine.is_compatible_with(its) for mine, its in self._beside(spec_or_value))

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` is such a spec of the same dtypes, and every shape of it is one of this spec's."""
        if not isinstance(other, IndexedSlicesSpec) or other._dtypes() != self._dtypes():
            return False
        return all(mine.is_subtype_of(its) for mine, its in self._beside(other))

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """The most specific spec that includes this one and all of `others`; None if dtypes differ."""
        shape, indices = self._shape, self._indices_shape
        for other in others:
            if not isinstance(other, IndexedSlicesSpec) or other._dtypes() != self._dtypes():
                return None
            shape = shape.most_specific_compatible_shape(other._shape)
            indices = indices.most_specific_compatible_shape(other._indices_shape)
        return type(self)(shape, *self._dtypes(), indices)

    def _beside(self, other: IndexedSlicesSpec) -> list[tuple[TensorShape, TensorShape]]:
        return [(self._shape, other._shape), (self._indices_shape, other._indices_shape)]

    def _dtypes(self) -> tuple[DType, DType, DType | None]:
        return self._dtype, self._indices_dtype, self._dense_shape_dtype

    def _state(self) -> tuple[Any, ...]:
        return self._shape, *self._dtypes(), self._indices_shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndexedSlicesSpec) and self._state() == other._state()

    def __hash__(self) -> int:
        return hash(self._state())

    def __repr__(self) -> str:
        return f"IndexedSlicesSpec({', '.join(map(repr, self._state()))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._state()
