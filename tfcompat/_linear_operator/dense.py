"""The operator of a dense matrix without known structure."""

from __future__ import annotations

from typing import Any

from tfcompat._core.types.dtype import COMPLEX, float16, float32, float64
from tfcompat._linear_operator.derived import named
from tfcompat._linear_operator.operator import LinearOperator, held, product
from tfcompat._linear_operator.spec import composite

_ALLOWED = COMPLEX | {float16, float32, float64}


@composite
class LinearOperatorFullMatrix(LinearOperator):
    """The matrix `matrix`.

    Raises: TypeError if `matrix` isn't floating or complex; ValueError if its rank is below 2.
    Source: TF 2.21 `tf.linalg.LinearOperatorFullMatrix`.
    """

    _composite_tensor_fields = ("matrix",)

    _matrix_axes = {"matrix": 2}  # noqa: RUF012

    def __init__(
        self,
        matrix: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        self._matrix = held(matrix, "matrix")
        if self._matrix.dtype not in _ALLOWED:
            raise TypeError(
                f"tf.linalg.LinearOperatorFullMatrix: matrix must be floating or complex, got "
                f"{self._matrix.dtype.name}."
            )
        if self._matrix.shape.rank < 2:
            raise ValueError(
                f"tf.linalg.LinearOperatorFullMatrix: matrix must have rank 2 or more, got shape {self._matrix.shape}."
            )
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(self._matrix.dtype, None, *hints, name, {"matrix": matrix, "name": name} | named(hints))

    @property
    def matrix(self) -> Any:
        """The matrix."""
        return self._matrix

    def _shape(self) -> Any:
        return self._matrix.shape

    def _to_dense(self) -> Any:
        return self._matrix

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return product(self._matrix, x, adjoint, adjoint_arg)
