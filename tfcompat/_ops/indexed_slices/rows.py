"""A set of rows of a tensor, TensorFlow's gradient for a tensor that was only gathered from."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import DType
from tfcompat._core.types.shape import TensorShape
from tfcompat._ops.fold.segment import unsorted_segment_sum


class IndexedSlices:
    """The rows `values[k]` of a tensor of shape `dense_shape`, at `indices[k]` along axis 0; repeated rows are summed.

    Shapes: values [n, *row], indices [n], dense_shape [1 + rank(row)].
    Dtypes: values any; indices and dense_shape int32 or int64.
    Source: TF 2.21 `tf.IndexedSlices`.
    """

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Any:
        """The rows."""
        return self._values

    @property
    def indices(self) -> Any:
        """The indices of the rows along axis 0."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the dense tensor, as a tensor of integers; None if it is not known."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """`dense_shape` as a `tf.TensorShape`."""
        if self._dense_shape is None:
            return TensorShape(None)
        return TensorShape(np.asarray(self._dense_shape).tolist())

    @property
    def dtype(self) -> DType:
        """The element type of `values`."""
        return self._values.dtype

    @property
    def device(self) -> str:
        """TensorFlow's name of the device that holds `values`."""
        return self._values.device

    @property
    def name(self) -> Any:
        """Raises AttributeError, as TensorFlow does for eager tensors."""
        return self._values.name

    @property
    def op(self) -> Any:
        """Raises AttributeError, as TensorFlow does for eager tensors."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """Raises AttributeError, as TensorFlow does for eager tensors."""
        return self._values.graph

    def consumers(self) -> list[Any]:
        """An empty list: tensors do not know their consumers."""
        return []

    def __neg__(self) -> IndexedSlices:
        return self._mapped(operator.neg)

    def _mapped(self, function: Callable[[Any], Any]) -> IndexedSlices:
        """`function` of the rows, at the same indices."""
        return IndexedSlices(function(self._values), self._indices, self._dense_shape)

    def __str__(self) -> str:
        shown = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{shown})"

    def _as_tensor(self) -> Tensor:
        """The dense tensor, zero at other rows. Raises ValueError if its shape is not known."""
        if self._dense_shape is None:
            raise ValueError(
                f"Tensor conversion requested for IndexedSlices for argument `value` without dense_shape: {self!s}"
            )
        return unsorted_segment_sum(self._values, self._indices, self.shape[0])

    def _flatten_composite(self) -> list[Any]:
        parts = [self._values, self._indices]
        return parts if self._dense_shape is None else [*parts, self._dense_shape]

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> IndexedSlices:
        del spec
        return cls(*leaves)
