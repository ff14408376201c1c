"""Matrix decompositions: QR, singular values, eigenvalues, and functions based on them.

The signs (phases) of singular vectors and eigenvectors are arbitrary, and may differ from TensorFlow's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, Number, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.types.dtype import FLOATING, float16, float32, float64
from tfcompat._ops.derivative import with_derivative
from tfcompat._ops.linalg.inverse import SOLVABLE, adjoint, require_matrices, square

_REAL_SOLVABLE = frozenset((float32, float64))


class Qr(NamedTuple):
    """The result of `tf.linalg.qr`."""

    q: Any
    r: Any


def _validate_qr(input: Any, full_matrices: bool) -> None:
    del full_matrices
    require_matrices("linalg.qr", input, is_square=False)


@op("linalg.qr", dtypes=SOLVABLE | {float16}, validate=_validate_qr, structure=Qr._make)
def qr(input: Array, full_matrices: bool = False) -> tuple[Array, Array]:
    """The factors of `input` = q r, where q has orthonormal columns and r is upper triangular.

    Shapes: [*batch, m, n] -> [*batch, m, k], [*batch, k, n]; k is min(m, n), or m with `full_matrices`.
    Dtypes: float16, float32, float64, complex -> same dtype twice.
    Raises: InvalidArgumentError if the rank is below 2.
    Source: TF 2.21 `tf.linalg.qr`.
    """
    wide = input.astype(jnp.float32) if input.dtype.itemsize == 2 else input
    q, r = jnp.linalg.qr(wide, mode="complete" if full_matrices else "reduced")
    return q.astype(input.dtype), r.astype(input.dtype)


@dispatched
def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """The singular values s of the matrices `tensor`, with `compute_uv` also u and v in `tensor` = u diag(s) v^H.

    Shapes: [*batch, m, n] -> [*batch, k], [*batch, m, k], [*batch, n, k] with k = min(m, n); with `full_matrices`
      [*batch, m, m] and [*batch, n, n].
    Dtypes: float32, float64, complex -> real s, same dtype u and v.
    Raises: InvalidArgumentError if the rank is below 2.
    Source: TF 2.21 `tf.linalg.svd`.
    """
    del name
    if compute_uv:
        return _svd(tensor, bool(full_matrices))
    return _singular_values(tensor)


def _validate_svd(tensor: Any, full_matrices: bool = False) -> None:
    del full_matrices
    require_matrices("linalg.svd", tensor, is_square=False)


def _is_infinite(tensor: Array) -> Any:
    """Whether a matrix has an element that is not finite, for each matrix."""
    return (~(abs(tensor) < np.inf)).any((-2, -1))


def _finite_or_nan(matrix: Array) -> Array:
    """`matrix`, filled with nan where an element isn't finite, so that results are nan."""
    return jnp.where(_is_infinite(matrix)[..., None, None], jnp.nan, matrix)


def _gaps(values: Array) -> Array:
    """The reciprocals of the differences of `values`, 0 where they are 0; element i, j is that of j minus i."""
    is_same = np.eye(values.shape[-1], dtype=bool)
    differences = jnp.where(is_same, 1, values[..., None, :] - values[..., :, None])
    return jnp.where(is_same, 0, differences / (differences * differences + 1e-20))


def _diagonal(matrix: Array) -> Array:
    return jnp.diagonal(matrix, axis1=-2, axis2=-1)


@jax.custom_jvp
def _thin_svd(matrix: Array) -> tuple[Array, Array, Array]:
    return tuple(jnp.linalg.svd(matrix, full_matrices=False))


@_thin_svd.defjvp
def _thin_svd_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Any, Any]:
    """Vectors of equal singular values do not turn within their space, where JAX's derivative is nan."""
    u, s, vh = found = _thin_svd(*primals)
    (change,) = tangents
    core = adjoint(u) @ change @ adjoint(vh)
    row = s[..., None, :].astype(core.dtype)
    gaps = _gaps(s * s).astype(core.dtype)
    turn_u = gaps * (core * row + jnp.swapaxes(row, -1, -2) * adjoint(core))
    turn_v = gaps * (jnp.swapaxes(row, -1, -2) * core + adjoint(core) * row)
    inverse = row / (row * row + 1e-20)
    if jnp.iscomplexobj(core):
        turn_u += (core - adjoint(core)) / 2 * inverse * np.eye(core.shape[-1])
    outer_u = (change @ adjoint(vh) - u @ core) * inverse
    outer_v = (adjoint(change) @ u - adjoint(vh) @ adjoint(core)) * inverse
    moved_v = adjoint(vh) @ turn_v + outer_v
    return found, (u @ turn_u + outer_u, jnp.real(_diagonal(core)), adjoint(moved_v))


