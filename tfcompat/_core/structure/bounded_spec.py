"""Types of tensors whose values are within bounds: the actions and observations of reinforcement learning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.structure.spec import TensorSpec


class BoundedTensorSpec(TensorSpec):
    """The shape, element type and name of a tensor, with bounds of its values, which nothing checks.

    `minimum` and `maximum` can be broadcast to `shape`; the bounds themselves are allowed values.

    Raises: as `tf.TensorSpec`; ValueError for a bound that is None, or that cannot be broadcast to `shape`.
    Source: TF 2.21, `tensorflow.python.framework.tensor_spec.BoundedTensorSpec`.
    """

    __slots__ = ("_maximum", "_minimum")

    def __init__(self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None) -> None:
        super().__init__(shape, dtype, name)
        self._minimum = self._bound("minimum", minimum)
        self._maximum = self._bound("maximum", maximum)

    def _bound(self, name: str, value: Any) -> np.ndarray:
        if value is None:
            raise ValueError(f"`{name}` can not be None.")
        sizes = [] if self.shape.rank is None else self.shape.as_list()
        try:
            np.broadcast_shapes(np.shape(value), [1 if size is None else size for size in sizes])
        except ValueError as unfit:
            raise ValueError(f"`{name}` {value} is not compatible with shape {self.shape}.") from unfit
        array = np.array(value, dtype=self.dtype.as_numpy_dtype)
        array.setflags(write=False)
        return array

    @classmethod
    def from_spec(cls, spec: Any) -> BoundedTensorSpec:  # pyright: ignore[reportIncompatibleMethodOverride]
        """A spec with the shape, dtype and name of `spec`, and its bounds or else those of its dtype.

        Raises: TypeError if neither `spec` nor its dtype has bounds.
        """
        minimum, maximum = (
            getattr(spec, name) if hasattr(spec, name) else getattr(spec.dtype, limit)
            for name, limit in (("minimum", "min"), ("maximum", "max"))
        )
        return cls(spec.shape, spec.dtype, minimum, maximum, spec.name)

    # A tensor has no bounds.
    from_tensor = TensorSpec.from_tensor  # pyright: ignore[reportAssignmentType]

    @property
    def minimum(self) -> np.ndarray:
        """The lower bounds, which cannot be written to."""
        return self._minimum

    @property
    def maximum(self) -> np.ndarray:
        """The upper bounds, which cannot be written to."""
        return self._maximum

    def most_specific_common_supertype(self, others: Sequence[Any]) -> None:
        """None: specs with bounds have no common supertype, as in TensorFlow."""
        del others

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoundedTensorSpec):
            return NotImplemented
        same = super().__eq__(other)
        return same and np.allclose(self._minimum, other._minimum) and np.allclose(self._maximum, other._maximum)

    __hash__ = TensorSpec.__hash__

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, minimum={self._minimum!r}, maximum={self._maximum!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._shape, self._dtype, self._minimum, self._maximum, self._name)
