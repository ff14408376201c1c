"""Circulant operators: periodic convolutions in one, two or three dimensions, diagonalised by the Fourier transform.

They are defined by their spectrum, the eigenvalues. Their inputs and outputs may be real although the spectrum is
complex: `input_output_dtype` is independent of the dtype of the spectrum. The imaginary part of a product is then
dropped.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.types.dtype import COMPLEX, as_dtype, complex64, complex128, float64
from tfcompat._core.types.shape import TensorShape
from tfcompat._linear_operator.derived import named, product_hints
from tfcompat._linear_operator.operator import LinearOperator, held
from tfcompat._linear_operator.spec import composite
from tfcompat._ops.array.creation import ones, zeros_like
from tfcompat._ops.array.layout import adjoint as adjoint_of
from tfcompat._ops.array.layout import expand_dims, matrix_transpose, reshape
from tfcompat._ops.debugging.value_assertion import assert_equal, assert_less, assert_positive
from tfcompat._ops.elementwise.algebraic import abs as size_of
from tfcompat._ops.elementwise.complex_number import complex as complex_number
from tfcompat._ops.elementwise.complex_number import conj, imag, real
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.elementwise.transcendental import log
from tfcompat._ops.fold.reduction import reduce_max, reduce_min, reduce_prod, reduce_sum
from tfcompat._ops.signal.fourier import fft, fft2d, fft3d, ifft, ifft2d, ifft3d

_TRANSFORMS = {1: (fft, ifft), 2: (fft2d, ifft2d), 3: (fft3d, ifft3d)}


def _as_complex(x: Any) -> Any:
    """`x` converted to complex numbers of the same precision."""
    tensor = convert_to_tensor(x)
    if tensor.dtype in COMPLEX:
        return tensor
    return cast(tensor, complex128 if tensor.dtype is float64 else complex64)


class _Circulant(LinearOperator):
    """The common base of the operators of all depths."""

    _depth = 1

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any,
        hints: tuple[bool | None, bool | None, bool | None, bool | None],
        name: str,
    ) -> None:
        self._spectrum = held(spectrum, "spectrum")
        is_non_singular, is_self_adjoint, is_positive_definite, is_square = hints
        if self._spectrum.shape.rank < self._depth or is_square is False:
            raise ValueError(
                f"tf.linalg.{type(self).__name__}: spectrum must have rank {self._depth} or more, and is_square "
                f"must not be False; got shape {self._spectrum.shape} and is_square={is_square}."
            )
        if self._spectrum.dtype not in COMPLEX:
            if is_self_adjoint is False:
                raise ValueError("A real spectrum always belongs to a self-adjoint operator.")
            is_self_adjoint = True
        found = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        parameters = {"spectrum": spectrum, "input_output_dtype": input_output_dtype, "name": name} | named(hints)
        super().__init__(as_dtype(input_output_dtype), None, *found, name, parameters)

    @property
    def spectrum(self) -> Any:
        """The eigenvalues, in the order of the Fourier transform."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """The number of axes of the spectrum that belong to one matrix: the nesting depth of circulant blocks."""
        return self._depth

    @property
    def block_shape(self) -> Any:
        """The shape of these axes."""
        return self._spectrum.shape[-self._depth :]

    def block_shape_tensor(self) -> Any:
        """The shape of these axes as a tensor."""
        return convert_to_tensor(np.array(self.block_shape.as_list(), np.int32))

    def _axes(self) -> tuple[int, ...]:
        return tuple(range(-self._depth, 0))

    def _shape(self) -> Any:
        size = math.prod(self.block_shape.as_list())
        return TensorShape([*self._spectrum.shape[: -self._depth], size, size])

    def _flat(self) -> Any:
        """The spectrum with one axis for the eigenvalues."""
        return reshape(self._spectrum, list(self.shape[:-1]))

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """The convolution kernel: the first column of the matrix, in the shape of the spectrum."""
        del name
        return cast(_TRANSFORMS[self._depth][1](_as_complex(self._spectrum)), self.dtype)

    def _frequencies(self, x: Any) -> Any:
        """The Fourier transform of each column of `x`, with the axes of the spectrum."""
        columns = matrix_transpose(_as_complex(x))
        blocks = reshape(columns, [*columns._aval.shape[:-1], *self.block_shape])
        return _TRANSFORMS[self._depth][0](blocks)

    def _columns(self, frequencies: Any) -> Any:
        """The matrix whose columns have the Fourier transforms `frequencies`."""
        whole = _TRANSFORMS[self._depth][1](frequencies)
        flat = reshape(whole, [*whole._aval.shape[: -self._depth], self.shape[-1]])
        return cast(matrix_transpose(flat), self.dtype)

    def _factors(self, adjoint: bool) -> Any:
        """The factor of each frequency of a column."""
        spectrum = _as_complex(self._spectrum)
        return expand_dims(conj(spectrum) if adjoint else spectrum, -1 - self._depth)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        factors = self._factors(adjoint)
        right = cast(adjoint_of(x) if adjoint_arg else x, factors.dtype)
        return self._columns(self._frequencies(right) * factors)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        frequencies, factors = self._frequencies(adjoint_of(rhs) if adjoint_arg else rhs), self._factors(adjoint)
        if frequencies.dtype is not factors.dtype:
            raise TypeError(
                f"{self.name}: the spectrum and the right-hand side must have the same precision, got "
                f"{self._spectrum.dtype.name} and {self.dtype.name}."
            )
        return self._columns(frequencies / factors)

    def _trace(self) -> Any:
        whole = reduce_sum(real(self._spectrum), self._axes())
        if self.dtype not in COMPLEX:
            return cast(whole, self.dtype)
        part = zeros_like(whole) if self.is_self_adjoint else reduce_sum(imag(self._spectrum), self._axes())
        return cast(complex_number(whole, part), self.dtype)

    def trace(self, name: str = "trace") -> Any:
        """The sum of the diagonal, which equals the sum of the eigenvalues."""
        del name
        return self._trace()

    def _diag_part(self) -> Any:
        each = self._trace() / cast(self.shape[-1], self.dtype)
        return expand_dims(each, -1) * ones(list(self.shape[:-1]), self.dtype)

    def _determinant(self) -> Any:
        return cast(reduce_prod(self._spectrum, self._axes()), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return cast(reduce_sum(log(size_of(self._spectrum)), self._axes()), self.dtype)

    def _eigvals(self) -> Any:
        return self._flat()

    def _cond(self) -> Any:
        sizes = size_of(self._spectrum)
        return reduce_max(sizes, self._axes()) / reduce_min(sizes, self._axes())

    def _like(self, spectrum: Any, hints: dict[str, Any], dtype: Any = complex64) -> Any:
        """The operator of the same depth with another spectrum."""
        return type(self)(spectrum, dtype, **hints)  # pyright: ignore[reportCallIssue]

    def _hints(self) -> dict[str, Any]:
        return named((self.is_non_singular, self.is_self_adjoint, self.is_positive_definite, True))

    # Adjoints and products have the dtype complex64, whatever the dtype of this operator, as in TensorFlow.
    def _adjoint(self) -> Any:
        return self._like(conj(self._spectrum), self._hints())

    def _inverse(self) -> Any:
        return self._like(1 / self._spectrum, self._hints(), self.dtype)

    def _times(self, right: LinearOperator) -> Any:
        if type(right) is type(self):
            return self._like(self._spectrum * right.spectrum, product_hints(self, right, commute=True))  # pyright: ignore[reportAttributeAccessIssue]
        return super()._times(right)

    def _assert_non_singular(self) -> None:
        assert_positive(size_of(self._spectrum), message="Singular operator:  Spectrum contained zero values.")

    def _assert_positive_definite(self) -> None:
        message = "Not positive definite:  Real part of spectrum was not all positive."
        assert_positive(real(self._spectrum), message=message)

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """Raises InvalidArgumentError if an eigenvalue has an imaginary part."""
        del name
        part = imag(self._spectrum)
        assert_equal(
            part, zeros_like(part), message="Not self-adjoint:  The spectrum contained non-zero imaginary part."
        )

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> None:
        """Raises InvalidArgumentError if the convolution kernel, and so the matrix, has an imaginary part."""
        del name
        part = imag(self.convolution_kernel())
        limit = float(np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps) * self.shape[-1]
        assert_less(size_of(part), convert_to_tensor(limit, part.dtype), message="Spectrum was not Hermitian")


@composite
class LinearOperatorCirculant(_Circulant):
    """The circulant matrix: each column is the previous one, rotated down by one. `spectrum` is the first's transform.

    Raises: ValueError if `spectrum` has rank 0, or a hint is contradicted.
    Source: TF 2.21 `tf.linalg.LinearOperatorCirculant`.
    """

    _composite_tensor_fields = ("spectrum", "input_output_dtype")

    _matrix_axes = {"spectrum": 1}  # noqa: RUF012

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(spectrum, input_output_dtype, hints, name)


@composite
class LinearOperatorCirculant2D(_Circulant):
    """The block circulant matrix with circulant blocks. `spectrum` is the 2-D transform of its reshaped first column.

    Raises: ValueError if `spectrum` has rank below 2, or a hint is contradicted.
    Source: TF 2.21 `tf.linalg.LinearOperatorCirculant2D`.
    """

    _composite_tensor_fields = ("spectrum", "input_output_dtype")

    _depth = 2
    _matrix_axes = {"spectrum": 2}  # noqa: RUF012

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(spectrum, input_output_dtype, hints, name)


@composite
class LinearOperatorCirculant3D(_Circulant):
    """The block circulant matrix whose blocks are as in `LinearOperatorCirculant2D`. `spectrum` has three axes.

    Raises: ValueError if `spectrum` has rank below 3, or a hint is contradicted.
    Source: TF 2.21 `tf.linalg.LinearOperatorCirculant3D`.
    """

    _composite_tensor_fields = ("spectrum", "input_output_dtype")

    _depth = 3
    _matrix_axes = {"spectrum": 3}  # noqa: RUF012

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(spectrum, input_output_dtype, hints, name)
