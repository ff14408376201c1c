"""The values of ragged tensors in TensorFlow 1: nested NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np


class RaggedTensorValue:
    """Rows of `values`: row k is `values[row_splits[k] : row_splits[k + 1]]`.

    Args:
      values: an array, or another RaggedTensorValue.
      row_splits: an array of int32 or int64.

    Raises: TypeError for other types; ValueError if `row_splits` is not a vector.
    Source: TF 2.21 `tf.compat.v1.ragged.RaggedTensorValue`.
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        if not isinstance(row_splits, np.ndarray) or row_splits.dtype not in (np.int64, np.int32):
            raise TypeError(f"row_splits must be a 1D int32 or int64 numpy array, got {row_splits}.")
        if len(row_splits.shape) != 1:
            raise ValueError(f"row_splits must be a 1D int32 or int64 numpy array, got {row_splits}.")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError(f"values must be a numpy array or a RaggedTensorValue, got {type(values)}")
        self.values = values
        self.row_splits = row_splits

    @property
    def flat_values(self) -> Any:
        """The innermost array of values."""
        return self.values.flat_values if isinstance(self.values, RaggedTensorValue) else self.values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of all ragged dimensions, the outermost first."""
        inner = self.values.nested_row_splits if isinstance(self.values, RaggedTensorValue) else ()
        return (self.row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return len(self.nested_row_splits)

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the values."""
        return self.values.dtype

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The sizes; None for a ragged dimension."""
        return len(self.row_splits) - 1, None, *self.values.shape[1:]

    def to_list(self) -> list[Any]:
        """The rows as nested lists."""
        inner = self.values.to_list() if isinstance(self.values, RaggedTensorValue) else self.values.tolist()
        return [inner[start:stop] for start, stop in zip(self.row_splits[:-1], self.row_splits[1:], strict=True)]

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})"
