"""Operators derived from others (adjoints, inverses, products), and lower triangular operators."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from tfcompat._core.types.shape import TensorShape
from tfcompat._linear_operator.operator import HINTS, LinearOperator, held, product
from tfcompat._linear_operator.spec import composite
from tfcompat._ops.array.extent import broadcast_static_shape
from tfcompat._ops.array.layout import adjoint as adjoint_of
from tfcompat._ops.debugging.value_assertion import assert_positive
from tfcompat._ops.elementwise.algebraic import abs as size_of
from tfcompat._ops.elementwise.complex_number import conj
from tfcompat._ops.elementwise.transcendental import log
from tfcompat._ops.fold.reduction import reduce_prod, reduce_sum
from tfcompat._ops.linalg.diagonal import band_part, diag_part
from tfcompat._ops.linalg.inverse import cholesky, triangular_solve


def hints_of(operator: LinearOperator) -> dict[str, Any]:
    """The hints of an operator, which also hold for its adjoint and its inverse."""
    return {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
        "is_square": operator.is_square,
    }


def joint_hint(operators: Sequence[LinearOperator], what: str) -> bool | None:
    """True if the hint `what` is true for all operators, otherwise None."""
    return True if all(getattr(operator, what) for operator in operators) else None


def product_hints(left: LinearOperator, right: LinearOperator, commute: bool = False) -> dict[str, Any]:
    """The hints of the product of two operators. More is known if they `commute`."""
    rows, columns, pair = left.shape[-2], right.shape[-1], (left, right)
    is_known = rows is not None and columns is not None
    if is_known and rows != columns:
        return dict.fromkeys(HINTS, False)
    is_singular = False in (left.is_non_singular, right.is_non_singular)
    self_adjoint = joint_hint(pair, "is_self_adjoint") if commute else None
    definite = joint_hint(pair, "is_positive_definite") if self_adjoint else None
    regular = False if is_singular else joint_hint(pair, "is_non_singular")
    return named((regular, self_adjoint, definite, is_known or joint_hint(pair, "is_square")))


def _is_mirrored(operators: Sequence[LinearOperator]) -> bool:
    """Whether the sequence is its own adjoint: operators at equal distance from both ends are adjoints."""
    pairs = zip(operators, reversed(operators), strict=True)
    return len(operators) % 2 == 0 and all(_are_adjoints(left, right) for left, right in pairs)


def _are_adjoints(left: LinearOperator, right: LinearOperator) -> bool:
    if left is right:
        return bool(left.is_self_adjoint)
    return any(
        isinstance(one, LinearOperatorAdjoint) and one.operator is other
        for one, other in ((left, right), (right, left))
    )


def require_operators(name: str, operators: Any) -> list[LinearOperator]:
    """The operators as a list. Raises ValueError for an empty one, TypeError for different dtypes."""
    found = list(operators)
    if not found:
        raise ValueError(f"{name}: expected at least one operator.")
    if any(operator.dtype != found[0].dtype for operator in found):
        raise TypeError(
            f"{name}: operators must have the same dtype, got {[operator.dtype.name for operator in found]}."
        )
    return found


def joint_batch(operators: Sequence[LinearOperator]) -> Any:
    """The shape to which the batches of the operators broadcast."""
    return functools.reduce(broadcast_static_shape, [operator.batch_shape for operator in operators])


@composite
class LinearOperatorAdjoint(LinearOperator):
    """The conjugate transpose of `operator`.

    Source: TF 2.21 `tf.linalg.LinearOperatorAdjoint`.
    """

    _composite_tensor_fields = ("operator",)

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = {"operator": operator, "name": name}
        hints = merged_hints(operator, is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        self._operator = operator
        known = named(hints)
        label = name or f"{operator.name}_adjoint"
        super().__init__(operator.dtype, **known, name=label, parameters=parameters | known)

    @property
    def operator(self) -> LinearOperator:
        """The operator whose adjoint this is."""
        return self._operator

    def _shape(self) -> Any:
        *batch, rows, columns = self.operator.shape
        return TensorShape([*batch, columns, rows])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator._matmul(x, not adjoint, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator._solve(rhs, not adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        return adjoint_of(self.operator.to_dense())

    def _diag_part(self) -> Any:
        return conj(self.operator.diag_part())

    def _determinant(self) -> Any:
        return conj(self.operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self.operator.log_abs_determinant()

    def _adjoint(self) -> Any:
        return self.operator


@composite
class LinearOperatorInversion(LinearOperator):
    """The inverse of `operator`.

    Raises: ValueError if `operator` isn't square, or a hint says that it is singular.
    Source: TF 2.21 `tf.linalg.LinearOperatorInversion`.
    """

    _composite_tensor_fields = ("operator",)

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        if operator.is_square is False or operator.is_non_singular is False or is_non_singular is False:
            raise ValueError("tf.linalg.LinearOperatorInversion: the operator must be square and non-singular.")
        parameters = {"operator": operator, "name": name}
        hints = merged_hints(operator, is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        self._operator = operator
        known = named(hints)
        super().__init__(operator.dtype, **known, name=name or f"{operator.name}_inv", parameters=parameters | known)

    @property
    def operator(self) -> LinearOperator:
        """The operator whose inverse this is."""
        return self._operator

    def _shape(self) -> Any:
        return self.operator.shape

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator._solve(x, adjoint, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self.operator._matmul(rhs, adjoint, adjoint_arg)

    def _determinant(self) -> Any:
        return 1 / self.operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -self.operator.log_abs_determinant()

    def _eigvals(self) -> Any:
        return 1 / self.operator.eigvals()

    def _cond(self) -> Any:
        return self.operator.cond()

    def _inverse(self) -> Any:
        return self.operator


@composite
class LinearOperatorComposition(LinearOperator):
    """The product of `operators`. The last one is applied first.

    Raises: ValueError if the list is empty or the shapes don't fit; TypeError for different dtypes.
    Source: TF 2.21 `tf.linalg.LinearOperatorComposition`.
    """

    _composite_tensor_fields = ("operators",)

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        self._operators = require_operators("tf.linalg.LinearOperatorComposition", operators)
        for left, right in zip(self._operators, self._operators[1:], strict=False):
            if left.shape[-1] != right.shape[-2]:
                raise ValueError(
                    f"tf.linalg.LinearOperatorComposition: each operator must have as many columns as the next has "
                    f"rows, got shapes {left.shape} and {right.shape}."
                )
        if is_non_singular is None:
            is_non_singular = joint_hint(self._operators, "is_non_singular")
        if is_self_adjoint is None and len(self._operators) == 1 and self._operators[0].is_self_adjoint:
            is_self_adjoint = True
        if is_self_adjoint is None and _is_mirrored(self._operators):
            is_self_adjoint = True
            is_positive_definite = is_positive_definite or is_non_singular or None
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        joined = "_o_".join(operator.name for operator in self._operators)
        parameters = {"operators": operators, "name": name}
        super().__init__(self._operators[0].dtype, None, *hints, name or joined, parameters | named(hints))

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors."""
        return self._operators

    def _shape(self) -> Any:
        rows, columns = self.operators[0].shape[-2], self.operators[-1].shape[-1]
        return joint_batch(self.operators).concatenate([rows, columns])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = adjoint_of(x) if adjoint_arg else x
        order = self.operators if adjoint else reversed(self.operators)
        return functools.reduce(lambda found, operator: operator._matmul(found, adjoint), order, x)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        order = reversed(self.operators) if adjoint else self.operators
        return functools.reduce(lambda found, operator: operator.solve(found, adjoint=adjoint), order, rhs)

    def _determinant(self) -> Any:
        return functools.reduce(lambda a, b: a * b, [operator.determinant() for operator in self.operators])

    def _log_abs_determinant(self) -> Any:
        return functools.reduce(lambda a, b: a + b, [operator.log_abs_determinant() for operator in self.operators])


