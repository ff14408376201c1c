"""LU decomposition of square matrices, and solving with it."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, Dtype, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import INDEX, bfloat16, float16, int32, int64
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.linalg.inverse import SOLVABLE, is_singular, require_matrices, triangular

_PARTS = {"lower_upper": SOLVABLE, "rhs": SOLVABLE, "perm": INDEX}
_MULTIPLIED = SOLVABLE | {bfloat16, float16, int32, int64}


class Lu(NamedTuple):
    """The result of `tf.linalg.lu`."""

    lu: Any
    p: Any


def _validate(input: Any, output_idx_type: Any) -> None:
    require_matrices("linalg.lu", input, is_square=True)
    if output_idx_type not in (int32, int64):
        raise InvalidArgumentError.of(
            f"tf.linalg.lu: output_idx_type must be an index type, got {output_idx_type.name}."
        )


@op(
    "linalg.lu",
    dtypes=SOLVABLE,
    validate=_validate,
    check=Check(("input",), lambda input, **_: is_singular(input), "Input is not invertible"),
    structure=Lu._make,
    no_gradient="Lu",
)
def lu(input: Array, output_idx_type: Dtype = int32) -> tuple[Array, Array]:
    """The triangles L, with ones on the diagonal, and U of the matrices `input`, with pivoted rows.

    Row k of L U is row p[k] of `input`.

    Shapes: [*batch, n, n] -> [*batch, n, n], L below the diagonal and U; p [*batch, n].
    Dtypes: float32, float64, complex -> same dtype; `output_idx_type`.
    Gradient: LookupError, as in TensorFlow.
    Raises: InvalidArgumentError if a matrix isn't square or not invertible.
    Source: TF 2.21 `tf.linalg.lu`.
    """
    factors, _, order = lax.linalg.lu(input)
    return factors, order.astype(output_idx_type.as_numpy_dtype)


def _parts(name: str, lower_upper: Any, perm: Any) -> tuple[Tensor, Tensor]:
    """The factors and the permutation as tensors. Raises ValueError if their shapes don't fit."""
    factors, order = convert_to_tensor(lower_upper), convert_to_tensor(perm)
    shape = factors._aval.shape
    if len(shape) < 2 or shape[-1] != shape[-2] or order._aval.shape != shape[:-1]:
        raise ValueError(
            f"tf.linalg.{name}: lower_upper must be square matrices, with a number for each row in perm; got shapes "
            f"{shape} and {order._aval.shape}."
        )
    return factors, order


def _solved(lower_upper: Array, perm: Array, rhs: Array) -> Array:
    batch = broadcast_shapes(rhs.shape[:-2], lower_upper.shape[:-2])
    order = jnp.broadcast_to(perm, (*batch, perm.shape[-1]))
    right = jnp.broadcast_to(rhs, (*batch, *rhs.shape[-2:]))
    moved = jnp.take_along_axis(right, order[..., None], -2)
    return triangular(lower_upper, triangular(lower_upper, moved, True, False, True), False, False)


@op("linalg.lu_solve", dtypes=_PARTS, same=("lower_upper", "rhs"))
def _lu_solve(lower_upper: Array, perm: Array, rhs: Array) -> Array:
    return _solved(lower_upper, perm, rhs)


def lu_solve(lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The solutions x of A x = `rhs`, where `lower_upper` and `perm` are the result of `lu` for A.

    Shapes are checked even if `validate_args` is False.

    Shapes: [*batch, n, n], [*batch, n], [*batch, n, k] -> [*batch, n, k]; batches broadcast.
    Dtypes: float32, float64, complex -> same dtype; perm int32, int64.
    Raises: ValueError if shapes don't fit; InvalidArgumentError for other dtypes.
    Source: TF 2.21 `tf.linalg.lu_solve`.
    """
    del validate_args, name
    factors, order = _parts("lu_solve", lower_upper, perm)
    right = convert_to_tensor(rhs)
    if right.ndim < 2 or right._aval.shape[-2] != factors._aval.shape[-1]:
        raise ValueError(
            f"tf.linalg.lu_solve: rhs must be matrices with as many rows as lower_upper, got {right._aval.shape} and "
            f"{factors._aval.shape}."
        )
    return _lu_solve(factors, order, right)


@op("linalg.lu_matrix_inverse", dtypes=_PARTS, same=("lower_upper",))
def _lu_matrix_inverse(lower_upper: Array, perm: Array) -> Array:
    return _solved(lower_upper, perm, jnp.eye(perm.shape[-1], dtype=lower_upper.dtype))


def lu_matrix_inverse(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The inverses of the matrices for which `lu` returns `lower_upper` and `perm`.

    Shapes are checked even if `validate_args` is False.

    Shapes: [*batch, n, n], [*batch, n] -> [*batch, n, n].
    Dtypes: float32, float64, complex -> same dtype; perm int32, int64.
    Raises: ValueError if shapes don't fit; InvalidArgumentError for other dtypes.
    Source: TF 2.21 `tf.linalg.lu_matrix_inverse`.
    """
    del validate_args, name
    return _lu_matrix_inverse(*_parts("lu_matrix_inverse", lower_upper, perm))


@op("linalg.lu_reconstruct", dtypes={"lower_upper": _MULTIPLIED, "perm": INDEX}, same=("lower_upper",))
def _lu_reconstruct(lower_upper: Array, perm: Array) -> Array:
    lower = jnp.tril(lower_upper, -1) + jnp.eye(perm.shape[-1], dtype=lower_upper.dtype)
    product = jnp.matmul(lower, jnp.triu(lower_upper))
    return jnp.take_along_axis(product, jnp.argsort(perm, -1)[..., None], -2)


def lu_reconstruct(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The matrices for which `lu` returns `lower_upper` and `perm`.

    Shapes are checked even if `validate_args` is False.

    Shapes: [*batch, n, n], [*batch, n] -> [*batch, n, n].
    Dtypes: float16, bfloat16, float32, float64, complex, int32, int64 -> same dtype; perm int32, int64.
    Raises: ValueError if shapes don't fit; InvalidArgumentError for other dtypes.
    Source: TF 2.21 `tf.linalg.lu_reconstruct`.
    """
    del validate_args, name
    return _lu_reconstruct(*_parts("lu_reconstruct", lower_upper, perm))
