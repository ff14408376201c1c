"""Operators with structured matrices: Toeplitz, tridiagonal, Householder and permutation."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import INEXACT, as_dtype, float32
from tfcompat._core.types.shape import TensorShape
from tfcompat._linear_operator.derived import named
from tfcompat._linear_operator.operator import LinearOperator, held, product
from tfcompat._linear_operator.spec import composite
from tfcompat._ops.array.creation import ones, zeros
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.array.layout import adjoint as adjoint_of
from tfcompat._ops.array.layout import broadcast_to, expand_dims
from tfcompat._ops.debugging.value_assertion import assert_equal
from tfcompat._ops.elementwise.complex_number import conj
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.linalg.banded import tridiagonal_matmul, tridiagonal_solve
from tfcompat._ops.linalg.diagonal import diag_part
from tfcompat._ops.linalg.norm import l2_normalize
from tfcompat._ops.order.sorting import argsort


@op("linalg.LinearOperatorToeplitz", dtypes=INEXACT)
def _toeplitz(col: Array, row: Array) -> Array:
    """The matrix with the first column `col` and the first row `row` that is constant along diagonals."""
    size = col.shape[-1]
    distance = np.arange(size)[:, None] - np.arange(size)
    below = col[..., np.maximum(distance, 0)]
    above = row[..., np.maximum(-distance, 0)]
    return (distance >= 0) * below + (distance < 0) * above


@composite
class LinearOperatorToeplitz(LinearOperator):
    """The matrix with the first column `col` and the first row `row` that is constant along each diagonal.

    Raises: ValueError if the shapes don't fit or `is_square` is False.
    Source: TF 2.21 `tf.linalg.LinearOperatorToeplitz`.
    """

    _composite_tensor_fields = ("col", "row")

    _matrix_axes = {"col": 1, "row": 1}  # noqa: RUF012

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        self._col, self._row = held(col, "col"), held(row, "row")
        shapes = self._col.shape, self._row.shape
        if is_square is False or min(shape.rank for shape in shapes) < 1 or shapes[0][-1] != shapes[1][-1]:
            raise ValueError(
                f"tf.linalg.LinearOperatorToeplitz: col and row must have the same length, got shapes {shapes} and "
                f"is_square={is_square}."
            )
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(self._row.dtype, None, *hints, name, {"col": col, "row": row, "name": name} | named(hints))

    @property
    def col(self) -> Any:
        """The first column."""
        return self._col

    @property
    def row(self) -> Any:
        """The first row."""
        return self._row

    def _shape(self) -> Any:
        dims = np.broadcast_shapes(tuple(self._col.shape), tuple(self._row.shape))
        return TensorShape([*dims, dims[-1]])

    def _to_dense(self) -> Any:
        return _toeplitz(self._col, self._row)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return product(self._to_dense(), x, adjoint, adjoint_arg)

    def _diag_part(self) -> Any:
        return broadcast_to(convert_to_tensor(self._col)[..., :1], tuple(self.shape[:-1]))  # pyright: ignore[reportIndexIssue]

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """Raises InvalidArgumentError if the first row and the first column differ."""
        del name
        message = "row and col are not the same, and so this operator is not self-adjoint."
        assert_equal(self._row, conj(self._col), message=message)


def _spread(part: Any, batch: tuple[int, ...], axes: int) -> Any:
    """`part` broadcast to `batch`, before its last `axes` axes."""
    tensor = convert_to_tensor(part)
    return broadcast_to(tensor, (*batch, *tensor._aval.shape[-axes:]))


@composite
class LinearOperatorTridiag(LinearOperator):
    """The tridiagonal matrix with the superdiagonal, main diagonal and subdiagonal `diagonals`.

    Their format is that of `tf.linalg.tridiagonal_solve`.

    Raises: ValueError if the format is unknown, the shapes don't fit, or `is_square` is False.
    Source: TF 2.21 `tf.linalg.LinearOperatorTridiag`.
    """

    _composite_tensor_fields = ("diagonals", "diagonals_format")

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        if diagonals_format not in ("compact", "matrix", "sequence") or is_square is False:
            raise ValueError(
                f"tf.linalg.LinearOperatorTridiag: diagonals_format must be 'compact', 'matrix' or 'sequence', and "
                f"is_square must not be False; got {diagonals_format!r} and is_square={is_square}."
            )
        if diagonals_format == "sequence":
            self._diagonals = tuple(held(part, "diagonals") for part in diagonals)
        else:
            self._diagonals = held(diagonals, "diagonals")
        self._format = diagonals_format
        first = self._diagonals[0] if isinstance(self._diagonals, tuple) else self._diagonals
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        parameters = {"diagonals": diagonals, "diagonals_format": diagonals_format, "name": name}
        super().__init__(first.dtype, None, *hints, name, parameters | named(hints))

    @property
    def diagonals(self) -> Any:
        """The argument `diagonals`."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """The format of the argument `diagonals`."""
        return self._format

    def _shape(self) -> Any:
        if isinstance(self._diagonals, tuple):
            main = self._diagonals[1].shape
            return main.concatenate(main[-1:])
        shape = self._diagonals.shape
        return shape if self._format == "matrix" else shape[:-2].concatenate([shape[-1], shape[-1]])

    def _to_dense(self) -> Any:
        return convert_to_tensor(self._diagonals) if self._format == "matrix" else super()._to_dense()

    def _part(self, name: str, value: Any, chosen: tuple[Any, ...]) -> Any:
        if name != "diagonals":
            return value
        if isinstance(self._diagonals, tuple):
            return [convert_to_tensor(part)[(*chosen, slice(None))] for part in self._diagonals]  # pyright: ignore[reportIndexIssue]
        return convert_to_tensor(value)[(*chosen, slice(None), slice(None))]  # pyright: ignore[reportIndexIssue]

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        right = convert_to_tensor(adjoint_of(x) if adjoint_arg else x)
        if adjoint:
            return product(super()._to_dense(), right, True, False)
        return tridiagonal_matmul(self._diagonals, self._joined(right), self._format)

    def _joined(self, right: Any) -> Any:
        """`right` broadcast to the batch of the operator."""
        *batch, rows, columns = right._aval.shape
        return broadcast_to(right, (*np.broadcast_shapes(batch, tuple(self.batch_shape)), rows, columns))

    def _spread(self, right: Any) -> Any:
        """The diagonals, with the batch of `right`."""
        batch = right._aval.shape[:-2]
        if isinstance(self._diagonals, tuple):
            return [_spread(part, batch, 1) for part in self._diagonals]
        return _spread(self._diagonals, batch, 2)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        right = self._joined(convert_to_tensor(adjoint_of(rhs) if adjoint_arg else rhs))
        if adjoint:
            dense = _spread(adjoint_of(super()._to_dense()), right._aval.shape[:-2], 2)
            return tridiagonal_solve(dense, right, "matrix")
        return tridiagonal_solve(self._spread(right), right, self._format)

    def _diag_part(self) -> Any:
        if isinstance(self._diagonals, tuple):
            return convert_to_tensor(self._diagonals[1])
        if self._format == "matrix":
            return diag_part(self._diagonals)
        return convert_to_tensor(self._diagonals)[..., 1, :]  # pyright: ignore[reportIndexIssue]


@composite
class LinearOperatorHouseholder(LinearOperator):
    """The reflection at the hyperplane through the origin that is orthogonal to `reflection_axis`.

    Raises: ValueError if `reflection_axis` has rank 0, or a hint is contradicted.
    Source: TF 2.21 `tf.linalg.LinearOperatorHouseholder`.
    """

    _composite_tensor_fields = ("reflection_axis",)

    _matrix_axes = {"reflection_axis": 1}  # noqa: RUF012

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        self._axis = held(reflection_axis, "reflection_axis")
        if self._axis.shape.rank < 1:
            raise ValueError("tf.linalg.LinearOperatorHouseholder: reflection_axis must have rank 1 or more.")
        if is_self_adjoint is False or is_positive_definite or is_square is False:
            raise ValueError("A Householder operator is always square, self adjoint and not positive definite.")
        hints = (is_non_singular, True, False, True)
        parameters = {"reflection_axis": reflection_axis, "name": name}
        super().__init__(self._axis.dtype, None, *hints, name, parameters | named(hints))

    @property
    def reflection_axis(self) -> Any:
        """The vector that the reflection negates."""
        return self._axis

    def _shape(self) -> Any:
        return self._axis.shape.concatenate(self._axis.shape[-1:])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        del adjoint
        right = adjoint_of(x) if adjoint_arg else x
        unit = expand_dims(l2_normalize(self._axis, axis=-1), -1)
        return right - 2 * product(unit, product(unit, right, True, False), False, False)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def trace(self, name: str = "trace") -> Any:
        """The sum of the diagonal."""
        del name
        return cast(self.shape[-1] - 2, self.dtype) * ones(list(self.batch_shape), self.dtype)

    def _determinant(self) -> Any:
        return -ones(list(self.batch_shape), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(list(self.batch_shape), self.dtype)

    def _cond(self) -> Any:
        return ones(list(self.batch_shape), self.dtype)

    def _inverse(self) -> Any:
        return self

    def _assert_non_singular(self) -> None:
        """A reflection is its own inverse."""

    def _assert_positive_definite(self) -> None:
        raise InvalidArgumentError.of("Householder operators are always non-positive definite.")


@composite
class LinearOperatorPermutation(LinearOperator):
    """The matrix that permutes rows: row k of its product with x is row `perm[k]` of x.

    Raises: ValueError if `perm` has rank 0 or isn't a permutation; TypeError if it doesn't consist of integers.
    Source: TF 2.21 `tf.linalg.LinearOperatorPermutation`.
    """

    _composite_tensor_fields = ("perm", "dtype")

    _matrix_axes = {"perm": 1}  # noqa: RUF012

    def __init__(
        self,
        perm: Any,
        dtype: Any = float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        self._perm = held(perm, "perm")
        if not self._perm.dtype.is_integer:
            raise TypeError(f"tf.linalg.LinearOperatorPermutation: perm must be integers, got {self._perm.dtype.name}.")
        if self._perm.shape.rank < 1 or is_square is False or is_non_singular is False:
            raise ValueError(
                "tf.linalg.LinearOperatorPermutation: perm needs rank 1 or more; the matrix is non-singular."
            )
        self._require_permutation()
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(
            as_dtype(dtype), None, *hints, name, {"perm": perm, "dtype": dtype, "name": name} | named(hints)
        )

    def _require_permutation(self) -> None:
        """Raises ValueError if `perm` isn't a permutation. Values that a trace doesn't know are not checked."""
        perm = self._perm
        if isinstance(perm, Tensor) and perm._array is None and (perm._trace is None or perm._is_symbolic()):
            return  # an argument, or computed in the trace
        known = np.sort(np.asarray(perm), -1)
        if (known != np.arange(known.shape[-1])).any():
            raise ValueError(f"tf.linalg.LinearOperatorPermutation: perm must be a permutation, got {known.tolist()}.")

    @property
    def perm(self) -> Any:
        """The permutation."""
        return self._perm

    def _shape(self) -> Any:
        return self._perm.shape.concatenate(self._perm.shape[-1:])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        right = convert_to_tensor(adjoint_of(x) if adjoint_arg else x)
        order = argsort(self._perm) if adjoint else convert_to_tensor(self._perm)
        *batch, rows, columns = right._aval.shape
        joint = np.broadcast_shapes(batch, tuple(self.batch_shape))
        right, order = broadcast_to(right, (*joint, rows, columns)), broadcast_to(order, (*joint, rows))
        return gather(right, order, axis=-2, batch_dims=len(joint))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, not adjoint, adjoint_arg)

    def _log_abs_determinant(self) -> Any:
        return zeros(list(self.batch_shape), self.dtype)

    def _cond(self) -> Any:
        return ones(list(self.batch_shape), self.dtype)

    def _assert_non_singular(self) -> None:
        """Every permutation has an inverse."""