@composite
class LinearOperatorLowerTriangular(LinearOperator):
    """The lower triangle of the matrix `tril`.

    Raises: ValueError if `tril` has rank below 2, or `is_square` is False.
    Source: TF 2.21 `tf.linalg.LinearOperatorLowerTriangular`.
    """

    _composite_tensor_fields = ("tril",)

    _matrix_axes = {"tril": 2}  # noqa: RUF012

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        self._tril = held(tril, "tril")
        if is_square is False or self._tril.shape.rank < 2:
            raise ValueError(
                f"tf.linalg.LinearOperatorLowerTriangular: tril must hold square matrices, got shape "
                f"{self._tril.shape} and is_square={is_square}."
            )
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(self._tril.dtype, None, *hints, name, {"tril": tril, "name": name} | named(hints))

    @property
    def tril(self) -> Any:
        """The matrix whose lower triangle is used."""
        return self._tril

    def _shape(self) -> Any:
        return self._tril.shape

    def _to_dense(self) -> Any:
        return band_part(self._tril, -1, 0)

    def _diag_part(self) -> Any:
        return diag_part(self._tril)

    def _assert_non_singular(self) -> None:
        message = "Singular operator:  Diagonal contained zero values."
        assert_positive(size_of(self._diag_part()), message=message)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return product(self._to_dense(), x, adjoint, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return triangular_solve(self._tril, adjoint_of(rhs) if adjoint_arg else rhs, lower=True, adjoint=adjoint)

    def _determinant(self) -> Any:
        return reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self) -> Any:
        return reduce_sum(log(size_of(self._diag_part())), -1)

    def _eigvals(self) -> Any:
        return self._diag_part()


def merged_hints(operator: LinearOperator, *hints: bool | None) -> Any:
    """The given hints; those that are None come from `operator`. Raises ValueError for a contradiction."""
    known = hints_of(operator)
    for (what, value), hint in zip(known.items(), hints, strict=True):
        if value is not None and hint is not None and value != hint:
            raise ValueError(f"The operator has {what}={value}, which contradicts the hint {hint}.")
    return tuple(value if hint is None else hint for value, hint in zip(known.values(), hints, strict=True))


def named(hints: Sequence[bool | None]) -> dict[str, bool | None]:
    """The hints by name."""
    return dict(zip(HINTS, hints, strict=True))


def _adjoint(self: LinearOperator) -> LinearOperator:
    return LinearOperatorAdjoint(self)


def _inverse(self: LinearOperator) -> LinearOperator:
    return LinearOperatorInversion(self)


def _cholesky(self: LinearOperator) -> LinearOperator:
    return LinearOperatorLowerTriangular(cholesky(self.to_dense()), is_non_singular=True, is_self_adjoint=False)


def _behind(self: LinearOperator, left: LinearOperator) -> LinearOperator:
    return LinearOperatorComposition([left, self], **product_hints(left, self))


# These methods of the base class return subclasses, so they are defined here, after the subclasses.
LinearOperator._adjoint = _adjoint
LinearOperator._inverse = _inverse
LinearOperator._cholesky = _cholesky
LinearOperator._behind = _behind
