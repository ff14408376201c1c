"""Diagonal operators: a given diagonal, the identity, a scaled identity, and zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import shape as static_shape
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.dtype import COMPLEX, as_dtype, float32
from tfcompat._linear_operator.derived import LinearOperatorLowerTriangular, named, product_hints
from tfcompat._linear_operator.operator import LinearOperator, held
from tfcompat._linear_operator.spec import composite
from tfcompat._ops.array.creation import eye, ones, zeros
from tfcompat._ops.array.layout import adjoint as adjoint_of
from tfcompat._ops.array.layout import broadcast_to, expand_dims
from tfcompat._ops.debugging.value_assertion import assert_equal, assert_positive
from tfcompat._ops.elementwise.algebraic import abs as size_of
from tfcompat._ops.elementwise.algebraic import pow as power
from tfcompat._ops.elementwise.algebraic import sqrt
from tfcompat._ops.elementwise.complex_number import conj, imag, real
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.elementwise.transcendental import log
from tfcompat._ops.fold.reduction import reduce_max, reduce_min, reduce_prod, reduce_sum
from tfcompat._ops.linalg.diagonal import diag as matrix_with
from tfcompat._ops.linalg.diagonal import diag_part, set_diag


@composite
class LinearOperatorDiag(LinearOperator):
    """The matrix with the diagonal `diag`, and zeros elsewhere.

    Raises: ValueError if `diag` has rank 0, or a hint is contradicted.
    Source: TF 2.21 `tf.linalg.LinearOperatorDiag`.
    """

    _composite_tensor_fields = ("diag",)

    _matrix_axes = {"diag": 1}  # noqa: RUF012

    def __init__(
        self,
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        self._diag = held(diag, "diag")
        if self._diag.shape.rank < 1 or is_square is False:
            raise ValueError(
                f"tf.linalg.LinearOperatorDiag: diag must have rank 1 or more, and is_square must not be False; got "
                f"shape {self._diag.shape} and is_square={is_square}."
            )
        if self._diag.dtype not in COMPLEX:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(self._diag.dtype, None, *hints, name, {"diag": diag, "name": name} | named(hints))

    @property
    def diag(self) -> Any:
        """The diagonal."""
        return self._diag

    def _shape(self) -> Any:
        return self._diag.shape.concatenate(self._diag.shape[-1:])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        diagonal = conj(self._diag) if adjoint else self._diag
        return expand_dims(diagonal, -1) * (adjoint_of(x) if adjoint_arg else x)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        diagonal = conj(self._diag) if adjoint else self._diag
        return (adjoint_of(rhs) if adjoint_arg else rhs) * expand_dims(1 / diagonal, -1)

    def _to_dense(self) -> Any:
        return matrix_with(self._diag)

    def _diag_part(self) -> Any:
        return self._diag

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Any:
        """The sum of the matrix and the tensor `x`."""
        del name
        tensor = self._argument(x, "x", -1, self.shape[-1])
        return set_diag(tensor, self._diag + diag_part(tensor))

    def _determinant(self) -> Any:
        return reduce_prod(self._diag, -1)

    def _log_abs_determinant(self) -> Any:
        return cast(reduce_sum(log(size_of(self._diag)), -1), self.dtype)

    def _eigvals(self) -> Any:
        return convert_to_tensor(self._diag)

    def _cond(self) -> Any:
        sizes = size_of(self._diag)
        return reduce_max(sizes, -1) / reduce_min(sizes, -1)

    def _adjoint(self) -> Any:
        return LinearOperatorDiag(conj(self._diag), **self._hints())

    def _inverse(self) -> Any:
        return LinearOperatorDiag(1 / self._diag, **self._hints())

    def _hints(self) -> dict[str, Any]:
        return named((self._is_non_singular, self._is_self_adjoint, self._is_positive_definite, True))

    def _cholesky(self) -> Any:
        return LinearOperatorDiag(
            sqrt(self._diag), is_non_singular=True, is_self_adjoint=True, is_positive_definite=True
        )

    def _times(self, right: LinearOperator) -> Any:
        if isinstance(right, LinearOperatorDiag):
            return LinearOperatorDiag(self._diag * right.diag, **product_hints(self, right, commute=True))
        if isinstance(right, LinearOperatorScaledIdentity):
            scaled = self._diag * expand_dims(right.multiplier, -1)
            return LinearOperatorDiag(scaled, **product_hints(self, right, commute=True))
        if isinstance(right, LinearOperatorLowerTriangular):
            scaled = expand_dims(self._diag, -1) * right.to_dense()
            return LinearOperatorLowerTriangular(scaled, **product_hints(self, right))
        return super()._times(right)

    def _behind(self, left: LinearOperator) -> Any:
        if isinstance(left, LinearOperatorLowerTriangular):
            scaled = left.to_dense() * expand_dims(self._diag, -2)
            return LinearOperatorLowerTriangular(scaled, **product_hints(left, self))
        return super()._behind(left)

    def _assert_non_singular(self) -> None:
        message = "Singular operator:  Diagonal contained zero values."
        assert_positive(size_of(self._diag), message=message)

    def _assert_positive_definite(self) -> None:
        message = "The diagonal has entries whose real part isn't positive, so the operator isn't positive definite."
        assert_positive(real(self._diag), message=message)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """Raises InvalidArgumentError if the diagonal isn't real."""
        del name
        if self.dtype in COMPLEX:
            message = "The diagonal has imaginary parts, so the operator isn't self-adjoint."
            assert_equal(imag(self._diag), np.zeros((), self.dtype.real_dtype.as_numpy_dtype), message=message)


