"""The sum of an operator and a matrix of low rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.types.dtype import COMPLEX
from tfcompat._core.types.shape import TensorShape
from tfcompat._linear_operator.derived import named
from tfcompat._linear_operator.diagonal import LinearOperatorDiag, LinearOperatorIdentity
from tfcompat._linear_operator.operator import LinearOperator, broadcast_solve, held, product
from tfcompat._linear_operator.spec import composite
from tfcompat._ops.array.layout import expand_dims
from tfcompat._ops.elementwise.algebraic import abs as size_of
from tfcompat._ops.elementwise.complex_number import conj
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.elementwise.transcendental import exp, log
from tfcompat._ops.fold.reduction import reduce_sum
from tfcompat._ops.linalg.contraction import matmul
from tfcompat._ops.linalg.diagonal import diag_part
from tfcompat._ops.linalg.inverse import cholesky, cholesky_solve, det


@composite
class LinearOperatorLowRankUpdate(LinearOperator):
    """The matrix L + U D V^H: `base_operator`, plus `u` times the diagonal `diag_update` times the adjoint of `v`.

    If `diag_update` is None, it is ones; if `v` is None, it is `u`. Systems are solved with the Woodbury identity.

    Raises: ValueError if the shapes don't fit, or a hint is contradicted.
    Source: TF 2.21 `tf.linalg.LinearOperatorLowRankUpdate`.
    """

    _composite_tensor_fields = ("base_operator", "u", "diag_update", "v", "is_diag_update_positive")

    _matrix_axes = {"u": 2, "v": 2, "diag_update": 1}  # noqa: RUF012

    def __init__(
        self,
        base_operator: LinearOperator,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        parts = {"base_operator": base_operator, "u": u, "diag_update": diag_update, "v": v, "name": name}
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError("tf.linalg.LinearOperatorLowRankUpdate: is_diag_update_positive must not be False.")
            is_diag_update_positive = True
        parts["is_diag_update_positive"] = is_diag_update_positive
        is_symmetric = base_operator.is_self_adjoint and v is None
        if is_symmetric and base_operator.dtype not in COMPLEX:
            if is_self_adjoint is False:
                raise ValueError(
                    "tf.linalg.LinearOperatorLowRankUpdate: the sum is self-adjoint, got is_self_adjoint=False."
                )
            is_self_adjoint = True
        self._is_definite = bool(is_symmetric and base_operator.is_positive_definite and is_diag_update_positive)
        if self._is_definite:
            if False in (is_positive_definite, is_self_adjoint, is_non_singular):
                raise ValueError(
                    "tf.linalg.LinearOperatorLowRankUpdate: the sum is self-adjoint and positive definite, but a hint "
                    "is False."
                )
            is_positive_definite = is_self_adjoint = True
        self._base_operator = base_operator
        self._u = held(u, "u")
        self._v = self._u if v is None else held(v, "v")
        self._diag_update = None if diag_update is None else held(diag_update, "diag_update")
        self._is_diag_update_positive = is_diag_update_positive
        self._require_shapes()
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(base_operator.dtype, None, *hints, name, parts | named(hints))
        if self._diag_update is None:
            self._diag_operator: Any = LinearOperatorIdentity(self._u.shape[-1], dtype=base_operator.dtype)
        else:
            self._diag_operator = LinearOperatorDiag(self._diag_update, is_positive_definite=is_diag_update_positive)

    def _require_shapes(self) -> None:
        """Raises ValueError if the shapes of u, v, diag_update and the base operator don't match."""
        u, v, base = self._u.shape, self._v.shape, self._base_operator.shape
        fits = u.rank >= 2 and v.rank >= 2 and u[-1] == v[-1] and u[-2] == base[-2] and v[-2] == base[-1]
        diagonal = None if self._diag_update is None else self._diag_update.shape
        if not fits or (diagonal is not None and (diagonal.rank < 1 or diagonal[-1] != u[-1])):
            raise ValueError(
                f"tf.linalg.LinearOperatorLowRankUpdate: u, v and diag_update must fit the base operator, got shapes "
                f"{u}, {v}, {diagonal} and {base}."
            )

    @property
    def u(self) -> Any:
        """The left factor U of the update."""
        return self._u

    @property
    def v(self) -> Any:
        """The matrix V, whose adjoint is the right factor of the update."""
        return self._v

    @property
    def diag_update(self) -> Any:
        """The diagonal between the factors, or None."""
        return self._diag_update

    @property
    def diag_operator(self) -> Any:
        """The diagonal between the factors as an operator."""
        return self._diag_operator

    @property
    def base_operator(self) -> LinearOperator:
        """The operator that is updated."""
        return self._base_operator

    @property
    def is_diag_update_positive(self) -> bool | None:
        """Whether the diagonal is positive; None if unknown."""
        return self._is_diag_update_positive

    def _shape(self) -> Any:
        shapes = (self._base_operator.shape, self._u.shape, self._v.shape)
        batches = [tuple(shape[:-2]) for shape in shapes]
        if self._diag_update is not None:
            batches.append(tuple(self._diag_update.shape[:-1]))
        return TensorShape(np.broadcast_shapes(*batches)).concatenate(self._base_operator.shape[-2:])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        inner = product(right, x, True, adjoint_arg)
        return self._base_operator._matmul(x, adjoint, adjoint_arg) + matmul(
            left, self._diag_operator._matmul(inner, adjoint)
        )

    def _capacitance(self) -> Any:
        """The capacitance matrix D^-1 + V^H L^-1 U."""
        solved = self._base_operator.solve(convert_to_tensor(self._u))
        return self._diag_operator.inverse().add_to_tensor(product(self._v, solved, True, False))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        base = self._base_operator
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        solved = base.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = product(right, solved, True, False)
        if self._is_definite:
            small = cholesky_solve(cholesky(self._capacitance()), inner)
        else:
            small = broadcast_solve(self._capacitance(), inner, adjoint)
        return solved - base.solve(matmul(left, small), adjoint=adjoint)

    def _diag_part(self) -> Any:
        products = self._u * conj(self._v)
        if self._diag_update is not None:
            products = products * expand_dims(self._diag_update, -2)
        return reduce_sum(products, -1) + self._base_operator.diag_part()

    def _determinant(self) -> Any:
        if self.is_positive_definite:
            return exp(self.log_abs_determinant())
        outer = self._diag_operator.determinant() * self._base_operator.determinant()
        return det(self._capacitance()) * outer

    def _log_abs_determinant(self) -> Any:
        outer = self._diag_operator.log_abs_determinant() + self._base_operator.log_abs_determinant()
        if self._is_definite:
            return 2 * reduce_sum(log(diag_part(cholesky(self._capacitance()))), -1) + outer
        return cast(log(size_of(det(self._capacitance()))), self.dtype) + outer
