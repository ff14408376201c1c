"""Complex numbers: their parts, conjugates and angles."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import BOOL, COMPLEX, FLOATING, float32, float64
from tfcompat._ops.elementwise.row import binary, unary

_real = unary("math.real", jnp.real, COMPLEX, "The real part of `input`.", of="input", gives="real")
_imag = unary("math.imag", jnp.imag, COMPLEX, "The imaginary part of `input`.", of="input", gives="real")
_conj = unary("math.conj", jnp.conj, COMPLEX, "The complex conjugate of `x`.")
_angle = unary("math.angle", jnp.angle, COMPLEX, "The angle of `input` from the real axis.", of="input", gives="real")
_half_turn = unary(
    "math.angle",
    lambda x: jnp.where(x < 0, jnp.asarray(np.pi, x.dtype), 0),
    FLOATING,
    "pi where `input` is negative, else 0.",
    of="input",
    differentiable=False,
)
_complex = binary(
    "complex",
    lax.complex,
    frozenset((float32, float64)),
    "`real + i imag`.",
    of=("real", "imag"),
    gives="complex64, complex128",
)


def _number(name: str, value: Any) -> Tensor:
    tensor = convert_to_tensor(value)
    if tensor.dtype in BOOL:
        raise TypeError(f"tf.math.{name}: expected a number, got bool; convert it with tf.cast.")
    return tensor


@dispatched
def real(input: Any, name: str | None = None) -> Tensor:
    """The real part of `input`; `input` itself if it is real.

    Shapes: any -> the same.
    Dtypes: complex64 -> float32, complex128 -> float64, real numbers -> the same.
    Raises: TypeError for bool.
    Source: TF 2.21 `tf.math.real`.
    """
    tensor = _number("real", input)
    return _real(tensor, name) if tensor.dtype in COMPLEX else tensor


@dispatched
def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part of `input`: zeros if it is real.

    Shapes: any -> the same.
    Dtypes: complex64 -> float32, complex128 -> float64, real numbers and bool -> the same.
    Gradient: None for real numbers.
    Source: TF 2.21 `tf.math.imag`.
    """
    tensor = convert_to_tensor(input)
    if tensor.dtype in COMPLEX:
        return _imag(tensor, name)
    return convert_to_tensor(np.zeros(tensor._aval.shape, tensor.dtype.as_numpy_dtype))


@dispatched
def conj(x: Any, name: str | None = None) -> Tensor:
    """The complex conjugate of `x`; `x` itself if it is real.

    Shapes: any -> the same.
    Dtypes: numbers -> the same.
    Raises: TypeError for bool.
    Source: TF 2.21 `tf.math.conj`.
    """
    tensor = _number("conj", x)
    return _conj(tensor, name) if tensor.dtype in COMPLEX else tensor


@dispatched
def angle(input: Any, name: str | None = None) -> Tensor:
    """The angle between the positive real axis and `input`: pi for a negative real number, else 0.

    Shapes: any -> the same.
    Dtypes: complex64 -> float32, complex128 -> float64, floating -> the same.
    Gradient: None for real numbers.
    Raises: TypeError for integers and bool.
    Source: TF 2.21 `tf.math.angle`.
    """
    tensor = _number("angle", input)
    if tensor.dtype not in COMPLEX and tensor.dtype not in FLOATING:
        raise TypeError(f"tf.math.angle: input must be floating or complex, got {tensor.dtype.name}.")
    return (_angle if tensor.dtype in COMPLEX else _half_turn)(tensor, name)


@dispatched
def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """The complex numbers with the parts `real` and `imag`.

    Shapes: two shapes that broadcast -> their broadcast shape.
    Dtypes: float32 -> complex64, float64 -> complex128.
    Raises: TypeError for other dtypes, or if the two dtypes differ.
    Source: TF 2.21 `tf.dtypes.complex`.
    """
    parts = convert_to_tensor(real), convert_to_tensor(imag)
    if parts[0].dtype is not parts[1].dtype or parts[0].dtype not in (float32, float64):
        raise TypeError(
            f"tf.complex: real and imag must both be float32 or float64, got {[p.dtype.name for p in parts]}."
        )
    return _complex(*parts, name)
