"""The generated function that libraries sort the elements of sparse tensors by."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfcompat._core.structure.tensor import Tensor
from tfcompat._ops.sparse.layout import reorder
from tfcompat._ops.sparse.tensor import SparseTensor


class SparseReorder(NamedTuple):
    """The places of the elements in the order of rows, and the elements."""

    output_indices: Tensor
    output_values: Tensor


def sparse_reorder(input_indices: Any, input_values: Any, input_shape: Any, name: str | None = None) -> SparseReorder:
    """The elements at `input_indices` of a sparse tensor in the order of rows.

    Shapes: [n, rank], [n], [rank] -> [n, rank], [n].
    Dtypes: int64, any, int64 -> int64, that of the values.
    Source: TF 2.21 `tf.raw_ops.SparseReorder`.
    """
    ordered = reorder(SparseTensor(input_indices, input_values, input_shape), name=name)
    return SparseReorder(ordered.indices, ordered.values)
