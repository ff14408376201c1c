"""Conjugate gradients: solves linear systems using only products with the operator."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._function.control.while_loop import while_loop
from tfcompat._linear_operator.operator import LinearOperator
from tfcompat._ops.array.creation import zeros
from tfcompat._ops.array.extent import broadcast_static_shape
from tfcompat._ops.array.layout import broadcast_to, expand_dims, squeeze
from tfcompat._ops.fold.reduction import reduce_any
from tfcompat._ops.linalg.contraction import matvec
from tfcompat._ops.linalg.norm import norm


class CGState(NamedTuple):
    """The state of the conjugate gradient iteration.

    Attributes:
      i: the number of steps.
      x: the solutions.
      r: the residuals.
      p: the search directions of the next step.
      gamma: the inner products of the residuals and the preconditioned residuals.
    """

    i: Any
    x: Any
    r: Any
    p: Any
    gamma: Any


def conjugate_gradient(
    operator: LinearOperator,
    rhs: Any,
    preconditioner: LinearOperator | None = None,
    x: Any = None,
    tol: float = 1e-5,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> Any:
    """The solutions x of the systems with `operator` and the vectors `rhs`, by conjugate gradients starting from `x`.

    It stops after `max_iter` steps, or when each residual is at most `tol` times the norm of its right-hand side. It
    starts from zeros if `x` is None. `preconditioner` approximates the inverse of the operator. Returns the number of
    steps, x, the residuals r, the last directions p and the inner products gamma of r and the preconditioned r.

    Shapes: (..., N) -> (), (..., N), (..., N), (..., N), (...).
    Dtypes: that of `operator` -> int32, and the same.
    Raises: ValueError if `operator` lacks the hints self-adjoint and positive definite, or the sizes do not fit;
      TypeError if `rhs` has another dtype.
    Source: TF 2.21 `tf.linalg.experimental.conjugate_gradient`.
    """
    del name
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")
    right = operator._argument(rhs, "rhs", -1, operator.shape[-2])
    batch = broadcast_static_shape(right.shape[:-1], operator.batch_shape)
    if preconditioner is not None:
        batch = broadcast_static_shape(batch, preconditioner.batch_shape)
    shape = [*batch, right.shape[-1]]
    right = broadcast_to(right, shape)
    limit: Any = norm(right, axis=-1) * tol  # pyright: ignore[reportOperatorIssue]
    start = zeros(shape, right.dtype) if x is None else broadcast_to(convert_to_tensor(x, right.dtype), shape)
    residual = right if x is None else right - operator.matvec(start)

    def conditioned(vector: Any) -> Any:
        return vector if preconditioner is None else preconditioner.matvec(vector)

    def goes_on(i: Any, state: Any) -> Any:
        return (i < max_iter) & reduce_any(norm(state.r, axis=-1) > limit)

    def step(i: Any, state: Any) -> Any:
        image = operator.matvec(state.p)
        length = expand_dims(state.gamma / _dot(state.p, image), -1)
        residual = state.r - length * image
        descent = conditioned(residual)
        gamma = _dot(residual, descent)
        direction = descent + expand_dims(gamma / state.gamma, -1) * state.p
        return i + 1, CGState(i + 1, state.x + length * state.p, residual, direction, gamma)

    direction = conditioned(residual)
    count = convert_to_tensor(0)
    first = CGState(count, start, residual, direction, _dot(residual, direction))
    return while_loop(goes_on, step, [count, first])[1]


def _dot(x: Any, y: Any) -> Any:
    return squeeze(matvec(expand_dims(x, -1), y, adjoint_a=True), -1)
