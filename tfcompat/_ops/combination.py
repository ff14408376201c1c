"""Sums and products of several tensors: add_n, accumulate_n, scalar_mul, polyval."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, op, registry
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.operation.op import Op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import record
from tfcompat._core.types.dtype import NUMERIC, as_dtype
from tfcompat._core.types.shape import TensorShape
from tfcompat._ops.elementwise.algebraic import multiply
from tfcompat._ops.identity import identity
from tfcompat._ops.indexed_slices.rows import IndexedSlices


def _require_one_shape(inputs: Sequence[Any]) -> None:
    if any(x.shape != inputs[0].shape for x in inputs):
        raise InvalidArgumentError.of(f"tf.add_n: inputs must have one shape, got {[x.shape for x in inputs]}.")


@op("add_n", dtypes=NUMERIC, validate=_require_one_shape, gradient_reads=False, passes=True)
def _add_n(inputs: Arrays) -> Array:
    """`add_n` of a list that has been validated."""
    return functools.reduce(jnp.add, inputs)


def sum_of(tensors: Sequence[Tensor]) -> Tensor:
    """`add_n` of several tensors of one shape and dtype, which are numbers. The conversion of a call is left out."""
    return record(_sum_op(len(tensors)), tuple(tensors))


@functools.cache
def _sum_op(count: int) -> Op:
    return registry["add_n"].bind((), count, False)


@dispatched
def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of the tensors in the list `inputs`.

    Shapes: [*dims] each, without broadcasting -> the same.
    Dtypes: numbers -> the same.
    Raises: ValueError if `inputs` is not a list or is empty; InvalidArgumentError if dtypes or shapes differ.
    Source: TF 2.21 `tf.add_n`.
    """
    listed = list(inputs) if isinstance(inputs, Iterable) and not isinstance(inputs, (str, bytes)) else []
    if not listed:
        raise ValueError(f"tf.add_n: inputs must be a list of at least one tensor, got {inputs!r}.")
    return _add_n(listed, name) if len(listed) > 1 else identity(listed[0])


def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Tensor:
    """The sum of the tensors in the list `inputs`, which must have `shape` and `tensor_dtype` where these are given.

    Shapes: [*dims] each, without broadcasting -> the same.
    Dtypes: numbers -> the same.
    Raises: ValueError if `inputs` is not a list, is empty, or dtypes or shapes differ; TypeError for a wrong dtype.
    Source: TF 2.21 `tf.math.accumulate_n`.
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(f"tf.math.accumulate_n: inputs must be a list of at least one tensor, got {inputs!r}.")
    tensors = [convert_to_tensor(x) for x in inputs]
    if any(x.dtype is not tensors[0].dtype for x in tensors):
        raise ValueError(f"tf.math.accumulate_n: inputs must have one dtype, got {[x.dtype.name for x in tensors]}.")
    if tensor_dtype is not None and tensors[0].dtype is not as_dtype(tensor_dtype):
        raise TypeError(
            f"tf.math.accumulate_n: tensor_dtype is {tensor_dtype!r}, but inputs are {tensors[0].dtype.name}."
        )
    if not all(x.shape.is_compatible_with(TensorShape(shape)) and x.shape == tensors[0].shape for x in tensors):
        raise ValueError(f"tf.math.accumulate_n: inputs must have one shape, got {[x.shape for x in tensors]}.")
    return _add_n(tensors, name)


@dispatched
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """The product of the number `scalar` and `x`; IndexedSlices stay IndexedSlices.

    Shapes: [], [*dims] -> the same.
    Dtypes: numbers -> the same.
    Raises: ValueError if the rank of `scalar` is not 0.
    Source: TF 2.21 `tf.math.scalar_mul`.
    """
    factor = convert_to_tensor(scalar, x.dtype) if hasattr(x, "dtype") else scalar
    if getattr(factor, "ndim", 0) != 0:
        raise ValueError(f"tf.scalar_mul: scalar must have rank 0, got shape {factor.shape}.")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(multiply(factor, x.values, name), x.indices, x.dense_shape)
    return multiply(factor, x, name)


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """The value at `x` of the polynomial with the coefficients in the list `coeffs`, the highest power first.

    A single coefficient is returned as it is, without regard to `x`.

    Shapes: those of `coeffs` and `x` broadcast.
    Dtypes: numbers -> the same.
    Raises: ValueError if `coeffs` is not a list.
    Source: TF 2.21 `tf.math.polyval`.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"tf.math.polyval: coeffs must be a list, got {type(coeffs).__name__}.")
    if not coeffs:
        point = convert_to_tensor(x)
        return convert_to_tensor(np.zeros(point._aval.shape, point.dtype.as_numpy_dtype))
    return _polyval(list(coeffs), x, name) if len(coeffs) > 1 else convert_to_tensor(coeffs[0])


@op("math.polyval", dtypes=NUMERIC)
def _polyval(coeffs: Arrays, x: Array) -> Array:
    """`polyval` of several coefficients, by Horner's rule."""
    return functools.reduce(lambda value, coefficient: value * x + coefficient, coeffs)
