"""Products of sparse matrices, by the functions that TensorFlow has for matrices in compressed rows."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfcompat._ops.linalg.contraction import matmul
from tfcompat._ops.sparse.conversion import from_dense, to_dense
from tfcompat._ops.sparse.tensor import SparseTensor


class CsrMatrix(NamedTuple):
    """A sparse matrix, or a batch of them.

    Attributes:
      elements: its elements.
    """

    elements: SparseTensor


def sparse_tensor_to_csr_sparse_matrix(indices: Any, values: Any, dense_shape: Any, name: Any = None) -> CsrMatrix:
    """The matrix, or batch of matrices, with `values` at `indices`.

    Source: TF 2.21 `tf.raw_ops.SparseTensorToCSRSparseMatrix`.
    """
    del name
    return CsrMatrix(SparseTensor(indices, values, dense_shape))


def sparse_matrix_sparse_mat_mul(a: CsrMatrix, b: CsrMatrix, type: Any, name: Any = None) -> CsrMatrix:
    """The product of `a` and `b`; it is computed densely, and elements of 0 are left out.

    Source: TF 2.21 `tf.raw_ops.SparseMatrixSparseMatMul`.
    """
    del type, name
    return CsrMatrix(from_dense(matmul(to_dense(a.elements), to_dense(b.elements))))


def csr_sparse_matrix_to_sparse_tensor(sparse_matrix: CsrMatrix, type: Any, name: Any = None) -> SparseTensor:
    """The elements of a matrix, or of a batch of matrices.

    Source: TF 2.21 `tf.raw_ops.CSRSparseMatrixToSparseTensor`.
    """
    del type, name
    return sparse_matrix.elements
