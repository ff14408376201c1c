"""Kernels of matrices and transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._ops.array.creation import zeros
from tfcompat._ops.array.layout import squeeze
from tfcompat._ops.linalg import banded, contraction, decomposition, inverse, lu, matrix_function
from tfcompat._ops.signal import fourier
from tfcompat._ops.sparse.product import sparse_dense_matmul
from tfcompat._ops.sparse.tensor import SparseTensor
from tfcompat._raw_ops.kernel import kernel


def _svd(input: Any, compute_uv: bool, full_matrices: bool) -> Any:
    """Singular values and vectors; without `compute_uv` the values, and scalars."""
    found = decomposition.svd(input, full_matrices, compute_uv)
    return found if compute_uv else (found, zeros([]), zeros([]))


def _values_alone(values: Callable[..., Any], both: Callable[..., Any]) -> Callable[..., Any]:
    """Eigenvalues and vectors; without `compute_v` the values, and a scalar."""

    def decomposed(input: Any, compute_v: bool) -> Any:
        return both(input) if compute_v else (values(input), zeros([]))

    return decomposed


def _sparse_product(a_indices: Any, a_values: Any, a_shape: Any, b: Any, adjoint_a: bool, adjoint_b: bool) -> Any:
    """The product of the sparse matrix of `a_indices`, `a_values` and `a_shape` and the dense one `b`."""
    return sparse_dense_matmul(SparseTensor(a_indices, a_values, a_shape), b, adjoint_a, adjoint_b)


def _tridiagonal(superdiag: Any, maindiag: Any, subdiag: Any, rhs: Any) -> Any:
    """The product of the matrix of three diagonals and `rhs`."""
    lines = [squeeze(convert_to_tensor(line), -2) for line in (superdiag, maindiag, subdiag)]
    return banded.tridiagonal_matmul(lines, rhs, diagonals_format="sequence")


def _einsum(inputs: Any, equation: str) -> Any:
    return contraction.einsum(equation, *inputs)


BandedTriangularSolve = kernel(
    "BandedTriangularSolve", banded.banded_triangular_solve, "matrix:bands rhs lower=True adjoint=False"
)
Cholesky = kernel("Cholesky", inverse.cholesky)
Einsum = kernel("Einsum", _einsum)
LogMatrixDeterminant = kernel("LogMatrixDeterminant", inverse.slogdet, outputs="sign log_abs_determinant")
Lu = kernel("Lu", lu.lu, outputs="lu p")
MatrixDeterminant = kernel("MatrixDeterminant", inverse.det)
MatrixInverse = kernel("MatrixInverse", inverse.inv)
MatrixLogarithm = kernel("MatrixLogarithm", matrix_function.logm)
MatrixSolve = kernel("MatrixSolve", inverse.solve)
MatrixSquareRoot = kernel("MatrixSquareRoot", matrix_function.sqrtm)
MatrixTriangularSolve = kernel("MatrixTriangularSolve", inverse.triangular_solve)
Qr = kernel("Qr", decomposition.qr, outputs="q r")
SelfAdjointEigV2 = kernel(
    "SelfAdjointEigV2",
    _values_alone(decomposition.eigvalsh, decomposition.eigh),
    "input compute_v=True",
    outputs="e v",
)
SparseTensorDenseMatMul = kernel(
    "SparseTensorDenseMatMul",
    _sparse_product,
    "a_indices a_values a_shape b adjoint_a=False adjoint_b=False",
)
Svd = kernel("Svd", _svd, "input compute_uv=True full_matrices=False", outputs="s u v")
TridiagonalMatMul = kernel("TridiagonalMatMul", _tridiagonal)
TridiagonalSolve = kernel(
    "TridiagonalSolve", banded.tridiagonal_solve, "diagonals rhs partial_pivoting=True perturb_singular=False"
)

FFT = kernel("FFT", fourier.fft)
FFT2D = kernel("FFT2D", fourier.fft2d)
FFT3D = kernel("FFT3D", fourier.fft3d)
IFFT = kernel("IFFT", fourier.ifft)
IFFT2D = kernel("IFFT2D", fourier.ifft2d)
IFFT3D = kernel("IFFT3D", fourier.ifft3d)
IRFFT = kernel("IRFFT", fourier.irfft, "input:input_tensor fft_length Treal:>=tf.float32")
IRFFT2D = kernel("IRFFT2D", fourier.irfft2d, "input:input_tensor fft_length Treal:>=tf.float32")
IRFFT3D = kernel("IRFFT3D", fourier.irfft3d, "input:input_tensor fft_length Treal:>=tf.float32")
RFFT = kernel("RFFT", fourier.rfft, "input:input_tensor fft_length Tcomplex:>=tf.complex64")
RFFT2D = kernel("RFFT2D", fourier.rfft2d, "input:input_tensor fft_length Tcomplex:>=tf.complex64")
RFFT3D = kernel("RFFT3D", fourier.rfft3d, "input:input_tensor fft_length Tcomplex:>=tf.complex64")
