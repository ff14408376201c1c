"""`tf.test.compute_gradient`: gradients by tape and by finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._autodiff.tape import GradientTape
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import COMPLEX, FLOATING
from tfcompat._ops.identity import identity

_DELTA = 1.0 / 1024
Jacobians = tuple[np.ndarray, ...]


def compute_gradient(f: Callable[..., Any], x: Any, delta: float | None = None) -> tuple[Jacobians, Jacobians]:
    """The Jacobians of `f` at the arguments `x`, by a tape and by central differences over `delta` (1/1024).

    A complex number counts as two real ones, one after the other.

    Shapes: for each argument [elements of the result, elements of the argument].
    Dtypes: that of the argument, or of its real part.
    Raises: ValueError if `x` is not a list or tuple; AssertionError if an argument is neither floating nor complex.
    Source: TF 2.21 `tf.test.compute_gradient`.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            f"`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not a {type(x)}"
        )
    arguments = [convert_to_tensor(value) for value in x]
    for k, argument in enumerate(arguments):
        if argument.dtype not in FLOATING | COMPLEX:
            raise AssertionError(f"Cannot compute gradient for unsupported type {argument.dtype.name} of argument {k}")
    step = _DELTA if delta is None else delta
    return _by_tape(f, arguments), tuple(_by_differences(f, arguments, k, step) for k in range(len(arguments)))


def _by_tape(f: Callable[..., Any], arguments: Sequence[Tensor]) -> Jacobians:
    with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(arguments)
        result = identity(convert_to_tensor(f(*arguments)))
    rows: list[list[np.ndarray]] = []
    for cotangent in _units(result):
        found = tape.gradient(result, arguments, cotangent)
        rows.append([_real(_dense(gradient, like)) for gradient, like in zip(found, arguments, strict=True)])
    if not rows:
        reals = [_real(argument.numpy()) for argument in arguments]
        return tuple(np.zeros((0, real.size), real.dtype) for real in reals)
    return tuple(np.stack(column) for column in zip(*rows, strict=True))


def _units(like: Tensor) -> list[np.ndarray]:
    """The unit arrays of a tensor like `like`, one for each real number in it."""
    width = 2 if like.dtype in COMPLEX else 1
    count = like._aval.size * width
    units = np.eye(count, dtype=like.dtype.real_dtype.as_numpy_dtype)
    return [unit.view(like.dtype.as_numpy_dtype).reshape(like._aval.shape) for unit in units]


def _by_differences(f: Callable[..., Any], arguments: Sequence[Tensor], k: int, delta: float) -> np.ndarray:
    start = np.asarray(arguments[k])

    def moved(unit: np.ndarray, by: float) -> np.ndarray:
        point = (start + by * unit).astype(start.dtype)
        return _real(np.asarray(convert_to_tensor(f(*arguments[:k], Tensor(point), *arguments[k + 1 :]))))

    columns = [(moved(unit, delta) - moved(unit, -delta)) / (2 * delta) for unit in _units(arguments[k])]
    if not columns:
        return np.zeros((0, 0), _real(start).dtype)
    return np.stack(columns, 1).astype(_real(start).dtype)


def _dense(gradient: Any, like: Tensor) -> np.ndarray:
    if gradient is None:
        return np.zeros(like._aval.shape, like.dtype.as_numpy_dtype)
    return np.asarray(convert_to_tensor(gradient))


def _real(array: np.ndarray) -> np.ndarray:
    """The real numbers in `array`, one after another."""
    flat: Any = np.ascontiguousarray(array).ravel()
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat
