"""`tf.linalg`: matrices."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._ops.clip import global_norm
from tfcompat._ops.contraction import cross, einsum, matmul, matvec, tensordot, trace
from tfcompat._ops.creation import eye
from tfcompat._ops.diagonal import band_part, diag, diag_part, set_diag, tensor_diag, tensor_diag_part
from tfcompat._ops.layout import matrix_transpose
from tfcompat._ops.norm import l2_normalize, norm, normalize

__all__ = [
    "band_part",
    "cross",
    "diag",
    "diag_part",
    "einsum",
    "eye",
    "global_norm",
    "l2_normalize",
    "matmul",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "set_diag",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
