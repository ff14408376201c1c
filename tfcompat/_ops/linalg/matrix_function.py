"""Square roots and logarithms of matrices, by Schur decomposition."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.declare import Array, op
from tfcompat._core.types.dtype import COMPLEX
from tfcompat._ops.linalg.inverse import SOLVABLE, square

# The logarithm of a matrix this near to 1 is the integral of a rational function; the quadrature uses _PLACES points.
_NEAR = 0.5
_PLACES = 16
_MOST_ROOTS = 100


@jax.custom_jvp
def _root(matrix: Array) -> Array:
    """The square root of one matrix; nan if the matrix is real and its root is not."""
    root = jax.scipy.linalg.sqrtm(matrix)
    if jnp.iscomplexobj(matrix):
        return root
    size = jnp.max(jnp.abs(root))
    is_real = jnp.max(jnp.abs(jnp.imag(root))) <= size * np.sqrt(jnp.finfo(matrix.dtype).eps)
    return jnp.where(is_real, jnp.real(root), jnp.nan).astype(matrix.dtype)


@_root.defjvp
def _root_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    root = _root(primals[0])
    # The tangent x of the root solves root x + x root = tangent, a system of n^2 equations. TensorFlow's gradient of a
    # complex root lacks a conjugate.
    one, factor = jnp.eye(root.shape[0], dtype=root.dtype), jnp.conj(root)
    system = jnp.kron(factor, one) + jnp.kron(one, factor.T)
    return root, jnp.linalg.solve(system, tangents[0].reshape(-1)).reshape(root.shape)


def _each(function: Any, matrix: Array) -> Array:
    """`function` of each matrix of a batch."""
    if not matrix.size:
        return matrix
    flat = matrix.reshape(-1, *matrix.shape[-2:])
    return jax.vmap(function)(flat).reshape(matrix.shape)


@op("linalg.sqrtm", dtypes=SOLVABLE, validate=square("linalg.sqrtm"))
def sqrtm(input: Array) -> Array:
    """The matrices whose squares are the matrices `input`; nan for a real matrix with a negative eigenvalue.

    Shapes: [*batch, n, n] -> same.
    Dtypes: float32, float64, complex -> same dtype.
    Raises: InvalidArgumentError if a matrix isn't square.
    Source: TF 2.21 `tf.linalg.sqrtm`.
    """
    return _each(_root, input)


def _logarithm(matrix: Array) -> Array:
    """The logarithm of one complex matrix: that of an iterated square root near 1, doubled once for each root."""
    one = jnp.eye(matrix.shape[0], dtype=matrix.dtype)

    def is_far(state: tuple[Array, Array]) -> Array:
        return (jnp.max(jnp.sum(jnp.abs(state[0] - one), 0)) > _NEAR) & (state[1] < _MOST_ROOTS)

    def rooted(state: tuple[Array, Array]) -> tuple[Array, Array]:
        return jax.scipy.linalg.sqrtm(state[0]), state[1] + 1

    near, count = lax.while_loop(is_far, rooted, (matrix, jnp.zeros((), jnp.int32)))
    change = near - one
    places, weights = np.polynomial.legendre.leggauss(_PLACES)
    parts = [
        weight / 2 * jnp.linalg.solve(one + (1 + place) / 2 * change, change)
        for place, weight in zip(places.tolist(), weights.tolist(), strict=True)
    ]
    return sum(parts[1:], parts[0]) * 2.0**count


@op(
    "linalg.logm",
    dtypes=COMPLEX,
    validate=square("linalg.logm"),
    no_gradient="MatrixLogarithm",
)
def logm(input: Array) -> Array:
    """The matrices whose exponentials are the matrices `input`.

    Shapes: [*batch, n, n] -> same.
    Dtypes: complex -> same dtype.
    Gradient: LookupError, as in TensorFlow.
    Raises: InvalidArgumentError if a matrix isn't square or not complex.
    Source: TF 2.21 `tf.linalg.logm`; Higham, Functions of matrices (2008), 11.5.
    """
    wide = _each(_logarithm, input.astype(jnp.complex128))
    return wide.astype(input.dtype)
