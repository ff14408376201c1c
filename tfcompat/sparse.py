"""`tf.sparse`: tensors that store only their nonzero elements."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._ops.sparse.arithmetic import add, maximum, minimum
from tfcompat._ops.sparse.conversion import eye, from_dense, to_dense, to_indicator
from tfcompat._ops.sparse.counting import bincount
from tfcompat._ops.sparse.crossing import cross, cross_hashed
from tfcompat._ops.sparse.layout import (
    concat,
    expand_dims,
    fill_empty_rows,
    reorder,
    reset_shape,
    reshape,
    retain,
    slice,
    split,
    transpose,
)
from tfcompat._ops.sparse.mapping import map_values, mask
from tfcompat._ops.sparse.product import sampled_addmm, sparse_dense_matmul
from tfcompat._ops.sparse.reduction import reduce_max, reduce_sum, softmax
from tfcompat._ops.sparse.segment import segment_mean, segment_sqrt_n, segment_sum
from tfcompat._ops.sparse.tensor import SparseTensor

__all__ = [
    "SparseTensor",
    "add",
    "bincount",
    "concat",
    "cross",
    "cross_hashed",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "map_values",
    "mask",
    "maximum",
    "minimum",
    "reduce_max",
    "reduce_sum",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "sampled_addmm",
    "segment_mean",
    "segment_sqrt_n",
    "segment_sum",
    "slice",
    "softmax",
    "sparse_dense_matmul",
    "split",
    "to_dense",
    "to_indicator",
    "transpose",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
