"""Banded and tridiagonal matrices: products, linear systems and eigenvalues."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import COMPLEX, float16, float32, float64
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.array.joining import stack
from tfcompat._ops.array.padding import pad
from tfcompat._ops.linalg.diagonal import diag_part
from tfcompat._ops.linalg.inverse import SOLVABLE, triangular


def _compact(name: str, diagonals: Any, diagonals_format: str, allows_short: bool) -> Tensor:
    """The diagonals above, on and below the main one, as rows of one tensor: [*batch, 3, n]."""
    if diagonals_format == "compact":
        tensor = convert_to_tensor(diagonals)
        if tensor.ndim < 2 or tensor._aval.shape[-2] != 3:
            kind = ValueError if allows_short else InvalidArgumentError.of
            raise kind(f"tf.linalg.{name}: expected 3 diagonals, got shape {tensor._aval.shape}.")
        return tensor
    if diagonals_format == "matrix":
        matrix = convert_to_tensor(diagonals)
        if matrix.ndim < 2 or matrix._aval.shape[-1] != matrix._aval.shape[-2]:
            raise ValueError(f"tf.linalg.{name}: the matrix must be square, got shape {matrix._aval.shape}.")
        return diag_part(matrix, k=(-1, 1), align="LEFT_RIGHT")
    if diagonals_format != "sequence":
        raise ValueError(
            f"tf.linalg.{name}: diagonals_format must be 'compact', 'matrix' or 'sequence', got {diagonals_format!r}."
        )
    above, main, below = (convert_to_tensor(part) for part in diagonals)
    if not above.ndim == main.ndim == below.ndim > 0:
        raise InvalidArgumentError.of(f"tf.linalg.{name}: the three diagonals must be vectors or batches of them.")
    size = main._aval.shape[-1]
    if allows_short and above._aval.shape[-1] == size - 1:
        above = pad(above, [*[(0, 0)] * (above.ndim - 1), (0, 1)])
    if allows_short and below._aval.shape[-1] == size - 1:
        below = pad(below, [*[(0, 0)] * (below.ndim - 1), (1, 0)])
    if not above._aval.shape == main._aval.shape == below._aval.shape:
        raise InvalidArgumentError.of(
            f"tf.linalg.{name}: the three diagonals must have one shape, got {above._aval.shape}, {main._aval.shape} "
            f"and {below._aval.shape}."
        )
    return stack([above, main, below], -2)


def _solution(diagonals: Array, rhs: Array) -> Array:
    above, main, below = (diagonals[..., k, :] for k in range(3))
    place = np.arange(main.shape[-1])
    return lax.linalg.tridiagonal_solve(
        jnp.where(place == 0, 0, below), main, jnp.where(place == main.shape[-1] - 1, 0, above), rhs
    )


def _product(diagonals: Array, rhs: Array) -> Array:
    above, main, below = (diagonals[..., k, :, None] for k in range(3))
    edge = [(0, 0)] * (rhs.ndim - 2)
    next_row = jnp.pad(rhs[..., 1:, :], [*edge, (0, 1), (0, 0)])
    last_row = jnp.pad(rhs[..., :-1, :], [*edge, (1, 0), (0, 0)])
    return above * next_row + main * rhs + below * last_row


_solved = jax.custom_jvp(_solution)


@_solved.defjvp
def _solved_jvp(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    (diagonals, rhs), (moved, change) = primals, tangents
    solution = _solved(diagonals, rhs)
    # TensorFlow's gradient of a complex solution lacks conjugates.
    return solution, _solution(jnp.conj(diagonals), change - _product(moved, jnp.conj(solution)))


@op("linalg.tridiagonal_solve", dtypes=SOLVABLE)
def _tridiagonal_solve(diagonals: Array, rhs: Array) -> Array:
    return _solved(diagonals, rhs)


@op("linalg.tridiagonal_solve", dtypes=SOLVABLE)
def _prepared(rhs: Array, is_vector: bool, is_transposed: bool, is_conjugate: bool) -> Array:
    """The right-hand side as a matrix."""
    right = jnp.conj(rhs) if is_conjugate else rhs
    if is_vector:
        return right[..., None]
    return jnp.swapaxes(right, -1, -2) if is_transposed else right


def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """The solutions x of A x = `rhs`, where A is tridiagonal with `diagonals` above, on and below the main one.

    `diagonals` are rows ("compact"; the last element of the first row and the first of the last row are ignored), three
    tensors ("sequence") or a whole matrix ("matrix"). Rows are pivoted even if `partial_pivoting` is False.

    Shapes: [*batch, 3, n], [*batch, n, k] or [*batch, n] -> that of the right-hand side, transposed by `transpose_rhs`.
    Dtypes: float32, float64, complex -> same dtype.
    Raises: ValueError if shapes don't fit or the format is unknown; NotImplementedError for `perturb_singular`. A
      singular matrix gives nan.
    Source: TF 2.21 `tf.linalg.tridiagonal_solve`.
    """
    del name
    if perturb_singular:
        if not partial_pivoting:
            raise ValueError("tf.linalg.tridiagonal_solve: perturb_singular needs partial_pivoting.")
        raise NotImplementedError(
            "tf.linalg.tridiagonal_solve: perturb_singular=True is not supported; add a small number to the diagonal."
        )
    compact = _compact("tridiagonal_solve", diagonals, diagonals_format, True)
    right = convert_to_tensor(rhs)
    is_vector = right.ndim == compact.ndim - 1
    shape = right._aval.shape
    if right.ndim not in (compact.ndim, compact.ndim - 1):
        raise ValueError(
            f"tf.linalg.tridiagonal_solve: rhs must have rank {compact.ndim} or {compact.ndim - 1}, got shape {shape}."
        )
    rows = shape[-1] if is_vector or transpose_rhs else shape[-2]
    if rows != compact._aval.shape[-1]:
        raise ValueError(
            f"tf.linalg.tridiagonal_solve: rhs must have {compact._aval.shape[-1]} rows, got {rows} in shape {shape}."
        )
    if is_vector or transpose_rhs or conjugate_rhs:
        right = _prepared(right, is_vector, bool(transpose_rhs), bool(conjugate_rhs))
    solution = _tridiagonal_solve(compact, right) if right._aval.size else right
    return _column(solution) if is_vector else solution


@op("linalg.tridiagonal_solve", dtypes=SOLVABLE)
def _column(matrix: Array) -> Array:
    return matrix[..., 0]


def _validate_product(diagonals: Any, rhs: Any) -> None:
    if rhs.ndim != diagonals.ndim or rhs.shape[-2] != diagonals.shape[-1]:
        raise InvalidArgumentError.of(
            f"tf.linalg.tridiagonal_matmul: rhs must be matrices of {diagonals.shape[-1]} rows, got shape {rhs.shape}."
        )


@op("linalg.tridiagonal_matmul", dtypes=SOLVABLE, validate=_validate_product)
def _tridiagonal_matmul(diagonals: Array, rhs: Array) -> Array:
    return _product(diagonals, rhs)


def tridiagonal_matmul(diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None) -> Tensor:
    """The products of tridiagonal matrices with `rhs`; `diagonals` are those above, on and below the main diagonal.

    `diagonals` are rows ("compact"; the last element of the first row and the first of the last row are ignored), three
    tensors ("sequence") or a whole matrix ("matrix").

    Shapes: [*batch, 3, n], [*batch, n, k] -> [*batch, n, k].
    Dtypes: float32, float64, complex -> same dtype.
    Raises: ValueError if the format is unknown; InvalidArgumentError if shapes don't fit.
    Source: TF 2.21 `tf.linalg.tridiagonal_matmul`.
    """
    del name
    return _tridiagonal_matmul(_compact("tridiagonal_matmul", diagonals, diagonals_format, False), rhs)


def _validate_bands(bands: Any, rhs: Any, **_: Any) -> None:
    if bands.ndim < 2 or rhs.ndim < 2 or rhs.shape[-2] != bands.shape[-1]:
        raise InvalidArgumentError.of(
            f"tf.linalg.banded_triangular_solve: bands must be [*batch, bands, n] and rhs [*batch, n, k], got shapes "
            f"{bands.shape} and {rhs.shape}."
        )


@op("linalg.banded_triangular_solve", dtypes=SOLVABLE, validate=_validate_bands)
def banded_triangular_solve(bands: Array, rhs: Array, lower: bool = True, adjoint: bool = False) -> Array:
    """The solutions x of A x = `rhs`, where A has only the diagonals `bands`, at and below (or above) the main one.

    If `lower`, the first band is the main diagonal, and band k of row j multiplies x[j - k]. Otherwise the last band is
    the main diagonal, and the others are above it. With `adjoint`, A is replaced by its conjugate transpose.

    Shapes: [*batch, bands, n], [*batch, n, k] -> [*batch, n, k]; batches broadcast.
    Dtypes: float32, float64, complex -> same dtype.
    Raises: InvalidArgumentError if shapes don't fit.
    Source: TF 2.21 `tf.linalg.banded_triangular_solve`.
    """
    count, size = bands.shape[-2:]
    distance = np.arange(size)[:, None] - np.arange(size)
    number = distance if lower else count - 1 + distance
    is_band = (number >= 0) & (number < count) & (distance >= 0 if lower else distance <= 0)
    rows = np.broadcast_to(np.arange(size)[:, None], distance.shape)
    matrix = jnp.where(is_band, bands[..., np.where(is_band, number, 0), rows], 0)
    return triangular(matrix, rhs, lower, adjoint)


_REAL = frozenset((float16, float32, float64))


def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """The eigenvalues, ascending, of the Hermitian matrix with the diagonal `alpha` and the superdiagonal `beta`.

    `select` is "a" for all, or "i" or "v" for those with an index or a value in `select_range`, ends included. Without
    `eigvals_only`, the eigenvectors are returned, too. `tol` has no effect: results have full precision.

    Shapes: [n], [n - 1] -> [n] or less, and [n, n] or less.
    Dtypes: float16, float32, float64 -> same dtype; complex -> real values.
    Raises: ValueError if `select` is unknown; TypeError if `select_range` is missing; InvalidArgumentError if it is
      empty or has an index out of range, or if shapes don't fit.
    Source: TF 2.21 `tf.linalg.eigh_tridiagonal`.
    """
    del tol, name
    if select not in ("a", "i", "v"):
        raise ValueError(f"tf.linalg.eigh_tridiagonal: select must be 'a', 'i' or 'v', got {select!r}.")
    if select != "a" and not hasattr(select_range, "__getitem__"):
        raise TypeError(
            f"tf.linalg.eigh_tridiagonal: select_range must be a pair for select {select!r}, got {select_range!r}."
        )
    main, above = convert_to_tensor(alpha), convert_to_tensor(beta)
    if main.ndim != 1 or above._aval.shape != (max(main._aval.size - 1, 0),):
        raise InvalidArgumentError.of(
            f"tf.linalg.eigh_tridiagonal: alpha must be a vector and beta a vector with one element less, got shapes "
            f"{main._aval.shape} and {above._aval.shape}."
        )
    values, vectors = _eigh_tridiagonal(main, above)
    # TensorFlow returns a single eigenvalue whatever is selected.
    if select == "a" or main._aval.size == 1:
        return values if eigvals_only else (values, vectors)
    low, high = select_range[0], select_range[1]
    places = _numbered(low, high, main._aval.size) if select == "i" else _between(low, high, values, main, above)
    found = gather(values, places)
    return found if eigvals_only else (found, gather(vectors, places, axis=1))


def _numbered(low: Any, high: Any, count: int) -> Tensor:
    """The indices from `low` to `high` among `count` eigenvalues."""
    first, last = np.asarray(convert_to_tensor(low)), np.asarray(convert_to_tensor(high))
    if first.dtype.kind not in "iu" or last.dtype.kind not in "iu":
        raise InvalidArgumentError.of(
            f"tf.linalg.eigh_tridiagonal: select_range must hold integers for select 'i', got {first} and {last}."
        )
    if first > last or first < 0 or last >= count:
        raise InvalidArgumentError.of(
            f"tf.linalg.eigh_tridiagonal: select_range must be in [0, {count}) and not empty for select 'i', got "
            f"{first} to {last}."
        )
    return Tensor(np.arange(int(first), int(last) + 1, dtype=np.int32))


def _between(low: Any, high: Any, values: Tensor, alpha: Tensor, beta: Tensor) -> Tensor:
    """The indices of the eigenvalues `values` from `low` to `high`, widened by rounding errors as in TensorFlow."""
    lowest, highest = (float(np.asarray(convert_to_tensor(limit))) for limit in (low, high))
    if not lowest < highest:
        raise InvalidArgumentError.of(
            f"tf.linalg.eigh_tridiagonal: select_range must not be empty for select 'v', got {lowest} to {highest}."
        )
    known, diagonal, above = np.asarray(values), np.real(np.asarray(alpha)), np.abs(np.asarray(beta))
    radius = np.append(above, 0.0) + np.insert(above, 0, 0.0)
    norm = max(np.max(np.abs(diagonal - radius)), np.max(np.abs(diagonal + radius)))
    slack = 2.1 * known.size * np.finfo(known.dtype).eps * norm
    return Tensor(np.flatnonzero((known >= lowest - slack) & (known <= highest + slack)).astype(np.int32))


@op("linalg.eigh_tridiagonal", dtypes=_REAL | COMPLEX, structure=tuple)
def _eigh_tridiagonal(alpha: Array, beta: Array) -> tuple[Array, Array]:
    wide = jnp.promote_types(alpha.dtype, jnp.float32)
    size = alpha.shape[0]
    matrix = jnp.zeros((size, size), wide)
    rows = np.arange(size)
    matrix = matrix.at[rows, rows].set(jnp.real(alpha).astype(wide))
    matrix = matrix.at[rows[1:], rows[:-1]].set(jnp.conj(beta).astype(wide))
    matrix = matrix.at[rows[:-1], rows[1:]].set(beta.astype(wide))
    values, vectors = jnp.linalg.eigh(jnp.where(jnp.all(jnp.isfinite(matrix)), matrix, jnp.nan), symmetrize_input=False)
    return values.astype(jnp.real(alpha).dtype), vectors.astype(alpha.dtype)
