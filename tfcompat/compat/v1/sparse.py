"""`tf.compat.v1.sparse`: supported names of this namespace of TensorFlow 1."""

import typing as _typing

from tfcompat import SparseTensor
from tfcompat._dropin.absence import absence as _absence
from tfcompat.sparse import (
    bincount,
    cross,
    cross_hashed,
    expand_dims,
    eye,
    fill_empty_rows,
    from_dense,
    mask,
    maximum,
    minimum,
    reorder,
    reset_shape,
    reshape,
    retain,
    slice,
    softmax,
    sparse_dense_matmul,
    to_dense,
    to_indicator,
    transpose,
)
from tfcompat.sparse import (
    sparse_dense_matmul as matmul,
)

__all__ = [
    "SparseTensor",
    "bincount",
    "cross",
    "cross_hashed",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "mask",
    "matmul",
    "maximum",
    "minimum",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "slice",
    "softmax",
    "sparse_dense_matmul",
    "to_dense",
    "to_indicator",
    "transpose",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