@op("linalg.svd", dtypes=SOLVABLE, validate=_validate_svd, structure=tuple)
def _svd(tensor: Array, full_matrices: bool) -> tuple[Array, Array, Array]:
    """`svd` with vectors."""
    matrix = _finite_or_nan(tensor)
    u, s, vh = jnp.linalg.svd(matrix, full_matrices=True) if full_matrices else _thin_svd(matrix)
    return s, u, adjoint(vh)


@op("linalg.svd", dtypes=SOLVABLE, validate=_validate_svd)
def _singular_values(tensor: Array) -> Array:
    """`svd` without vectors."""
    return jnp.linalg.svd(tensor, compute_uv=False)


def _is_undefined(tensor: Array) -> Any:
    """Whether the lower triangle holds nan, for each matrix."""
    return ((tensor != tensor) & np.tri(tensor.shape[-1], dtype=bool)).any((-2, -1))


_SELF_ADJOINT = Check(("tensor",), _is_undefined, "Self-adjoint eigen decomposition was not successful")
_ANY_SQUARE = Check(("tensor",), _is_infinite, "Eigen decomposition was not successful")


def _hermitian(matrix: Array) -> Array:
    """The matrix that has the lower triangle of `matrix`, and the real part of its diagonal."""
    strict = jnp.tril(matrix, -1)
    middle = jnp.where(np.eye(matrix.shape[-1], dtype=bool), jnp.real(matrix), 0)
    return strict + middle.astype(matrix.dtype) + adjoint(strict)


@jax.custom_jvp
def _eigh(matrix: Array) -> tuple[Array, Array]:
    return tuple(jnp.linalg.eigh(matrix, symmetrize_input=False))


@_eigh.defjvp
def _eigh_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Any, Any]:
    """Vectors of equal eigenvalues do not turn within their space, where JAX's derivative is nan."""
    values, vectors = found = _eigh(*primals)
    core = adjoint(vectors) @ tangents[0] @ vectors
    return found, (jnp.real(_diagonal(core)), vectors @ (_gaps(values).astype(core.dtype) * core))


@op("linalg.eigh", dtypes=SOLVABLE, validate=square("linalg.eigh"), structure=tuple, check=_SELF_ADJOINT)
def eigh(tensor: Array) -> tuple[Array, Array]:
    """The eigenvalues, ascending, and eigenvectors of the Hermitian matrices with the lower triangles of `tensor`.

    Shapes: [*batch, n, n] -> [*batch, n], [*batch, n, n] (the vectors are columns).
    Dtypes: float32, float64, complex -> same dtype twice.
    Gradient: in the lower triangle.
    Raises: InvalidArgumentError if a matrix isn't square, or holds nan.
    Source: TF 2.21 `tf.linalg.eigh`.
    """
    values, vectors = _eigh(_hermitian(tensor))
    return values.astype(tensor.dtype), vectors


@op("linalg.eigvalsh", dtypes=SOLVABLE, validate=square("linalg.eigvalsh"), check=_SELF_ADJOINT)
def eigvalsh(tensor: Array) -> Array:
    """The eigenvalues, ascending, of the Hermitian matrices with the lower triangles of `tensor`.

    Shapes: [*batch, n, n] -> [*batch, n].
    Dtypes: float32, float64, complex -> same dtype.
    Gradient: in the lower triangle.
    Raises: InvalidArgumentError if a matrix isn't square, or holds nan.
    Source: TF 2.21 `tf.linalg.eigvalsh`.
    """
    return _eigh(_hermitian(tensor))[0].astype(tensor.dtype)


def _places_by_size(values: Array) -> Array:
    return jnp.argsort(jnp.abs(values), axis=-1)


@jax.custom_jvp
def _eig(matrix: Array) -> tuple[Array, Array]:
    values, vectors = jnp.linalg.eig(matrix)
    if not jnp.iscomplexobj(matrix):
        return values, vectors
    places = _places_by_size(values)
    return jnp.take_along_axis(values, places, -1), jnp.take_along_axis(vectors, places[..., None, :], -1)


@_eig.defjvp
def _eig_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Any, Any]:
    """The tangents of the eigenvalues, and of vectors that keep their length.

    Boeddeker et al., On the computation of complex-valued gradients (2017), equation 4.77.
    """
    values, vectors = found = _eig(*primals)
    core = jnp.linalg.solve(vectors, tangents[0].astype(vectors.dtype) @ vectors)
    turn = _gaps(values) * core
    stretch = jnp.real(_diagonal(adjoint(vectors) @ vectors @ turn))
    return found, (_diagonal(core), vectors @ turn - vectors * stretch[..., None, :])


@op("linalg.eig", dtypes=SOLVABLE, validate=square("linalg.eig"), structure=tuple, check=_ANY_SQUARE)
def eig(tensor: Array) -> tuple[Array, Array]:
    """The eigenvalues and eigenvectors of the matrices `tensor`; those of complex ones ascend by absolute values.

    Shapes: [*batch, n, n] -> [*batch, n], [*batch, n, n] (the vectors are columns).
    Dtypes: float32, complex64 -> complex64 twice; float64, complex128 -> complex128 twice.
    Raises: InvalidArgumentError if a matrix isn't square, or not finite.
    Source: TF 2.21 `tf.linalg.eig`.
    """
    values, vectors = _eig(tensor)
    return values, vectors


