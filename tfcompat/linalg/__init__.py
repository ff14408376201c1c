"""`tf.linalg`: matrices."""

import sys as _sys
import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish
from tfcompat._linear_operator.block import LinearOperatorBlockDiag, LinearOperatorKronecker
from tfcompat._linear_operator.block_triangular import LinearOperatorBlockLowerTriangular
from tfcompat._linear_operator.circulant import (
    LinearOperatorCirculant,
    LinearOperatorCirculant2D,
    LinearOperatorCirculant3D,
)
from tfcompat._linear_operator.dense import LinearOperatorFullMatrix
from tfcompat._linear_operator.derived import (
    LinearOperatorAdjoint,
    LinearOperatorComposition,
    LinearOperatorInversion,
    LinearOperatorLowerTriangular,
)
from tfcompat._linear_operator.diagonal import (
    LinearOperatorDiag,
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from tfcompat._linear_operator.low_rank import LinearOperatorLowRankUpdate
from tfcompat._linear_operator.operator import LinearOperator
from tfcompat._linear_operator.structured import (
    LinearOperatorHouseholder,
    LinearOperatorPermutation,
    LinearOperatorToeplitz,
    LinearOperatorTridiag,
)
from tfcompat._ops.array.creation import eye
from tfcompat._ops.array.layout import adjoint, matrix_transpose
from tfcompat._ops.linalg.banded import banded_triangular_solve, eigh_tridiagonal, tridiagonal_matmul, tridiagonal_solve
from tfcompat._ops.linalg.contraction import cross, einsum, matmul, matvec, tensordot, trace
from tfcompat._ops.linalg.decomposition import eig, eigh, eigvals, eigvalsh, matrix_rank, pinv, qr, svd
from tfcompat._ops.linalg.diagonal import band_part, diag, diag_part, set_diag, tensor_diag, tensor_diag_part
from tfcompat._ops.linalg.inverse import (
    cholesky,
    cholesky_solve,
    det,
    expm,
    inv,
    logdet,
    lstsq,
    slogdet,
    solve,
    triangular_solve,
)
from tfcompat._ops.linalg.lu import lu, lu_matrix_inverse, lu_reconstruct, lu_solve
from tfcompat._ops.linalg.matrix_function import logm, sqrtm
from tfcompat._ops.linalg.norm import l2_normalize, norm, normalize
from tfcompat._ops.network.clip import global_norm
from tfcompat.linalg import experimental

__all__ = [
    "LinearOperator",
    "LinearOperatorAdjoint",
    "LinearOperatorBlockDiag",
    "LinearOperatorBlockLowerTriangular",
    "LinearOperatorCirculant",
    "LinearOperatorCirculant2D",
    "LinearOperatorCirculant3D",
    "LinearOperatorComposition",
    "LinearOperatorDiag",
    "LinearOperatorFullMatrix",
    "LinearOperatorHouseholder",
    "LinearOperatorIdentity",
    "LinearOperatorInversion",
    "LinearOperatorKronecker",
    "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular",
    "LinearOperatorPermutation",
    "LinearOperatorScaledIdentity",
    "LinearOperatorToeplitz",
    "LinearOperatorTridiag",
    "LinearOperatorZeros",
    "adjoint",
    "band_part",
    "banded_triangular_solve",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eig",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvalsh",
    "einsum",
    "experimental",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "l2_normalize",
    "logdet",
    "logm",
    "lstsq",
    "lu",
    "lu_matrix_inverse",
    "lu_reconstruct",
    "lu_solve",
    "matmul",
    "matrix_rank",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "triangular_solve",
    "tridiagonal_matmul",
    "tridiagonal_solve",
]

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
