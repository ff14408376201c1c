"""The type of a ragged tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from tfcompat._core.structure.spec import CompositeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import DType, as_dtype, float32, int64
from tfcompat._core.types.shape import TensorShape
from tfcompat._ops.ragged.construction import Rows
from tfcompat._ops.ragged.partition import Partition


class RaggedTensorSpec(CompositeSpec):
    """The shape (None for ragged axes), element type and row partitions' dtype of a ragged tensor.

    `ragged_rank` axes are partitioned into rows, by default all but the outermost.

    Raises: ValueError if both the rank and ragged_rank are unknown, or ragged_rank is not below the rank.
    Source: TF 2.21 `tf.RaggedTensorSpec`.
    """

    __slots__ = ("_dtype", "_flat_values_spec", "_ragged_rank", "_row_splits_dtype", "_shape")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = int64,
        flat_values_spec: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        if flat_values_spec is not None:
            dtype = flat_values_spec.dtype if dtype is None else dtype
            if as_dtype(dtype) != flat_values_spec.dtype:
                raise ValueError(f"tf.RaggedTensorSpec: dtype must be that of flat_values_spec, got {dtype}.")
        elif dtype is None:
            raise ValueError("tf.RaggedTensorSpec: dtype or flat_values_spec must be given.")
        self._dtype = as_dtype(dtype)
        self._flat_values_spec = flat_values_spec
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("tf.RaggedTensorSpec: Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"tf.RaggedTensorSpec: ragged_rank must be an int, got {ragged_rank!r}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(f"tf.RaggedTensorSpec: ragged_rank ({ragged_rank}) must be less than rank ({rank}).")
        self._ragged_rank = ragged_rank

    @classmethod
    def from_value(cls, value: Any) -> Self:
        """The spec of the ragged tensor `value`. Raises AttributeError for anything else."""
        return cls(value.shape, value.flat_values.dtype, value.ragged_rank, value.row_splits.dtype)

    @property
    def shape(self) -> TensorShape:
        """The shape, None for axes that are ragged or unknown."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The element type of the values."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """The number of row partitions of the flat values."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        """The element type of the row splits."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> Any:
        """The spec of the flat values if it was given, else None."""
        return self._flat_values_spec

    @property
    def value_type(self) -> type[Any]:
        """`tf.RaggedTensor`; `tf.Tensor` if the ragged rank is 0."""
        return Rows.kind if self._ragged_rank else Tensor

    def _tensor_kinds(self) -> list[tuple[Sequence[Any] | None, DType]]:
        if self._ragged_rank == 0:
            return [(self._shape.as_list(), self._dtype)]
        inner = self._shape[self._ragged_rank + 1 :].as_list()
        rows = self._shape[0]
        splits = [([None if rows is None else rows + 1], self._row_splits_dtype)]
        splits += [([None], self._row_splits_dtype)] * (self._ragged_rank - 1)
        return [([None, *inner], self._dtype), *splits]

    def _of_tensors(self, tensors: Sequence[Tensor]) -> Any:
        if self._ragged_rank == 0:
            return tensors[0]
        return Rows.kind._of(tensors[0], list(map(Partition, tensors[1:])))

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether `spec_or_value`, a spec or a value, has this dtype and ragged rank and a compatible shape."""
        if isinstance(spec_or_value, Rows):
            spec_or_value = type(self).from_value(spec_or_value)
        if isinstance(spec_or_value, Tensor) and not self._ragged_rank:
            return self._dtype == spec_or_value.dtype and self._shape.is_compatible_with(spec_or_value.shape)
        return (
            isinstance(spec_or_value, RaggedTensorSpec)
            and self._kind() == spec_or_value._kind()
            and self._shape.is_compatible_with(spec_or_value.shape)
        )

    def _kind(self) -> tuple[Any, ...]:
        return (self._dtype, self._ragged_rank, self._row_splits_dtype)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` is a spec of the same kind that includes every shape of this one."""
        return (
            isinstance(other, RaggedTensorSpec)
            and self._kind() == other._kind()
            and self._shape.is_subtype_of(other.shape)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """The most specific spec that includes this one and all of `others`; None if they differ in kind."""
        shape = self._shape
        for other in others:
            if not isinstance(other, RaggedTensorSpec) or other._kind() != self._kind():
                return None
            shape = shape.most_specific_compatible_shape(other.shape)
        return type(self)(shape, self._dtype, self._ragged_rank, self._row_splits_dtype, self._flat_values_spec)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RaggedTensorSpec) or type(other) is not type(self):
            return NotImplemented
        return (self._shape, *self._kind()) == (other._shape, *other._kind())

    def __hash__(self) -> int:
        return hash((self._shape, *self._kind()))

    def __repr__(self) -> str:
        shown = (self._shape, *self._kind(), *(() if self._flat_values_spec is None else (self._flat_values_spec,)))
        return f"{type(self).__name__}({', '.join(map(repr, shown))})"

    def _serialize(self) -> tuple[Any, ...]:
        """The arguments that make an equal spec, which files of models hold."""
        arguments = super()._serialize()
        return arguments if self._flat_values_spec is not None else arguments[:-1]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._shape, *self._kind(), self._flat_values_spec)
