"""Sparse matrices in TensorFlow's compressed rows. Libraries multiply sparse matrices by them.

Here they hold the elements, and products are computed densely.
"""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import DType, complex64, complex128, float32, float64, int32, int64
from tfcompat._core.types.shape import TensorShape
from tfcompat._ops.array.creation import ones_like
from tfcompat._ops.array.gathering import gather_nd
from tfcompat._ops.elementwise.complex_number import conj
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold.reduction import reduce_sum
from tfcompat._ops.linalg import contraction
from tfcompat._ops.sparse.conversion import from_dense, to_dense
from tfcompat._ops.sparse.layout import transpose
from tfcompat._ops.sparse.mapping import map_values
from tfcompat._ops.sparse.tensor import SparseTensor

_DTYPES = frozenset((float32, float64, complex64, complex128))


class CSRSparseMatrix:
    """A sparse matrix, or a batch of them.

    Args:
      value: a SparseTensor, or a tensor.
      indices: the places of the elements, if `value` is a tensor; by default those that are not 0.

    Shapes: [m, n] or [b, m, n].
    Dtypes: float32, float64, complex.
    Raises: InvalidArgumentError for another rank or dtype.
    Source: TF 2.21, private `tensorflow.python.ops.linalg.sparse.sparse.CSRSparseMatrix`.
    """

    def __init__(self, value: Any, indices: Any = None, name: str | None = None) -> None:
        del name
        if not isinstance(value, SparseTensor):
            dense = convert_to_tensor(value)
            value = from_dense(dense) if indices is None else _at(dense, convert_to_tensor(indices))
        if value.shape.rank not in (2, 3) or value.dtype not in _DTYPES:
            raise InvalidArgumentError.of(
                "CSRSparseMatrix: value must be a floating or complex matrix, or a batch of them, got "
                f"{value.dtype.name} of shape {value.shape}."
            )
        self._elements = value

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return self._elements.shape

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._elements.dtype

    def nnz(self) -> Tensor:
        """The number of elements of the matrix, or of each matrix."""
        ones = map_values(lambda values: ones_like(values, int32), self._elements)
        return reduce_sum(to_dense(ones), [-2, -1])

    def to_dense(self) -> Tensor:
        """The matrix as a tensor."""
        return to_dense(self._elements)

    def to_sparse_tensor(self) -> SparseTensor:
        """The elements."""
        return self._elements

    def conj(self) -> CSRSparseMatrix:
        """The conjugate."""
        return CSRSparseMatrix(map_values(conj, self._elements))

    def transpose(self) -> CSRSparseMatrix:
        """The transpose of each matrix."""
        order = [1, 0] if self._elements.shape.rank == 2 else [0, 2, 1]
        return CSRSparseMatrix(transpose(self._elements, order))

    def hermitian_transpose(self) -> CSRSparseMatrix:
        """The conjugate of the transpose of each matrix."""
        return self.conj().transpose()


def _at(dense: Tensor, indices: Tensor) -> SparseTensor:
    return SparseTensor(cast(indices, int64), gather_nd(dense, indices), dense.shape)


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Any:
    """The product of two matrices: a CSRSparseMatrix if both are sparse, else a tensor.

    Shapes: [*b, m, k], [*b, k, n] -> [*b, m, n].
    Dtypes: that of both.
    Raises: InvalidArgumentError if shapes don't fit.
    Source: TF 2.21, private `tensorflow.python.ops.linalg.sparse.sparse.matmul`.
    """
    del name
    are_sparse = isinstance(a, CSRSparseMatrix) and isinstance(b, CSRSparseMatrix)
    left, right = (x.to_dense() if isinstance(x, CSRSparseMatrix) else x for x in (a, b))
    product = contraction.matmul(left, right, transpose_a, transpose_b, adjoint_a, adjoint_b)
    return CSRSparseMatrix(product) if are_sparse else product


def sparse_tensor_to_csr_sparse_matrix(
    indices: Any, values: Any, dense_shape: Any, name: Any = None
) -> CSRSparseMatrix:
    """The matrix, or batch of matrices, with `values` at `indices`.

    Source: TF 2.21 `tf.raw_ops.SparseTensorToCSRSparseMatrix`.
    """
    return CSRSparseMatrix(SparseTensor(indices, values, dense_shape), name=name)


def sparse_matrix_sparse_mat_mul(a: CSRSparseMatrix, b: CSRSparseMatrix, type: Any, name: Any = None) -> Any:
    """The product of `a` and `b`. Elements of 0 are left out.

    Source: TF 2.21 `tf.raw_ops.SparseMatrixSparseMatMul`.
    """
    del type
    return matmul(a, b, name=name)


def csr_sparse_matrix_to_sparse_tensor(sparse_matrix: CSRSparseMatrix, type: Any, name: Any = None) -> SparseTensor:
    """The elements of a matrix, or of a batch of matrices.

    Source: TF 2.21 `tf.raw_ops.CSRSparseMatrixToSparseTensor`.
    """
    del type, name
    return sparse_matrix.to_sparse_tensor()