@op("linalg.eigvals", dtypes=SOLVABLE, validate=square("linalg.eigvals"), check=_ANY_SQUARE)
def eigvals(tensor: Array) -> Array:
    """The eigenvalues of the matrices `tensor`; those of complex ones ascend by absolute values.

    Shapes: [*batch, n, n] -> [*batch, n].
    Dtypes: float32, complex64 -> complex64; float64, complex128 -> complex128.
    Raises: InvalidArgumentError if a matrix isn't square, or not finite.
    Source: TF 2.21 `tf.linalg.eigvals`.
    """
    values = jnp.linalg.eigvals(tensor)
    return jnp.take_along_axis(values, _places_by_size(values), -1) if jnp.iscomplexobj(tensor) else values


def _require_real(name: str, a: Any) -> None:
    tensor = convert_to_tensor(a)
    if tensor.dtype not in FLOATING:
        raise TypeError(f"tf.{name}: a must be floating, got {tensor.dtype.name}.")
    if tensor.ndim < 2:
        raise ValueError(f"tf.{name}: a must have rank 2 or more, got shape {tuple(tensor.shape)}.")


@dispatched
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
    """The pseudo-inverses of the matrices `a`; singular values up to `rcond` times the largest are treated as 0.

    Shapes: [*batch, m, n] -> [*batch, n, m].
    Dtypes: float32, float64 -> same dtype.
    Raises: TypeError if `a` isn't floating; ValueError if its rank is below 2.
    Source: TF 2.21 `tf.linalg.pinv`.
    """
    del validate_args, name
    _require_real("linalg.pinv", a)
    tensor = convert_to_tensor(a)
    if rcond is None:
        rcond = 10 * max(tensor._aval.shape[-2:]) * float(np.finfo(tensor.dtype.as_numpy_dtype).eps)
    return _pinv(tensor, rcond)


def _pinv_slope(t: Any, inverse: Any, a: Any, _: Any) -> Any:
    """The tangent of the pseudo-inverses of matrices with at least as many rows as columns.

    Golub and Pereyra, The differentiation of pseudo-inverses, SIAM Journal on Numerical Analysis 10 (1973).
    """
    left = jnp.matmul(jnp.matmul(inverse, adjoint(inverse)), adjoint(t))
    right = jnp.matmul(jnp.matmul(adjoint(t), adjoint(inverse)), inverse)
    moved = left + right - jnp.matmul(jnp.matmul(inverse, t), inverse)
    return moved - jnp.matmul(jnp.matmul(left, a), inverse) - jnp.matmul(jnp.matmul(inverse, a), right)


# JAX's own rule takes the tolerance as a Python number.
_tall_pinv = with_derivative(lambda a, rcond: jnp.linalg.pinv(a, rtol=rcond), _pinv_slope, None)


@op("linalg.pinv", dtypes=_REAL_SOLVABLE)
def _pinv(a: Array, rcond: Number) -> Array:
    """`pinv` with its tolerance as a tensor."""
    matrix, tolerance = _finite_or_nan(a), jnp.asarray(rcond, a.dtype)
    if a.shape[-2] >= a.shape[-1]:
        return _tall_pinv(matrix, tolerance)
    return adjoint(_tall_pinv(adjoint(matrix), tolerance))


@dispatched
def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
    """The number of singular values of each matrix of `a` that are greater than `tol`.

    Shapes: [*batch, m, n] -> [*batch].
    Dtypes: float32, float64 -> int32.
    Raises: TypeError if `a` isn't floating; ValueError if its rank is below 2.
    Source: TF 2.21 `tf.linalg.matrix_rank`.
    """
    del validate_args, name
    _require_real("linalg.matrix_rank", a)
    tensor = convert_to_tensor(a)
    return _default_rank(tensor) if tol is None else _rank_above(tensor, tol)


@op("linalg.matrix_rank", dtypes=_REAL_SOLVABLE, differentiable=False)
def _rank_above(a: Array, tol: Number) -> Array:
    """`matrix_rank` with its tolerance as a tensor."""
    return jnp.sum(jnp.linalg.svd(a, compute_uv=False) > jnp.asarray(tol, a.dtype), axis=-1, dtype=jnp.int32)


@op("linalg.matrix_rank", dtypes=_REAL_SOLVABLE, differentiable=False)
def _default_rank(a: Array) -> Array:
    """`matrix_rank` with the default tolerance, which depends on the largest singular value."""
    values = jnp.linalg.svd(a, compute_uv=False)
    tolerance = jnp.finfo(a.dtype).eps * max(a.shape[-2:]) * jnp.max(values, axis=-1, keepdims=True, initial=0)
    return jnp.sum(values > tolerance.astype(a.dtype), axis=-1, dtype=jnp.int32)
