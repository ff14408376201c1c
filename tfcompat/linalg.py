"""`tf.linalg`: matrices."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._ops.contraction import cross, einsum, matmul, matvec, tensordot, trace
from tfcompat._ops.creation import eye
from tfcompat._ops.layout import matrix_transpose

__all__ = ["cross", "einsum", "eye", "matmul", "matrix_transpose", "matvec", "tensordot", "trace"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
