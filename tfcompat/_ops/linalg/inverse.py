"""Inverses, linear systems and determinants, for matrices and batches of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.declare import Array, Check, Number, op
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import COMPLEX, DENSE, FLOATING, bfloat16, bool_, float16, float32, float64
from tfcompat._jaxpr.size import broadcast_shapes

SOLVABLE = COMPLEX | frozenset((float32, float64))


class LogMatrixDeterminant(NamedTuple):
    """The result of `tf.linalg.slogdet`."""

    sign: Any
    log_abs_determinant: Any


def require_matrices(name: str, matrix: Any, is_square: bool) -> None:
    """Raises InvalidArgumentError unless the aval `matrix` has rank 2 or more and, if required, is square."""
    if matrix.ndim < 2:
        raise InvalidArgumentError.of(f"tf.{name}: the matrix must have rank 2 or more, got shape {matrix.shape}.")
    if is_square and matrix.shape[-1] != matrix.shape[-2]:
        raise InvalidArgumentError.of(f"tf.{name}: the matrix must be square, got shape {matrix.shape}.")


def square(name: str) -> Callable[..., None]:
    """The validation of an op whose first tensor holds square matrices."""

    def validate(**arguments: Any) -> None:
        require_matrices(name, next(iter(arguments.values())), is_square=True)

    return validate


def _system(name: str, broadcasts: bool) -> Callable[..., None]:
    """Checks the shapes of a linear system; the matrix has one of two parameter names."""

    def validate(rhs: Any, matrix: Any = None, chol: Any = None, **_: Any) -> None:
        left = chol if matrix is None else matrix
        require_matrices(name, left, is_square=True)
        if rhs.ndim < 2 or rhs.shape[-2] != left.shape[-1]:
            raise InvalidArgumentError.of(
                f"tf.{name}: rhs must be a matrix with as many rows as the other matrix, got shapes {left.shape} and "
                f"{rhs.shape}."
            )
        if not broadcasts and left.shape[:-2] != rhs.shape[:-2]:
            raise InvalidArgumentError.of(
                f"tf.{name}: matrix and rhs must have the same batch dimensions, got shapes {left.shape} and "
                f"{rhs.shape}."
            )

    return validate


def adjoint(matrix: Array) -> Array:
    """The conjugate transposes of the matrices."""
    return jnp.conj(jnp.swapaxes(matrix, -1, -2))


def is_singular(matrix: Array) -> Any:
    """Whether elimination finds a pivot of 0, or the first element is nan, for each matrix of a batch."""
    corner = matrix[..., :1, :1]
    is_undefined = (corner != corner).any((-2, -1))
    if not isinstance(matrix, np.ndarray):
        pivots = jnp.diagonal(lax.linalg.lu(matrix)[0], axis1=-2, axis2=-1)
        return is_undefined | jnp.any(pivots == 0, axis=-1)
    batch = matrix.shape[:-2]
    return is_undefined | np.array([_fails_to_invert(matrix[k]) for k in np.ndindex(batch)], bool).reshape(batch)


def _fails_to_invert(matrix: np.ndarray) -> bool:
    try:
        np.linalg.inv(matrix.astype(np.float32) if matrix.dtype.itemsize == 2 else matrix)
    except np.linalg.LinAlgError:
        return True
    return False


@op(
    "linalg.inv",
    dtypes=SOLVABLE | {float16},
    validate=square("linalg.inv"),
    check=Check(("input",), lambda input, **_: is_singular(input), "Input is not invertible"),
)
def inv(input: Array, adjoint: bool = False) -> Array:
    """The inverses of the matrices `input`, or with `adjoint` their conjugate transposes.

    Shapes: [*batch, n, n] -> same.
    Dtypes: float16, float32, float64, complex -> same dtype.
    Raises: InvalidArgumentError if a matrix isn't square or not invertible.
    Source: TF 2.21 `tf.linalg.inv`.
    """
    wide = input.astype(jnp.float32) if input.dtype.itemsize == 2 else input
    inverse = jnp.linalg.inv(wide).astype(input.dtype)
    return jnp.conj(jnp.swapaxes(inverse, -1, -2)) if adjoint else inverse


@op(
    "linalg.solve",
    dtypes=SOLVABLE,
    validate=_system("linalg.solve", broadcasts=False),
    check=Check(("matrix",), lambda matrix, **_: is_singular(matrix), "Input matrix is not invertible"),
)
def solve(matrix: Array, rhs: Array, adjoint: bool = False) -> Array:
    """The solutions x of `matrix` x = `rhs`, or with `adjoint` those for the conjugate transpose of `matrix`.

    Shapes: [*batch, n, n], [*batch, n, k] -> [*batch, n, k].
    Dtypes: float32, float64, complex -> same dtype.
    Raises: InvalidArgumentError if shapes don't fit or a matrix isn't invertible.
    Source: TF 2.21 `tf.linalg.solve`.
    """
    return jnp.linalg.solve(jnp.conj(jnp.swapaxes(matrix, -1, -2)) if adjoint else matrix, rhs)


@op(
    "linalg.triangular_solve",
    dtypes=SOLVABLE | {bfloat16},
    validate=_system("linalg.triangular_solve", broadcasts=True),
)
def triangular_solve(matrix: Array, rhs: Array, lower: bool = True, adjoint: bool = False) -> Array:
    """The solutions x of `matrix` x = `rhs`, using only the lower (or upper) triangle of `matrix`.

    Shapes: [*batch, n, n], [*batch, n, k] -> [*batch, n, k]; batches broadcast.
    Dtypes: float32, float64, complex -> same dtype.
    Raises: InvalidArgumentError if shapes don't fit. A 0 on the diagonal gives infinities.
    Source: TF 2.21 `tf.linalg.triangular_solve`.
    """
    return triangular(matrix, rhs, lower, adjoint)


def triangular(matrix: Array, rhs: Array, lower: bool, is_adjoint: bool, has_ones: bool = False) -> Array:
    """The solution of a triangular system, with broadcast batches; the diagonal may be assumed to be ones."""
    batch = broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    left = jnp.broadcast_to(matrix, (*batch, *matrix.shape[-2:]))
    right = jnp.broadcast_to(rhs, (*batch, *rhs.shape[-2:]))
    return lax.linalg.triangular_solve(
        left,
        right,
        left_side=True,
        lower=lower,
        transpose_a=is_adjoint,
        conjugate_a=is_adjoint,
        unit_diagonal=has_ones,
    )


@jax.custom_jvp
def _mirrored(matrix: Array) -> Array:
    """The Hermitian matrix with the lower triangle of `matrix`; TensorFlow spreads its gradient over both triangles."""
    return jnp.tril(matrix) + adjoint(jnp.tril(matrix, -1))


@_mirrored.defjvp
def _mirrored_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    return _mirrored(primals[0]), (tangents[0] + adjoint(tangents[0])) / 2


def _factor(matrix: Array) -> Array:
    return lax.linalg.cholesky(_mirrored(matrix), symmetrize_input=False)


@op("linalg.cholesky", dtypes=SOLVABLE, validate=square("linalg.cholesky"))
def cholesky(input: Array) -> Array:
    """The lower triangular L with L L^H = `input`, using its lower triangle; nan where it isn't positive definite.

    Shapes: [*batch, n, n] -> same.
    Dtypes: float32, float64, complex -> same dtype.
    Gradient: symmetric.
    Raises: InvalidArgumentError if a matrix isn't square.
    Source: TF 2.21 `tf.linalg.cholesky`.
    """
    return _factor(input)


@op("linalg.cholesky_solve", dtypes=SOLVABLE, validate=_system("linalg.cholesky_solve", broadcasts=True))
def cholesky_solve(chol: Array, rhs: Array) -> Array:
    """The solutions x of L L^H x = `rhs`, where L is the lower triangle of `chol`.

    Shapes: [*batch, n, n], [*batch, n, k] -> [*batch, n, k]; batches broadcast.
    Dtypes: float32, float64, complex -> same dtype.
    Raises: InvalidArgumentError if shapes don't fit.
    Source: TF 2.21 `tf.linalg.cholesky_solve`.
    """
    return triangular(chol, triangular(chol, rhs, True, False), True, True)


def _relative_change(matrix: Array, change: Array) -> Array:
    """The derivative of the logarithm of the determinant."""
    return jnp.trace(jnp.linalg.solve(matrix, change), axis1=-2, axis2=-1)


@jax.custom_jvp
def _det(matrix: Array) -> Array:
    return jnp.linalg.det(matrix)


@_det.defjvp
def _det_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    found = _det(primals[0])
    # TensorFlow's gradient of a complex determinant lacks a conjugate.
    return found, jnp.conj(found) * _relative_change(primals[0], tangents[0])


@op("linalg.det", dtypes=SOLVABLE, validate=square("linalg.det"))
def det(input: Array) -> Array:
    """The determinants of the matrices `input`.

    Shapes: [*batch, n, n] -> [*batch].
    Dtypes: float32, float64, complex -> same dtype.
    Raises: InvalidArgumentError if a matrix isn't square.
    Source: TF 2.21 `tf.linalg.det`.
    """
    # JAX's gradient of a real determinant is also right for singular matrices, where TensorFlow raises an error.
    is_complex = jnp.issubdtype(input.dtype, jnp.complexfloating)
    return _det(input) if is_complex or input.shape[-1] <= 1 else jnp.linalg.det(input)


@jax.custom_jvp
def _slogdet(matrix: Array) -> tuple[Array, Array]:
    sign, logarithm = jnp.linalg.slogdet(matrix)
    sign = jnp.where(jnp.isnan(logarithm), jnp.nan, sign)
    return sign, logarithm.astype(matrix.dtype)


@_slogdet.defjvp
def _slogdet_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Any, Any]:
    sign, logarithm = _slogdet(primals[0])
    # TensorFlow has no gradient for the sign, not even that of a complex matrix.
    return (sign, logarithm), (jnp.zeros_like(sign), _relative_change(primals[0], tangents[0]))


@op(
    "linalg.slogdet",
    dtypes=SOLVABLE,
    validate=square("linalg.slogdet"),
    structure=LogMatrixDeterminant._make,
    flat=True,
)
def slogdet(input: Array) -> tuple[Array, Array]:
    """The signs of the determinants of the matrices `input`, and the logarithms of their absolute values.

    Shapes: [*batch, n, n] -> [*batch] twice.
    Dtypes: float32, float64, complex -> same dtype twice.
    Raises: InvalidArgumentError if a matrix isn't square.
    Source: TF 2.21 `tf.linalg.slogdet`.
    """
    return _slogdet(input)


@op("linalg.logdet", dtypes=SOLVABLE, validate=square("linalg.logdet"))
def logdet(matrix: Array) -> Array:
    """The logarithms of the determinants of the positive definite matrices `matrix`; nan for other matrices.

    Shapes: [*batch, n, n] -> [*batch].
    Dtypes: float32, float64, complex -> same dtype; real for complex ones.
    Raises: InvalidArgumentError if a matrix isn't square.
    Source: TF 2.21 `tf.linalg.logdet`.
    """
    return 2 * jnp.sum(jnp.log(jnp.real(jnp.diagonal(_factor(matrix), axis1=-2, axis2=-1))), axis=-1)


def _validate_lstsq(matrix: Any, rhs: Any, **_: Any) -> None:
    if matrix.dtype is bool_:
        raise TypeError("tf.linalg.lstsq: matrix must be floating or complex, got bool.")
    require_matrices("linalg.lstsq", matrix, is_square=False)
    if rhs.ndim < 2 or rhs.shape[-2] != matrix.shape[-2]:
        raise InvalidArgumentError.of(
            f"tf.linalg.lstsq: rhs must have as many rows as matrix, got shapes {matrix.shape} and {rhs.shape}."
        )


@op("linalg.lstsq", dtypes=SOLVABLE | {bool_}, validate=_validate_lstsq)
def lstsq(matrix: Array, rhs: Array, l2_regularizer: Number = 0.0, fast: bool = True) -> Array:
    """The x that minimises |`matrix` x - `rhs`|^2 + `l2_regularizer` |x|^2; the shortest if there are several.

    With `fast`, by the normal equations; otherwise by singular values, which ignores `l2_regularizer`.

    Shapes: [*batch, m, n], [*batch, m, k] -> [*batch, n, k].
    Dtypes: float32, float64, complex -> same dtype.
    Raises: InvalidArgumentError if shapes don't fit.
    Source: TF 2.21 `tf.linalg.lstsq`.
    """
    if not fast:
        return jnp.matmul(jnp.linalg.pinv(matrix, rtol=jnp.finfo(matrix.dtype).eps), rhs)
    rows, columns = matrix.shape[-2:]
    transposed = adjoint(matrix)
    product = jnp.matmul(transposed, matrix) if rows >= columns else jnp.matmul(matrix, transposed)
    ridge = jnp.asarray(l2_regularizer, matrix.dtype) * jnp.eye(min(rows, columns), dtype=matrix.dtype)
    factor = _factor(product + ridge)
    right = jnp.matmul(transposed, rhs) if rows >= columns else rhs
    solution = triangular(factor, triangular(factor, right, True, False), True, True)
    return solution if rows >= columns else jnp.matmul(transposed, solution)


def _validate_expm(input: Any) -> None:
    if input.dtype not in SOLVABLE:
        known = input.dtype in FLOATING or (input.dtype.is_integer and not input.dtype.is_unsigned)
        refusal = ValueError if known and input.dtype is not bool_ else InvalidArgumentError.of
        raise refusal(f"tf.linalg.expm: input must be float32, float64 or complex, got {input.dtype.name}.")
    require_matrices("linalg.expm", input, is_square=True)


@op("linalg.expm", dtypes=DENSE, validate=_validate_expm)
def expm(input: Array) -> Array:
    """The exponentials of the matrices `input`.

    Shapes: [*batch, n, n] -> same.
    Dtypes: float32, float64, complex -> same dtype.
    Raises: InvalidArgumentError if a matrix isn't square; ValueError for integers.
    Source: TF 2.21 `tf.linalg.expm`.
    """
    return jax.scipy.linalg.expm(input, max_squarings=64)
