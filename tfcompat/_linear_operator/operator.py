"""The base class of linear operators: matrices, or batches of matrices, with known structure.

A subclass defines its shape and its product with a matrix. Other methods use the dense matrix unless the subclass
overrides them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.types.dtype import DType, as_dtype
from tfcompat._core.types.nest import flatten, packed
from tfcompat._ops.array.creation import eye
from tfcompat._ops.array.extent import shape
from tfcompat._ops.array.layout import adjoint as adjoint_of
from tfcompat._ops.array.layout import broadcast_to, expand_dims, squeeze
from tfcompat._ops.debugging.value_assertion import assert_equal, assert_less, assert_positive
from tfcompat._ops.elementwise.algebraic import abs as size_of
from tfcompat._ops.elementwise.transcendental import exp, log
from tfcompat._ops.fold.reduction import reduce_max, reduce_min, reduce_sum
from tfcompat._ops.linalg.contraction import matmul
from tfcompat._ops.linalg.decomposition import eigvalsh, svd
from tfcompat._ops.linalg.diagonal import diag_part
from tfcompat._ops.linalg.inverse import cholesky, cholesky_solve, det, slogdet, solve
from tfcompat._state.module import Module
from tfcompat._state.variable import Variable

HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")


def held(value: Any, name: str) -> Any:
    """`value` as an operator stores it: a variable or module as it is, so that it stays live; else a tensor."""
    return value if isinstance(value, (Variable, Module)) else convert_to_tensor(value, name=name)


def broadcast_solve(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    """The solutions of linear systems. The batches of `matrix` and `rhs` are broadcast."""
    left, right = convert_to_tensor(matrix), convert_to_tensor(rhs)
    batch = np.broadcast_shapes(left._aval.shape[:-2], right._aval.shape[:-2])
    left = broadcast_to(left, (*batch, *left._aval.shape[-2:]))
    return solve(left, broadcast_to(right, (*batch, *right._aval.shape[-2:])), adjoint=adjoint)


class LinearOperator(Module):
    """A matrix, or a batch of matrices, defined by its products.

    `is_non_singular`, `is_self_adjoint`, `is_positive_definite` and `is_square` are hints; None means unknown. They
    select the algorithms and are not verified.

    Raises: ValueError if the hints contradict each other.
    Source: TF 2.21 `tf.linalg.LinearOperator`.
    """

    # The number of axes of each parameter that belong to the matrix; the others are batch axes.
    _matrix_axes: dict[str, int] = {}  # noqa: RUF012  # constant for each class

    # The arguments of the constructor, without the hints, from which the spec rebuilds the operator, and those of them
    # that are part of the spec if their values are known. Subclasses of libraries override them with properties.
    _composite_tensor_fields: Any = ()
    _composite_tensor_prefer_static_fields: Any = ()

    def __init__(
        self,
        dtype: Any,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(name or type(self).__name__)
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        for is_so, what in ((is_non_singular, "non-singular"), (is_self_adjoint, "self-adjoint")):
            if is_so:
                if is_square is False:
                    raise ValueError(f"A {what} matrix is always square.")
                is_square = True
        self._graph_parents = [] if graph_parents is None else list(graph_parents)
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._is_square = is_square
        self._parameters = dict(parameters or {})

    def _shape(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}: _shape is not implemented.")

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        del x, adjoint, adjoint_arg
        raise NotImplementedError(f"{type(self).__name__}: _matmul is not implemented.")

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return dict(self._parameters)

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    @property
    def graph_parents(self) -> list[Any]:
        """The argument `graph_parents`, which has no effect."""
        return self._graph_parents

    @property
    def is_non_singular(self) -> bool | None:
        """Whether the matrix is non-singular; None if unknown."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether the matrix equals its conjugate transpose; None if unknown."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether x^H A x has a positive real part for every nonzero x; None if unknown."""
        return self._is_positive_definite

    @property
    def is_square(self) -> bool | None:
        """Whether the matrix is square; None if unknown. Raises ValueError if it is but the hint is False."""
        rows, columns = self.shape[-2:]
        if rows is None or columns is None:
            return self._is_square
        found = rows == columns
        if self._is_square is False and found:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return found if self._is_square is None else self._is_square

    @property
    def shape(self) -> Any:
        """The shape: batch axes, rows, columns."""
        return self._shape()

    @property
    def batch_shape(self) -> Any:
        """The shape of the batch."""
        return self.shape[:-2]

    @property
    def tensor_rank(self) -> int:
        """The rank of the dense matrix."""
        return self.shape.rank

    @property
    def domain_dimension(self) -> Any:
        """The number of columns."""
        return self.shape.dims[-1]

    @property
    def range_dimension(self) -> Any:
        """The number of rows."""
        return self.shape.dims[-2]

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """The shape as a tensor."""
        del name
        return convert_to_tensor(self.shape) if self.shape.is_fully_defined() else shape(self.to_dense())

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """The shape of the batch as a tensor."""
        del name
        if not self.batch_shape.is_fully_defined():
            return self.shape_tensor()[:-2]
        return convert_to_tensor(np.array(self.batch_shape.as_list(), np.int32))

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Any:
        """The rank as a tensor."""
        del name
        return convert_to_tensor(self.tensor_rank)

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Any:
        """The number of columns as a tensor."""
        del name
        return self.shape_tensor()[-1] if self.shape[-1] is None else convert_to_tensor(self.shape[-1])

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Any:
        """The number of rows as a tensor."""
        del name
        return self.shape_tensor()[-2] if self.shape[-2] is None else convert_to_tensor(self.shape[-2])

    def _argument(self, x: Any, what: str, axis: int, size: int | None) -> Any:
        """`x` as a tensor. Raises TypeError for another dtype, ValueError if `axis` doesn't have `size`, if known."""
        tensor = convert_to_tensor(x)
        if tensor.dtype != self.dtype:
            raise TypeError(f"{self.name}: {what} must have dtype {self.dtype.name}, got {tensor.dtype.name}.")
        if size is not None and tensor.shape[axis] not in (size, None):
            raise ValueError(f"{self.name}: axis {axis} of {what} must have size {size}, got {tensor._aval.shape}.")
        return tensor

    def _paired(self, other: LinearOperator, adjoint: bool, adjoint_arg: bool) -> tuple[Any, Any]:
        """This operator and the other, or their adjoints. Raises ValueError if their shapes don't match."""
        left = self.adjoint() if adjoint else self
        right = other.adjoint() if adjoint_arg else other
        if left.shape[-1] != right.shape[-2]:
            raise ValueError(
                f"Operators are incompatible. Expected `x` to have dimension {left.shape[-1]} but got "
                f"{right.shape[-2]}."
            )
        return left, right

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        """The product of the matrix and `x`. `adjoint` and `adjoint_arg` take the conjugate transposes of the factors.

        `x` is a tensor or another operator. The product of two operators is an operator.
        """
        del name
        if isinstance(x, LinearOperator):
            left, right = self._paired(x, adjoint, adjoint_arg)
            return left._times(right)
        tensor = self._argument(x, "x", -1 if adjoint_arg else -2, self.shape[-2 if adjoint else -1])
        return self._matmul(tensor, adjoint, adjoint_arg)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """The product of the matrix, or its conjugate transpose with `adjoint`, and the vectors `x`."""
        del name
        tensor = self._argument(x, "x", -1, self.shape[-2 if adjoint else -1])
        return squeeze(self._matmul(expand_dims(tensor, -1), adjoint), -1)

    def _require_solvable(self) -> None:
        for is_so, what in ((self.is_non_singular, "be singular"), (self.is_square, "not be square")):
            if is_so is False:
                raise NotImplementedError(f"Exact solve not implemented for an operator that is expected to {what}.")

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Any:
        """The solutions of the linear systems with the matrix, or its conjugate transpose with `adjoint`, and `rhs`.

        `rhs` is a tensor or another operator; for an operator, the solution is an operator. Raises NotImplementedError
        if a hint says that this operator is singular, or if it is not square.
        """
        del name
        self._require_solvable()
        if isinstance(rhs, LinearOperator):
            left, right = self._paired(rhs, adjoint, adjoint_arg)
            return left.inverse()._times(right)
        tensor = self._argument(rhs, "rhs", -1 if adjoint_arg else -2, self.shape[-1])
        return self._solve(tensor, adjoint, adjoint_arg)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """The solutions of systems with the matrix, or its conjugate transpose with `adjoint`, and vectors `rhs`."""
        del name
        self._require_solvable()
        tensor = self._argument(rhs, "rhs", -1, self.shape[-1])
        return squeeze(self._solve(expand_dims(tensor, -1), adjoint), -1)

    def _has_root(self) -> bool:
        """Whether the hints allow a Cholesky decomposition."""
        return bool(self.is_square and self.is_self_adjoint and self.is_positive_definite)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        right = adjoint_of(rhs) if adjoint_arg else rhs
        if self._has_root():
            return cholesky_solve(cholesky(self.to_dense()), right)
        return broadcast_solve(self.to_dense(), right, adjoint)

    def to_dense(self, name: str = "to_dense") -> Any:
        """The dense matrix."""
        del name
        return self._to_dense()

    def _to_dense(self) -> Any:
        batch = self.batch_shape.as_list()
        return self._matmul(eye(self.shape[-1], batch_shape=batch or None, dtype=self.dtype))

    def diag_part(self, name: str = "diag_part") -> Any:
        """The elements of the main diagonal."""
        del name
        return self._diag_part()

    def _diag_part(self) -> Any:
        return diag_part(self.to_dense())

    def trace(self, name: str = "trace") -> Any:
        """The sum of the diagonal."""
        del name
        return reduce_sum(self.diag_part(), -1)

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Any:
        """The sum of the matrix and the tensor `x`."""
        del name
        return self.to_dense() + self._argument(x, "x", -1, self.shape[-1])

    def _require_square(self) -> None:
        if self.is_square is False:
            raise NotImplementedError("Determinant not implemented for an operator that is expected to not be square.")

    def determinant(self, name: str = "det") -> Any:
        """The determinant. Raises NotImplementedError if the operator isn't square."""
        del name
        self._require_square()
        return self._determinant()

    def _determinant(self) -> Any:
        return exp(self.log_abs_determinant()) if self._has_root() else det(self.to_dense())

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        """The logarithm of the absolute value of the determinant. Raises NotImplementedError unless it is square."""
        del name
        self._require_square()
        return self._log_abs_determinant()

    def _log_abs_determinant(self) -> Any:
        if self._has_root():
            return 2 * reduce_sum(log(diag_part(cholesky(self.to_dense()))), -1)
        return slogdet(self.to_dense())[1]

    def eigvals(self, name: str = "eigvals") -> Any:
        """The eigenvalues, ascending. Raises NotImplementedError if the operator isn't known to be self-adjoint."""
        del name
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        return self._eigvals()

    def _eigvals(self) -> Any:
        return eigvalsh(self.to_dense())

    def cond(self, name: str = "cond") -> Any:
        """The condition number: the largest singular value (or absolute eigenvalue) divided by the smallest."""
        del name
        return self._cond()

    def _cond(self) -> Any:
        values = size_of(self._eigvals()) if self.is_self_adjoint else svd(self.to_dense(), compute_uv=False)
        return reduce_max(values, -1) / reduce_min(values, -1)

    def adjoint(self, name: str = "adjoint") -> Any:
        """The conjugate transpose as an operator; the operator itself if it is self-adjoint."""
        del name
        return self if self.is_self_adjoint is True else self._adjoint()

    @property
    def H(self) -> Any:
        """The same as `adjoint()`."""
        return self.adjoint()

    def inverse(self, name: str = "inverse") -> Any:
        """The inverse as an operator. Raises ValueError if the matrix is known to be singular or not square."""
        del name
        for is_so, what in ((self.is_square, "non square"), (self.is_non_singular, "singular")):
            if is_so is False:
                raise ValueError(f"Cannot take the Inverse: This operator represents a {what} matrix.")
        return self._inverse()

    def cholesky(self, name: str = "cholesky") -> Any:
        """The lower triangular L with L L^H = A as an operator. Raises ValueError unless the hints guarantee it."""
        del name
        if not self._has_root():
            raise ValueError("Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix.")
        return self._cholesky()

    # These return operators of classes that `derived` defines.
    def _adjoint(self) -> Any:
        raise NotImplementedError

    def _inverse(self) -> Any:
        raise NotImplementedError

    def _cholesky(self) -> Any:
        raise NotImplementedError

    def _behind(self, left: LinearOperator) -> Any:
        raise NotImplementedError

    def _times(self, right: LinearOperator) -> Any:
        """The product of this operator and `right`, which may return a simpler operator than their composition."""
        return right._behind(self)

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """Raises InvalidArgumentError if the matrix is singular or nearly singular."""
        del name
        self._assert_non_singular()

    def _assert_non_singular(self) -> None:
        if self._has_root():
            self.assert_positive_definite()
            return
        dtype: DType = self.dtype.real_dtype
        largest = 1 / max(100.0, *(float(size) for size in self.shape[-2:]))
        limit = convert_to_tensor(largest / float(np.finfo(dtype.as_numpy_dtype).eps), dtype)
        assert_less(self.cond(), limit, message="Singular matrix up to precision epsilon.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """Raises InvalidArgumentError if the matrix isn't positive definite.

        Raises NotImplementedError if the matrix isn't known to be self-adjoint.
        """
        del name
        self._assert_positive_definite()

    def _assert_positive_definite(self) -> None:
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        root = diag_part(cholesky(self.to_dense()))
        assert_positive(root, message="Matrix was not positive definite.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """Raises InvalidArgumentError if the matrix doesn't equal its conjugate transpose."""
        del name
        dense = self.to_dense()
        assert_equal(dense, adjoint_of(dense), message="Matrix was not equal to its adjoint.")

    def _convert_variables_to_tensors(self) -> Any:
        """The operator with the values of its variables. Libraries call it."""
        parts = [convert_to_tensor(part) for part in flatten(self, expand_composites=True)]
        return packed(self, parts, expand_composites=True)

    def __getitem__(self, slices: Any) -> Any:
        """The operator for a part of the batch.

        Raises: InvalidArgumentError if the slices don't fit the batch; NotImplementedError if component operators have
          another batch, which is broadcast.
        """
        chosen = slices if isinstance(slices, tuple) else (slices,)
        chosen = chosen if any(one is ... for one in chosen) else (*chosen, ...)
        self._require_part(chosen)
        parts = {name: self._part(name, value, chosen) for name, value in self._parameters.items()}
        return type(self)(**parts)

    def _require_part(self, chosen: tuple[Any, ...]) -> None:
        """Raises InvalidArgumentError if the slices don't fit the batch."""
        self._batch_part(chosen)

    def _batch_part(self, chosen: tuple[Any, ...]) -> list[int]:
        """The shape of a part of the batch."""
        probe: Any = convert_to_tensor(np.zeros(self.batch_shape.as_list(), np.bool_))
        return probe[chosen].shape.as_list()

    def _part(self, name: str, value: Any, chosen: tuple[Any, ...]) -> Any:
        """The parameter `name` of the operator for a part of the batch."""
        if value is None:
            return None
        if name in ("operator", "base_operator"):
            return self._operator_part(value, chosen)
        if name == "operators":
            return [self._operator_part(operator, chosen) for operator in value]
        if name not in self._matrix_axes:
            return value
        axes = self._matrix_axes[name]
        dims = convert_to_tensor(value)._aval.shape
        whole: Any = broadcast_to(value, (*self.batch_shape, *dims[len(dims) - axes :]))
        return whole[(*chosen, *[slice(None)] * axes)]

    def _operator_part(self, operator: Any, chosen: tuple[Any, ...]) -> Any:
        if operator.batch_shape == self.batch_shape:
            return operator[chosen]
        if operator.batch_shape.rank:
            raise NotImplementedError(f"{self.name}: slicing a broadcast batch isn't supported; slice its operators.")
        return operator


def product(left: Any, right: Any, adjoint: bool, adjoint_arg: bool) -> Any:
    """The product of two tensors, or of their conjugate transposes."""
    return matmul(left, right, adjoint_a=adjoint, adjoint_b=adjoint_arg)
