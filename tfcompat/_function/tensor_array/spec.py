"""`tf.TensorArraySpec`: the type of a TensorArray."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from tfcompat._core.structure.spec import TypeSpec
from tfcompat._core.types.dtype import DType, as_dtype, float32
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.tensor_array.array import TensorArray


class TensorArraySpec(TypeSpec):
    """The shape and dtype of the elements, whether the array grows, and whether the shape is inferred from elements.

    Source: TF 2.21 `tf.TensorArraySpec`.
    """

    __slots__ = ("_dtype", "_dynamic_size", "_element_shape", "_infer_shape")

    def __init__(
        self, element_shape: Any = None, dtype: Any = float32, dynamic_size: bool = False, infer_shape: bool = True
    ) -> None:
        self._element_shape = TensorShape(element_shape)
        self._dtype = as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @classmethod
    def from_value(cls, value: Any) -> Self:
        """The spec of the `tf.TensorArray` called `value`. Raises TypeError for anything else."""
        if not isinstance(value, TensorArray):
            raise TypeError(f"tf.TensorArraySpec.from_value: expected a TensorArray, got {type(value)}.")
        return cls(value.element_shape, value.dtype, value.dynamic_size)

    @property
    def value_type(self) -> type[TensorArray]:
        """`tf.TensorArray`."""
        return TensorArray

    def is_compatible_with(self, other: Any) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Whether `other`, a spec or an array, has the same dtype and a compatible element shape."""
        if isinstance(other, TensorArray):
            other = type(self).from_value(other)
        return (
            isinstance(other, TensorArraySpec)
            and self._dtype is other._dtype
            and self._dynamic_size == other._dynamic_size
            and self._element_shape.is_compatible_with(other._element_shape)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` is a spec with the same dtype and `dynamic_size`. Shapes are ignored, as in TensorFlow."""
        return isinstance(other, TensorArraySpec) and self._kind() == other._kind()

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """This spec if all of `others` have the same dtype and `dynamic_size`; None otherwise."""
        return self if all(self.is_subtype_of(other) for other in others) else None

    def _kind(self) -> tuple[DType, bool]:
        return self._dtype, self._dynamic_size

    def _arguments(self) -> tuple[Any, ...]:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorArraySpec) and self._arguments() == other._arguments()

    def __hash__(self) -> int:
        return hash(self._arguments())

    def __repr__(self) -> str:
        return f"TensorArraySpec({', '.join(map(repr, self._arguments()))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._arguments()
