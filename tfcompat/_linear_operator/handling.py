"""Functions of tensors that also take linear operators: `tf.matmul(operator, x)` is `operator.matmul(x)`."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.dispatch import register
from tfcompat._linear_operator.operator import LinearOperator
from tfcompat._ops.array.layout import adjoint as adjoint_of
from tfcompat._ops.linalg import contraction, diagonal, inverse


def adjoint(matrix: LinearOperator, name: str | None = None) -> Any:
    """`tf.linalg.adjoint` of an operator: an operator."""
    del name
    return matrix.adjoint()


def cholesky(input: LinearOperator, name: str | None = None) -> Any:
    """`tf.linalg.cholesky` of an operator: an operator."""
    del name
    return input.cholesky()


def diag_part(
    input: LinearOperator,
    name: str = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """`tf.linalg.diag_part` of an operator: its main diagonal, since TensorFlow ignores the other arguments."""
    del name, k, padding_value, align
    return input.diag_part()


def det(input: LinearOperator, name: str | None = None) -> Any:
    """`tf.linalg.det` of an operator."""
    del name
    return input.determinant()


def logdet(matrix: LinearOperator, name: str | None = None) -> Any:
    """`tf.linalg.logdet` of an operator. Raises ValueError if it is not known to be positive definite, self-adjoint."""
    del name
    if not (matrix.is_positive_definite and matrix.is_self_adjoint):
        raise ValueError("tf.linalg.logdet: matrix must have the hints is_positive_definite and is_self_adjoint.")
    return matrix.log_abs_determinant()


def inv(input: LinearOperator, adjoint: bool = False, name: str | None = None) -> Any:
    """`tf.linalg.inv` of an operator: an operator."""
    del name
    inverse = input.inverse()
    return inverse.adjoint() if adjoint else inverse


def trace(x: LinearOperator, name: str | None = None) -> Any:
    """`tf.linalg.trace` of an operator."""
    del name
    return x.trace()


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    """`tf.matmul` of an operator and a tensor, or of two operators, whose product is an operator.

    Raises: ValueError for transposed or sparse factors; NotImplementedError for an `output_type`.
    """
    del grad_a, grad_b, name
    if transpose_a or transpose_b or a_is_sparse or b_is_sparse:
        raise ValueError("tf.matmul: linear operators have no transposed or sparse products; use adjoint_a, adjoint_b.")
    if output_type is not None and output_type != (a if isinstance(a, LinearOperator) else b).dtype:
        raise NotImplementedError("tf.matmul: linear operators have no output_type; cast the product.")
    if isinstance(a, LinearOperator):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    return adjoint_of(b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a))


def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """`tf.linalg.matvec` of an operator and a vector. Raises ValueError for a transposed or sparse operator."""
    del name
    if transpose_a or a_is_sparse or b_is_sparse or not isinstance(a, LinearOperator):
        raise ValueError("tf.linalg.matvec: a must be the operator, neither transposed nor sparse; use adjoint_a.")
    return a.matvec(b, adjoint=adjoint_a)


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """`tf.linalg.solve` with an operator. Raises ValueError if only `rhs` is an operator."""
    del name
    if not isinstance(matrix, LinearOperator):
        raise ValueError("tf.linalg.solve: an operator rhs needs an operator matrix; use tf.matmul with an inverse.")
    return matrix.solve(rhs, adjoint=adjoint)


register(adjoint_of, LinearOperator, adjoint)
register(inverse.cholesky, LinearOperator, cholesky)
register(diagonal.diag_part, LinearOperator, diag_part)
register(inverse.det, LinearOperator, det)
register(inverse.logdet, LinearOperator, logdet)
register(inverse.inv, LinearOperator, inv)
register(contraction.trace, LinearOperator, trace)
register(contraction.matmul, LinearOperator, matmul)
register(contraction.matvec, LinearOperator, matvec)
register(inverse.solve, LinearOperator, solve)
