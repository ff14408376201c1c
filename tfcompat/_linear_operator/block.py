"""Operators that combine others: block diagonal operators and Kronecker products."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._linear_operator.blockwise import Blockwise
from tfcompat._linear_operator.derived import joint_batch, joint_hint, named, require_operators
from tfcompat._linear_operator.operator import LinearOperator
from tfcompat._linear_operator.spec import composite
from tfcompat._ops.array.joining import concat
from tfcompat._ops.array.layout import adjoint as adjoint_of
from tfcompat._ops.array.layout import broadcast_to, expand_dims, reshape, transpose
from tfcompat._ops.array.padding import pad


def _product_of(factors: Sequence[Any]) -> Any:
    return functools.reduce(lambda a, b: a * b, factors)


def _sum_of(terms: Sequence[Any]) -> Any:
    return functools.reduce(lambda a, b: a + b, terms)


class _Joined(LinearOperator):
    """The common base of operators that combine several operators."""

    _joint = ""

    def __init__(self, operators: Any, hints: Any, name: str | None) -> None:
        self._operators = require_operators(f"tf.linalg.{type(self).__name__}", operators)
        known = ("is_non_singular", "is_self_adjoint", "is_positive_definite")
        merged = [
            joint_hint(self._operators, what) if hint is None else hint
            for what, hint in zip(known, hints, strict=False)
        ]
        joined = self._joint.join(operator.name for operator in self._operators)
        parameters = {"operators": operators, "name": name} | named(hints)
        found = named((*merged, hints[3]))
        super().__init__(self._operators[0].dtype, **found, name=name or joined, parameters=parameters)

    @property
    def operators(self) -> list[LinearOperator]:
        """The combined operators."""
        return self._operators

    def _of_each(self, method: str) -> Any:
        return type(self)([getattr(operator, method)() for operator in self.operators])  # pyright: ignore[reportCallIssue]

    def _adjoint(self) -> Any:
        return self._of_each("adjoint")

    def _inverse(self) -> Any:
        return self._of_each("inverse")

    def _cholesky(self) -> Any:
        return self._of_each("cholesky")


@composite
class LinearOperatorBlockDiag(Blockwise, _Joined):
    """The block diagonal matrix with the blocks `operators`.

    Products and solutions also take a list of tensors, one for each block, and then return a list.

    Raises: ValueError if the list is empty; TypeError for different dtypes.
    Source: TF 2.21 `tf.linalg.LinearOperatorBlockDiag`.
    """

    _composite_tensor_fields = ("operators",)

    _joint = "_ds_"

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        super().__init__(operators, (is_non_singular, is_self_adjoint, is_positive_definite, is_square), name)

    def _shape(self) -> Any:
        sizes = [sum(operator.shape[axis] for operator in self.operators) for axis in (-2, -1)]
        return joint_batch(self.operators).concatenate(sizes)

    def _block_sizes(self, adjoint: bool) -> list[int]:
        return [operator.shape[-2 if adjoint else -1] for operator in self.operators]

    def _products(self, parts: Sequence[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        pairs = zip(self.operators, parts, strict=True)
        return [operator.matmul(part, adjoint, adjoint_arg) for operator, part in pairs]

    def _solutions(self, parts: Sequence[Any], adjoint: bool) -> list[Any]:
        return [operator.solve(part, adjoint) for operator, part in zip(self.operators, parts, strict=True)]

    def _apart(self, method: str, x: Any, adjoint: bool, adjoint_arg: bool, axis: int) -> Any:
        """Applies `method` of each operator to its rows of `x`. The results are stacked vertically."""
        right = convert_to_tensor(adjoint_of(x) if adjoint_arg else x)
        starts = np.cumsum([0, *(operator.shape[axis] for operator in self.operators)]).tolist()
        parts = [
            getattr(operator, method)(right[..., start:end, :], adjoint)  # pyright: ignore[reportIndexIssue]
            for operator, start, end in zip(self.operators, starts, starts[1:], strict=False)
        ]
        batch = np.broadcast_shapes(*[part._aval.shape[:-2] for part in parts])
        return concat([broadcast_to(part, (*batch, *part._aval.shape[-2:])) for part in parts], -2)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._apart("_matmul", x, adjoint, adjoint_arg, -2 if adjoint else -1)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._apart("_solve", rhs, adjoint, adjoint_arg, -1)

    def _to_dense(self) -> Any:
        rows, before = [], 0
        batch, width = self.batch_shape.as_list(), self.shape[-1]
        for operator in self.operators:
            dense = operator.to_dense()
            size = operator.shape[-1]
            whole = broadcast_to(dense, (*batch, *dense._aval.shape[-2:]))
            rows.append(pad(whole, [*[(0, 0)] * (len(batch) + 1), (before, width - before - size)]))
            before += size
        return concat(rows, -2)

    def _times(self, right: LinearOperator) -> Any:
        if isinstance(right, LinearOperatorBlockDiag) and len(self.operators) == len(right.operators):
            pairs = list(zip(self.operators, right.operators, strict=True))
            if all(one.shape[-1] == other.shape[-2] for one, other in pairs):
                return LinearOperatorBlockDiag([one.matmul(other) for one, other in pairs])
        return super()._times(right)

    def _diag_part(self) -> Any:
        batch = self.batch_shape.as_list()
        parts = [operator.diag_part() for operator in self.operators]
        return concat([broadcast_to(part, (*batch, part._aval.shape[-1])) for part in parts], -1)

    def _determinant(self) -> Any:
        return _product_of([operator.determinant() for operator in self.operators])

    def _log_abs_determinant(self) -> Any:
        return _sum_of([operator.log_abs_determinant() for operator in self.operators])

    def _eigvals(self) -> Any:
        batch = self.batch_shape.as_list()
        parts = [operator.eigvals() for operator in self.operators]
        return concat([broadcast_to(part, (*batch, part._aval.shape[-1])) for part in parts], -1)


@composite
class LinearOperatorKronecker(_Joined):
    """The Kronecker product of `operators`: each element of the first is multiplied by the product of the others.

    Raises: ValueError if the list is empty; TypeError for different dtypes.
    Source: TF 2.21 `tf.linalg.LinearOperatorKronecker`.
    """

    _composite_tensor_fields = ("operators",)

    _joint = "_x_"

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(operators, (is_non_singular, is_self_adjoint, is_positive_definite, is_square), name)

    def _shape(self) -> Any:
        sizes = [int(np.prod([operator.shape[axis] for operator in self.operators])) for axis in (-2, -1)]
        return joint_batch(self.operators).concatenate(sizes)

    def _in_turn(self, method: str, x: Any, adjoint: bool, adjoint_arg: bool) -> Any:
        """Applies `method` of each operator to its axis of `x`."""
        right = convert_to_tensor(adjoint_of(x) if adjoint_arg else x)
        *batch, _, columns = right._aval.shape
        for operator in self.operators:
            size = operator.shape[-2 if adjoint else -1]
            rows = right._aval.shape[-2]
            right = reshape(right, [*batch, size, rows // size * columns])
            right = getattr(operator, method)(right, adjoint)
            batch = list(right._aval.shape[:-2])
            size = right._aval.shape[-2]
            # The processed axis moves behind the other row axes, before the columns.
            rest = rows // operator.shape[-2 if adjoint else -1]
            right = reshape(right, [*batch, size, rest, columns])
            right = _swapped(right)
            right = reshape(right, [*batch, rest * size, columns])
        return right

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._in_turn("_matmul", x, adjoint, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._in_turn("_solve", rhs, adjoint, adjoint_arg)

    def _diag_part(self) -> Any:
        return functools.reduce(_outer, [operator.diag_part() for operator in self.operators])

    def trace(self, name: str = "trace") -> Any:
        """The product of the traces."""
        del name
        return _product_of([operator.trace() for operator in self.operators])

    def _powers(self) -> list[int]:
        """The exponent of each operator's determinant in that of the product."""
        return [self.shape[-1] // operator.shape[-1] for operator in self.operators]

    def _determinant(self) -> Any:
        pairs = zip(self.operators, self._powers(), strict=True)
        return _product_of([operator.determinant() ** power for operator, power in pairs])

    def _log_abs_determinant(self) -> Any:
        pairs = zip(self.operators, self._powers(), strict=True)
        return _sum_of([power * operator.log_abs_determinant() for operator, power in pairs])

    def _eigvals(self) -> Any:
        return functools.reduce(_outer, [operator.eigvals() for operator in self.operators])


def _swapped(tensor: Any) -> Any:
    """`tensor` with axes -3 and -2 swapped."""
    ndim = tensor.ndim
    return transpose(tensor, [*range(ndim - 3), ndim - 2, ndim - 3, ndim - 1])


def _outer(first: Any, second: Any) -> Any:
    """The outer product of two vectors, flattened."""
    table = expand_dims(first, -1) * expand_dims(second, -2)
    *batch, rows, columns = table._aval.shape
    return reshape(table, [*batch, rows * columns])
