"""The block lower triangular operator, whose blocks are operators."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._linear_operator.blockwise import Blockwise
from tfcompat._linear_operator.dense import LinearOperatorFullMatrix
from tfcompat._linear_operator.derived import joint_batch, named
from tfcompat._linear_operator.operator import LinearOperator
from tfcompat._linear_operator.spec import composite
from tfcompat._ops.array.creation import zeros
from tfcompat._ops.array.joining import concat
from tfcompat._ops.array.layout import adjoint as adjoint_of
from tfcompat._ops.array.layout import broadcast_to, expand_dims, squeeze
from tfcompat._ops.elementwise.transcendental import exp

_NAME = "LinearOperatorBlockLowerTriangular"


def _require_rows(operators: Any) -> list[list[LinearOperator]]:
    """The rows as lists. Raises TypeError for other types or dtypes, ValueError unless they form a triangle."""
    if not isinstance(operators, Iterable) or not all(isinstance(row, Iterable) for row in operators):
        raise TypeError(f"tf.linalg.{_NAME}: operators must be rows of operators, got {operators!r}.")
    rows = [list(row) for row in operators]
    if not rows or [len(row) for row in rows] != list(range(1, len(rows) + 1)):
        raise ValueError(f"tf.linalg.{_NAME}: row i must have i + 1 operators, got {[len(row) for row in rows]}.")
    dtypes = {operator.dtype for row in rows for operator in row}
    if len(dtypes) > 1:
        names = sorted(dtype.name for dtype in dtypes)
        raise TypeError(f"tf.linalg.{_NAME}: operators must have the same dtype, got {names}.")
    return rows


def _require_fit(rows: list[list[LinearOperator]]) -> None:
    """Raises ValueError unless blocks match the widths of those above them and the heights of their neighbours."""
    for above, row in itertools.pairwise(rows):
        for j, operator in enumerate(row[:-1]):
            if operator.shape[-1] != above[j].shape[-1] or operator.shape[-2] != row[j + 1].shape[-2]:
                raise ValueError(
                    f"tf.linalg.{_NAME}: the block of shape {operator.shape} must have as many columns as the block "
                    f"above it ({above[j].shape}) and as many rows as the one to its right ({row[j + 1].shape})."
                )
    for row in rows:
        if row[-1].is_square is False:
            raise ValueError(f"tf.linalg.{_NAME}: operators on the diagonal must be square, got {row[-1].shape}.")


def _known_inverse(diagonal: Sequence[LinearOperator], hint: bool | None) -> bool | None:
    """Whether the operator is non-singular, by its diagonal. Raises ValueError if the hint contradicts that."""
    found = None
    if all(operator.is_non_singular for operator in diagonal):
        found = True
    elif any(operator.is_non_singular is False for operator in diagonal):
        found = False
    if None not in (found, hint) and found != hint:
        raise ValueError(f"tf.linalg.{_NAME}: the diagonal implies is_non_singular={found}, got {hint}.")
    return found


def _joined(parts: Sequence[Any], axis: int) -> Any:
    """The matrices concatenated along `axis`, with their batches broadcast."""
    batch = np.broadcast_shapes(*[part._aval.shape[:-2] for part in parts])
    return concat([broadcast_to(part, (*batch, *part._aval.shape[-2:])) for part in parts], axis)


def _sum_of(terms: Sequence[Any]) -> Any:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


@composite
class LinearOperatorBlockLowerTriangular(Blockwise):
    """The matrix with the blocks `operators`, of which row i has i + 1, and zeros above the diagonal.

    Products and solutions also take a list of tensors, one for each block, and then return a list.

    Raises: ValueError if the blocks don't form a triangle, their shapes don't fit, or a hint is contradicted;
      TypeError for different dtypes.
    Source: TF 2.21 `tf.linalg.LinearOperatorBlockLowerTriangular`.
    """

    _composite_tensor_fields = ("operators",)

    def __init__(
        self,
        operators: Sequence[Sequence[LinearOperator]],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = _NAME,
    ) -> None:
        self._operators = _require_rows(operators)
        parameters = {"operators": operators, "name": name}
        parameters |= named((is_non_singular, is_self_adjoint, is_positive_definite, is_square))
        found = _known_inverse(self._diagonal, is_non_singular)
        _require_fit(self._operators)
        if is_square is False:
            raise ValueError(f"tf.linalg.{_NAME}: the operator is always square, got is_square=False.")
        hints = (found, is_self_adjoint, is_positive_definite, True)
        super().__init__(self._operators[0][0].dtype, None, *hints, name, parameters)

    @property
    def operators(self) -> list[list[LinearOperator]]:
        """The blocks, by rows."""
        return self._operators

    @property
    def _diagonal(self) -> list[LinearOperator]:
        return [row[-1] for row in self._operators]

    @property
    def _sizes(self) -> list[int]:
        """The size of each block on the diagonal."""
        return [operator.shape[-1] for operator in self._diagonal]

    def _shape(self) -> Any:
        size = sum(self._sizes)
        return joint_batch([operator for row in self._operators for operator in row]).concatenate([size, size])

    def _block_sizes(self, adjoint: bool) -> list[int]:
        del adjoint
        return self._sizes

    def _split(self, x: Any, axis: int) -> list[Any]:
        """A tensor split into one part for each block."""
        tensor: Any = convert_to_tensor(x)
        ends = np.cumsum([0, *self._sizes]).tolist()
        spans = [slice(start, end) for start, end in itertools.pairwise(ends)]
        return [tensor[..., span, :] if axis == -2 else tensor[..., span] for span in spans]

    def _products(self, parts: Sequence[Any], adjoint: bool, adjoint_arg: bool) -> list[Any]:
        """The product for each block of rows."""
        rows = self._operators
        if adjoint:
            return [
                _sum_of([rows[j][i].matmul(parts[j], True, adjoint_arg) for j in range(i, len(rows))])
                for i in range(len(rows))
            ]
        return [
            _sum_of([operator.matmul(part, False, adjoint_arg) for operator, part in zip(row, parts, strict=False)])
            for row in rows
        ]

    def _solutions(self, parts: Sequence[Any], adjoint: bool) -> list[Any]:
        """The solution for each block, by substitution: forward, or backward with `adjoint`."""
        rows, count = self._operators, len(self._operators)
        found: dict[int, Any] = {}
        for i in reversed(range(count)) if adjoint else range(count):
            rest = parts[i]
            for j in reversed(range(i + 1, count)) if adjoint else range(i):
                block = rows[j][i] if adjoint else rows[i][j]
                rest = rest - block.matmul(found[j], adjoint)
            found[i] = rows[i][i].solve(rest, adjoint)
        return [found[i] for i in range(count)]

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return _joined(self._products(self._split(x, -1 if adjoint_arg else -2), adjoint, adjoint_arg), -2)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return _joined(self._solutions(self._split(adjoint_of(rhs) if adjoint_arg else rhs, -2), adjoint), -2)

    def _to_dense(self) -> Any:
        batch, width, before = self.batch_shape.as_list(), self.shape[-1], 0
        rows: list[Any] = []
        for row in self._operators:
            before += row[-1].shape[-1]
            blank = zeros([*batch, row[-1].shape[-2], width - before], self.dtype)
            rows.append(_joined([*(convert_to_tensor(operator.to_dense()) for operator in row), blank], -1))
        return concat(rows, -2)

    def _diag_part(self) -> Any:
        parts = [expand_dims(operator.diag_part(), -1) for operator in self._diagonal]
        return squeeze(_joined(parts, -2), -1)

    def trace(self, name: str = "trace") -> Any:
        """The sum of the traces of the blocks on the diagonal."""
        del name
        return _sum_of([operator.trace() for operator in self._diagonal])

    def _determinant(self) -> Any:
        if all(operator.is_positive_definite for operator in self._diagonal):
            return exp(self._log_abs_determinant())
        product = self._diagonal[0].determinant()
        for operator in self._diagonal[1:]:
            product = product * operator.determinant()
        return product

    def _log_abs_determinant(self) -> Any:
        return _sum_of([operator.log_abs_determinant() for operator in self._diagonal])

    def _eigvals(self) -> Any:
        return squeeze(_joined([expand_dims(operator.eigvals(), -1) for operator in self._diagonal], -2), -1)

    def _inverse(self) -> Any:
        hints: dict[str, Any] = named((self.is_non_singular, self.is_self_adjoint, self.is_positive_definite, True))
        *above, last = self._operators
        corner = last[-1].inverse()
        if not above:
            return LinearOperatorBlockLowerTriangular([[corner]], **hints)
        inverses = LinearOperatorBlockLowerTriangular(above).inverse().operators
        bottom: list[LinearOperator] = []
        for i in range(len(above)):
            total = _sum_of([last[j].matmul(inverses[j][i]).to_dense() for j in range(i, len(above))])
            bottom.append(LinearOperatorFullMatrix(-last[-1].solve(total)))
        return LinearOperatorBlockLowerTriangular([*inverses, [*bottom, corner]], **hints)

    def _assert_non_singular(self) -> None:
        for operator in self._diagonal:
            operator.assert_non_singular()

    def _part(self, name: str, value: Any, chosen: tuple[Any, ...]) -> Any:
        if name == "operators":
            return [[self._operator_part(operator, chosen) for operator in row] for row in self._operators]
        return super()._part(name, value, chosen)
