"""Fake quantization: rounding to the levels of a given range, for quantization-aware training.

The range is shifted by less than a step, so that 0 is a level; a range without 0 is moved to one that contains it.
Ends that are tensors can be trained: the gradient of the numbers beyond an end belongs to that end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Number, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import float32
from tfcompat._ops.derivative import with_derivative
from tfcompat._ops.quantization.division import divided

_FLOAT32 = frozenset((float32,))


class Grid(NamedTuple):
    """The lowest and the highest level, and the step between levels."""

    least: Any
    most: Any
    step: Any


def _grid(low: Any, high: Any, num_bits: int, narrow_range: bool) -> Grid:
    """The levels for the range from `low` to `high`, including 0."""
    first, last = int(narrow_range), 2**num_bits - 1
    step = divided(high - low, last - first)
    zero = first - low / step
    whole = jnp.floor(zero)
    whole = whole + (zero - whole >= 0.5)
    zero = jnp.where(zero < first, first, jnp.where(zero > last, last, whole)).astype(step.dtype)
    return Grid((first - zero) * step, (last - zero) * step, step)


def _level(inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool) -> Any:
    """The level nearest to each of `inputs`; for a range from 0 to 0 it is 0."""
    least, most, step = _grid(low, high, num_bits, narrow_range)
    density = 1 / step
    below = jnp.floor(0.5 - least * density)
    level = jnp.floor((jnp.maximum(jnp.minimum(inputs, most), least) - least) * density - below + 0.5) * step
    return jnp.where((low == 0) & (high == 0), jnp.zeros_like(level), level)


def _parts(inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool) -> tuple[Any, Any, Any]:
    """Which of `inputs` are inside, below and above the levels. For a range from 0 to 0, all are inside."""
    least, most, _ = _grid(low, high, num_bits, narrow_range)
    is_empty = (low == 0) & (high == 0)
    inside = is_empty | ((inputs >= least) & (inputs <= most))
    return inside, ~is_empty & (inputs < least), ~is_empty & (inputs > most)


def _masked(gradients: Any, part: Any) -> Any:
    """`gradients` times 1 in `part` and times 0 elsewhere, where nan and infinities become nan as in TensorFlow."""
    return jnp.where(part, gradients, gradients * 0)


def _quantized(inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool) -> Any:
    """`_level`, with derivative 1 for inputs in the range; beyond it, the derivative belongs to the end."""
    how = (num_bits, narrow_range)
    return with_derivative(
        lambda x, low, high: _level(x, low, high, *how),
        lambda t, _, x, low, high: _masked(t, _parts(x, low, high, *how)[0]),
        lambda t, _, x, low, high: _masked(t, _parts(x, low, high, *how)[1]),
        lambda t, _, x, low, high: _masked(t, _parts(x, low, high, *how)[2]),
    )(inputs, low, high)


def _pulled_back(gradients: Any, inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool) -> Any:
    """`gradients` with respect to the inputs, `low` and `high`, each in the shape of `inputs`."""
    parts = _parts(inputs, low, high, num_bits, narrow_range)
    return tuple(_masked(gradients, part) for part in parts)


def _require_bits(name: str, num_bits: int) -> None:
    if not 2 <= num_bits <= 16:
        raise InvalidArgumentError.of(f"tf.quantization.{name}: num_bits must be from 2 to 16, got {num_bits}.")


def _require_one_shape(name: str, gradients: Any, inputs: Any) -> None:
    if gradients.shape != inputs.shape:
        raise InvalidArgumentError.of(
            f"tf.quantization.{name}: gradients and inputs must have one shape, got {gradients.shape} and "
            f"{inputs.shape}."
        )


def _require_ends(name: str, ends: tuple[Any, Any], shape: tuple[int, ...]) -> None:
    if any(end.shape != shape for end in ends):
        raise InvalidArgumentError.of(
            f"tf.quantization.{name}: min and max must have shape {shape}, got {ends[0].shape} and {ends[1].shape}."
        )


def _channels(name: str, inputs: Any) -> tuple[int, ...]:
    if not inputs.ndim:
        raise InvalidArgumentError.of(f"tf.quantization.{name}: inputs must have rank 1 or more, got a scalar.")
    return inputs.shape[-1:]


def _operand(value: Any) -> Tensor:
    """`value` as a tensor: numbers and arrays become float32, a tensor is returned unchanged."""
    tensor = as_tensor(value)
    return convert_to_tensor(value, float32) if tensor is None else tensor


def _end(name: str, which: str, value: Any, default: float) -> float:
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating, np.integer)):
        raise TypeError(f"tf.quantization.{name}: {which} must be a number, got {value!r}.")
    return float(value)


def _ends(name: str, least: Any, most: Any) -> tuple[float, float]:
    """The ends of a range as numbers. Raises InvalidArgumentError unless the first is the smaller one."""
    low, high = _end(name, "min", least, -6.0), _end(name, "max", most, 6.0)
    if not low < high:
        raise InvalidArgumentError.of(f"tf.quantization.{name}: min must be smaller than max, got {low} and {high}.")
    return low, high


def _validate_args(inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool) -> None:
    del inputs, low, high, narrow_range
    _require_bits("fake_quant_with_min_max_args", num_bits)


@op(
    "quantization.fake_quant_with_min_max_args",
    dtypes=_FLOAT32,
    no_second="",
    validate=_validate_args,
)
def _with_numbers(inputs: Array, low: Number, high: Number, num_bits: int, narrow_range: bool) -> Array:
    """`fake_quant_with_min_max_args` of a tensor."""
    return _quantized(inputs, low.astype(inputs.dtype), high.astype(inputs.dtype), num_bits, narrow_range)


def fake_quant_with_min_max_args(
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """`inputs`, rounded to 2**`num_bits` levels from `min` to `max`, one fewer with `narrow_range`.

    The range is shifted so that 0 is a level; numbers outside are clipped to its extreme levels.

    Shapes: any -> the same.
    Dtypes: float32 -> the same.
    Gradient: 1 in the range and at its ends, 0 beyond; no second derivative.
    Raises: InvalidArgumentError unless `min` is smaller than `max` and `num_bits` from 2 to 16, or for another dtype;
      TypeError if an end isn't a number.
    Source: TF 2.21 `tf.quantization.fake_quant_with_min_max_args`.
    """
    ends = _ends("fake_quant_with_min_max_args", min, max)
    return _with_numbers(_operand(inputs), *ends, num_bits, narrow_range, name)


def _validate_args_gradient(
    gradients: Any, inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool
) -> None:
    del low, high, narrow_range
    _require_one_shape("fake_quant_with_min_max_args_gradient", gradients, inputs)
    _require_bits("fake_quant_with_min_max_args_gradient", num_bits)


@op(
    "quantization.fake_quant_with_min_max_args_gradient",
    dtypes=_FLOAT32,
    differentiable=False,
    validate=_validate_args_gradient,
)
def _gradient_with_numbers(
    gradients: Array, inputs: Array, low: Number, high: Number, num_bits: int, narrow_range: bool
) -> Array:
    """`fake_quant_with_min_max_args_gradient` of tensors."""
    low, high = low.astype(inputs.dtype), high.astype(inputs.dtype)
    return _pulled_back(gradients, inputs, low, high, num_bits, narrow_range)[0]


def fake_quant_with_min_max_args_gradient(
    gradients: Any,
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """`gradients` where `inputs` lies among the levels of `fake_quant_with_min_max_args`, and 0 elsewhere.

    Shapes: [*dims], the same -> the same.
    Dtypes: float32 -> the same.
    Gradient: None.
    Raises: InvalidArgumentError if the shapes differ, for another dtype, unless `min` is smaller than `max`, and
      `num_bits` from 2 to 16; TypeError if an end isn't a number.
    Source: TF 2.21 `tf.quantization.fake_quant_with_min_max_args_gradient`.
    """
    ends = _ends("fake_quant_with_min_max_args_gradient", min, max)
    return _gradient_with_numbers(_operand(gradients), _operand(inputs), *ends, num_bits, narrow_range, name)


def _validate_vars(inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool) -> None:
    del inputs, narrow_range
    _require_bits("fake_quant_with_min_max_vars", num_bits)
    _require_ends("fake_quant_with_min_max_vars", (low, high), ())


@op("quantization.fake_quant_with_min_max_vars", dtypes=_FLOAT32, no_second="", validate=_validate_vars)
def _with_tensors(inputs: Array, low: Array, high: Array, num_bits: int, narrow_range: bool) -> Array:
    """`fake_quant_with_min_max_vars` of tensors."""
    return _quantized(inputs, low, high, num_bits, narrow_range)


def fake_quant_with_min_max_vars(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """`inputs`, rounded to 2**`num_bits` levels from `min` to `max`, one fewer with `narrow_range`.

    The range is shifted so that 0 is a level; numbers outside are clipped to its extreme levels. From 0 to 0 all are 0.

    Shapes: any, [], [] -> that of `inputs`.
    Dtypes: float32 -> the same.
    Gradient: 1 in the range and at its ends; beyond, it belongs to `min` or `max`. No second derivative.
    Raises: InvalidArgumentError for a range that is not scalar, another dtype, or `num_bits` not from 2 to 16.
    Source: TF 2.21 `tf.quantization.fake_quant_with_min_max_vars`.
    """
    return _with_tensors(*map(_operand, (inputs, min, max)), num_bits, narrow_range, name)


class FakeQuantWithMinMaxVarsGradient(NamedTuple):
    """The gradients for the inputs and for the two ends of the range."""

    backprops_wrt_input: Any
    backprop_wrt_min: Any
    backprop_wrt_max: Any


def _validate_vars_gradient(
    gradients: Any, inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool
) -> None:
    del narrow_range
    _require_one_shape("fake_quant_with_min_max_vars_gradient", gradients, inputs)
    _require_bits("fake_quant_with_min_max_vars_gradient", num_bits)
    _require_ends("fake_quant_with_min_max_vars_gradient", (low, high), ())


@op(
    "quantization.fake_quant_with_min_max_vars_gradient",
    dtypes=_FLOAT32,
    differentiable=False,
    validate=_validate_vars_gradient,
    structure=FakeQuantWithMinMaxVarsGradient._make,
)
def _gradient_with_tensors(
    gradients: Array, inputs: Array, low: Array, high: Array, num_bits: int, narrow_range: bool
) -> tuple[Array, Array, Array]:
    """`fake_quant_with_min_max_vars_gradient` of tensors."""
    inside, below, above = _pulled_back(gradients, inputs, low, high, num_bits, narrow_range)
    return inside, jnp.sum(below), jnp.sum(above)


def fake_quant_with_min_max_vars_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> FakeQuantWithMinMaxVarsGradient:
    """The gradients of `fake_quant_with_min_max_vars` for its inputs, and their sums for the ends of its range.

    Shapes: [*dims], the same, [], [] -> [*dims], [], [].
    Dtypes: float32 -> the same.
    Gradient: None.
    Raises: InvalidArgumentError if the shapes differ, for a range that is not scalar, another dtype, or `num_bits` not
      from 2 to 16.
    Source: TF 2.21 `tf.quantization.fake_quant_with_min_max_vars_gradient`.
    """
    return _gradient_with_tensors(*map(_operand, (gradients, inputs, min, max)), num_bits, narrow_range, name)


def _validate_per_channel(inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool) -> None:
    del narrow_range
    name = "fake_quant_with_min_max_vars_per_channel"
    _require_bits(name, num_bits)
    _require_ends(name, (low, high), _channels(name, inputs))


@op(
    "quantization.fake_quant_with_min_max_vars_per_channel",
    dtypes=_FLOAT32,
    no_second="",
    validate=_validate_per_channel,
)
def _with_vectors(inputs: Array, low: Array, high: Array, num_bits: int, narrow_range: bool) -> Array:
    """`fake_quant_with_min_max_vars_per_channel` of tensors."""
    return _quantized(inputs, low, high, num_bits, narrow_range)


def fake_quant_with_min_max_vars_per_channel(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """`inputs`, rounded as by `fake_quant_with_min_max_vars`, with a separate range for each index of the last axis.

    Shapes: [*dims, d], [d], [d] -> [*dims, d].
    Dtypes: float32 -> the same.
    Gradient: 1 in the range and at its ends; beyond, it belongs to `min` or `max`. No second derivative.
    Raises: InvalidArgumentError for other shapes, another dtype, or `num_bits` not from 2 to 16.
    Source: TF 2.21 `tf.quantization.fake_quant_with_min_max_vars_per_channel`.
    """
    return _with_vectors(*map(_operand, (inputs, min, max)), num_bits, narrow_range, name)


class FakeQuantWithMinMaxVarsPerChannelGradient(NamedTuple):
    """The gradients for the inputs and for the two ends of the ranges."""

    backprops_wrt_input: Any
    backprop_wrt_min: Any
    backprop_wrt_max: Any


def _validate_per_channel_gradient(
    gradients: Any, inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool
) -> None:
    del narrow_range
    name = "fake_quant_with_min_max_vars_per_channel_gradient"
    _require_one_shape(name, gradients, inputs)
    _require_bits(name, num_bits)
    _require_ends(name, (low, high), _channels(name, inputs))


@op(
    "quantization.fake_quant_with_min_max_vars_per_channel_gradient",
    dtypes=_FLOAT32,
    differentiable=False,
    validate=_validate_per_channel_gradient,
    structure=FakeQuantWithMinMaxVarsPerChannelGradient._make,
)
def _gradient_with_vectors(
    gradients: Array, inputs: Array, low: Array, high: Array, num_bits: int, narrow_range: bool
) -> tuple[Array, Array, Array]:
    """`fake_quant_with_min_max_vars_per_channel_gradient` of tensors."""
    inside, below, above = _pulled_back(gradients, inputs, low, high, num_bits, narrow_range)
    others = tuple(range(inputs.ndim - 1))
    return inside, jnp.sum(below, others), jnp.sum(above, others)


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> FakeQuantWithMinMaxVarsPerChannelGradient:
    """The gradients of `fake_quant_with_min_max_vars_per_channel` for its inputs, and sums for the ends of its ranges.

    Shapes: [*dims, d], the same, [d], [d] -> [*dims, d], [d], [d].
    Dtypes: float32 -> the same.
    Gradient: None.
    Raises: InvalidArgumentError for other shapes, another dtype, or `num_bits` not from 2 to 16.
    Source: TF 2.21 `tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient`.
    """
    return _gradient_with_vectors(*map(_operand, (gradients, inputs, min, max)), num_bits, narrow_range, name)