def _rows(name: str, value: Any, what: str) -> int:
    """A number of rows. Raises TypeError if it is not an integer, ValueError if it is not a scalar or negative."""
    tensor = convert_to_tensor(value)
    if not tensor.dtype.is_integer:
        raise TypeError(f"tf.linalg.{name}: {what} must be an integer, got {tensor.dtype.name}.")
    if tensor.ndim or int(tensor) < 0:
        raise ValueError(f"tf.linalg.{name}: {what} must be a non-negative scalar, got {value}.")
    return int(tensor)


def _require_hints(what: str, **hints: bool | None) -> None:
    """Raises ValueError for a hint that is not true."""
    for said, hint in hints.items():
        if not hint:
            raise ValueError(f"{what} operator is always {said.replace('_', ' ')}.")


def _require_part_of(operator: LinearOperator, chosen: tuple[Any, ...]) -> None:
    """Raises ValueError if the slices don't fit the batch of an operator without tensors."""
    try:
        operator._batch_part(chosen)
    except InvalidArgumentError as error:
        raise ValueError(error.message) from None


class _Square(LinearOperator):
    """The common base of square operators that are defined by a size and a batch shape."""

    _size: int
    _batch: tuple[int, ...]

    def _shape(self) -> Any:
        return aval_of((*self._batch, self._size, self._size), self.dtype).tensor_shape

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The sum of the matrix and the tensor `mat`."""
        return super().add_to_tensor(mat, name)

    def _spread(self, x: Any, adjoint_arg: bool) -> Any:
        """`x` broadcast to the shape of its product with the operator."""
        tensor = convert_to_tensor(adjoint_of(x) if adjoint_arg else x)
        *batch, rows, columns = tensor._aval.shape
        return broadcast_to(tensor, (*np.broadcast_shapes(batch, self._batch), rows, columns))


@composite
class LinearOperatorIdentity(_Square):
    """The identity with `num_rows` rows, in a batch of shape `batch_shape`.

    Raises: ValueError if `num_rows` is negative or a hint is contradicted; TypeError if it is not an integer.
    Source: TF 2.21 `tf.linalg.LinearOperatorIdentity`.
    """

    _composite_tensor_fields = ("num_rows", "batch_shape", "dtype", "assert_proper_shapes")
    _composite_tensor_prefer_static_fields = ("num_rows", "batch_shape")

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        _require_hints("An identity", self_adjoint=is_self_adjoint, non_singular=is_non_singular)
        _require_hints("An identity", positive_definite=is_positive_definite, square=is_square)
        self._size = _rows("LinearOperatorIdentity", num_rows, "num_rows")
        self._batch = static_shape(batch_shape) or ()
        parameters = {"num_rows": num_rows, "batch_shape": batch_shape, "dtype": dtype, "name": name}
        parameters["assert_proper_shapes"] = assert_proper_shapes
        hints = (True, True, True, True)
        super().__init__(as_dtype(dtype or float32), None, *hints, name, parameters | named(hints))

    def _require_part(self, chosen: tuple[Any, ...]) -> None:
        _require_part_of(self, chosen)

    def _part(self, name: str, value: Any, chosen: tuple[Any, ...]) -> Any:
        return self._batch_part(chosen) if name == "batch_shape" else value

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        del adjoint
        return self._spread(x, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        return eye(self._size, batch_shape=list(self._batch) or None, dtype=self.dtype)

    def _diag_part(self) -> Any:
        return ones([*self._batch, self._size], self.dtype)

    def _determinant(self) -> Any:
        return ones(list(self._batch), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return zeros(list(self._batch), self.dtype)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        return ones(list(self._batch), self.dtype)

    def _inverse(self) -> Any:
        return self

    def _cholesky(self) -> Any:
        return LinearOperatorIdentity(self._size, list(self._batch) or None, self.dtype)

    def _times(self, right: LinearOperator) -> Any:
        return right

    def _behind(self, left: LinearOperator) -> Any:
        return left

    def _assert_non_singular(self) -> None:
        """The identity is its own inverse."""

    def _assert_positive_definite(self) -> None:
        """The eigenvalues are ones."""


@composite
class LinearOperatorScaledIdentity(_Square):
    """The identity with `num_rows` rows times `multiplier`, whose shape is that of the batch.

    Raises: ValueError if `num_rows` is negative or a hint is contradicted; TypeError if it is not an integer.
    Source: TF 2.21 `tf.linalg.LinearOperatorScaledIdentity`.
    """

    _composite_tensor_fields = ("num_rows", "multiplier", "assert_proper_shapes")
    _composite_tensor_prefer_static_fields = ("num_rows",)

    _matrix_axes = {"multiplier": 0}  # noqa: RUF012

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        _require_hints("A ScaledIdentity", square=is_square)
        self._size = _rows("LinearOperatorScaledIdentity", num_rows, "num_rows")
        self._multiplier = held(multiplier, "multiplier")
        given = self._multiplier
        self._batch = given._aval.shape if isinstance(given, Tensor) else tuple(given.shape)
        if self._multiplier.dtype not in COMPLEX:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        parameters = {"num_rows": num_rows, "multiplier": multiplier, "name": name}
        parameters["assert_proper_shapes"] = assert_proper_shapes
        super().__init__(self._multiplier.dtype, None, *hints, name, parameters | named(hints))

    @property
    def multiplier(self) -> Any:
        """The number on the diagonal."""
        return self._multiplier

    def _factor(self, adjoint: bool) -> Any:
        factor = conj(self._multiplier) if adjoint else convert_to_tensor(self._multiplier)
        return expand_dims(expand_dims(factor, -1), -1)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return (adjoint_of(x) if adjoint_arg else x) * self._factor(adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return (adjoint_of(rhs) if adjoint_arg else rhs) / self._factor(adjoint)

    def _diag_part(self) -> Any:
        return broadcast_to(expand_dims(self._multiplier, -1), (*self._batch, self._size))

    def _to_dense(self) -> Any:
        return matrix_with(self._diag_part())

    def _determinant(self) -> Any:
        return power(self._multiplier, self._size)

    def _log_abs_determinant(self) -> Any:
        return self._size * log(size_of(self._multiplier))

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _cond(self) -> Any:
        # nan where the multiplier is 0.
        sizes = size_of(self._multiplier)
        return cast(sizes / sizes, self.dtype)

    def _hints(self) -> dict[str, Any]:
        return named((self._is_non_singular, self._is_self_adjoint, self._is_positive_definite, True))

    def _adjoint(self) -> Any:
        return LinearOperatorScaledIdentity(self._size, conj(self._multiplier), **self._hints())

    def _inverse(self) -> Any:
        return LinearOperatorScaledIdentity(self._size, 1 / self._multiplier, **self._hints())

    def _cholesky(self) -> Any:
        return LinearOperatorScaledIdentity(self._size, sqrt(self._multiplier), is_positive_definite=True)

    def _times(self, right: LinearOperator) -> Any:
        if isinstance(right, LinearOperatorScaledIdentity):
            product = self._multiplier * right.multiplier
            return LinearOperatorScaledIdentity(self._size, product, **product_hints(self, right, commute=True))
        if isinstance(right, LinearOperatorDiag):
            scaled = expand_dims(self._multiplier, -1) * right.diag
            return LinearOperatorDiag(scaled, **product_hints(self, right, commute=True))
        return super()._times(right)

    def _assert_non_singular(self) -> None:
        assert_positive(size_of(self._multiplier), message="LinearOperator was singular")

    def _assert_positive_definite(self) -> None:
        assert_positive(real(self._multiplier), message="LinearOperator was not positive definite.")


@composite
class LinearOperatorZeros(LinearOperator):
    """The zero matrix with `num_rows` rows and `num_columns` columns (None: `num_rows`), in a batch of `batch_shape`.

    Raises: ValueError if a size is negative or a hint is contradicted; TypeError if it is not an integer.
    Source: TF 2.21 `tf.linalg.LinearOperatorZeros`.
    """

    _composite_tensor_fields = ("num_rows", "num_columns", "batch_shape", "dtype", "assert_proper_shapes")
    _composite_tensor_prefer_static_fields = ("num_rows", "num_columns", "batch_shape")

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        if is_non_singular or is_positive_definite:
            raise ValueError("A zero operator is never non-singular, and never positive definite.")
        rows = _rows("LinearOperatorZeros", num_rows, "num_rows")
        columns = rows if num_columns is None else _rows("LinearOperatorZeros", num_columns, "num_columns")
        if is_square and rows != columns:
            raise ValueError(
                f"tf.linalg.LinearOperatorZeros: is_square must be False for {rows} rows, {columns} columns."
            )
        self._dims = (*(static_shape(batch_shape) or ()), rows, columns)
        parameters = {"num_rows": num_rows, "num_columns": num_columns, "batch_shape": batch_shape, "dtype": dtype}
        parameters |= {"assert_proper_shapes": assert_proper_shapes, "name": name}
        hints = (False, is_self_adjoint, False, is_square)
        super().__init__(as_dtype(dtype or float32), None, *hints, name, parameters | named(hints))

    def _shape(self) -> Any:
        return aval_of(self._dims, self.dtype).tensor_shape

    def _require_part(self, chosen: tuple[Any, ...]) -> None:
        _require_part_of(self, chosen)

    def _part(self, name: str, value: Any, chosen: tuple[Any, ...]) -> Any:
        return self._batch_part(chosen) if name == "batch_shape" else value

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        shape = convert_to_tensor(x)._aval.shape
        batch = np.broadcast_shapes(shape[:-2], self._dims[:-2])
        return zeros([*batch, self._dims[-1 if adjoint else -2], shape[-2 if adjoint_arg else -1]], self.dtype)

    def _to_dense(self) -> Any:
        return zeros(list(self._dims), self.dtype)

    def _diag_part(self) -> Any:
        return zeros([*self._dims[:-2], min(self._dims[-2:])], self.dtype)

    def _determinant(self) -> Any:
        return zeros(list(self._dims[:-2]), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return log(self._determinant())

    def _eigvals(self) -> Any:
        return self._diag_part()

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The sum of the zeros and the tensor `mat`."""
        return super().add_to_tensor(mat, name)

    def _times(self, right: LinearOperator) -> Any:
        if not (self.is_square and right.is_square):
            raise ValueError("Products of zero operators with operators that aren't square are not supported.")
        return self

    def _behind(self, left: LinearOperator) -> Any:
        return self._times(left)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """Does nothing, even if the operator is not square."""
        del name

    def _assert_non_singular(self) -> None:
        raise InvalidArgumentError.of("Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> None:
        raise InvalidArgumentError.of("Zero operators are always non-positive definite.")
