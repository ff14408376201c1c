"""Quantization to the levels of a given range or of the numbers' own range, and back to floating point."""

from __future__ import annotations

from typing import Any, Literal

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, NotFoundError
from tfcompat._core.types.dtype import bfloat16, float16, float32, float64
from tfcompat._ops.derivative import with_derivative
from tfcompat._ops.quantization.division import divided

_PRECISE = frozenset((float32, float64))
_ROUND_MODES = ("HALF_TO_EVEN", "HALF_UP")
RoundMode = Literal["HALF_TO_EVEN", "HALF_UP"]


def _along(end: Any, axis: int, ndim: int) -> Any:
    """An end of the range, shaped to broadcast against a tensor of `ndim` axes: one for each index of `axis`."""
    return end if axis < 0 else jnp.reshape(end, [-1 if i == axis else 1 for i in range(ndim)])


def _range_of(x: Any, axis: int) -> tuple[Any, Any]:
    others = None if axis < 0 else tuple(i for i in range(x.ndim) if i != axis)
    return jnp.min(x, others, keepdims=axis >= 0), jnp.max(x, others, keepdims=axis >= 0)


def _levels(
    x: Any,
    low: Any,
    high: Any,
    signed_input: bool,
    num_bits: int,
    range_given: bool,
    round_mode: str,
    narrow_range: bool,
    axis: int,
) -> Any:
    """The level nearest to each element of `x`.

    Levels are whole multiples of a step; the end of the range that needs the larger step determines it. Numbers outside
    a given range are clipped to it.
    """
    if x.size == 0:
        return x
    low, high = (_along(low, axis, x.ndim), _along(high, axis, x.ndim)) if range_given else _range_of(x, axis)
    least = np.asarray(-(2 ** (num_bits - 1)) + narrow_range if signed_input else 0).astype(x.dtype)
    most = np.asarray(2 ** (num_bits - signed_input) - 1).astype(x.dtype)
    limit = jnp.finfo(x.dtype).max
    by_low = jnp.where(least * low > 0, least / low, limit)
    by_high = jnp.where(most * high > 0, most / high, limit)
    is_by_low = by_low < by_high
    density = jnp.where(is_by_low, by_low, by_high)
    # A signed number of one bit has no level above 0, and an unsigned number has none below.
    step = jnp.where(is_by_low, divided(low, least), divided(high, most))
    if range_given:
        least, most = jnp.where(is_by_low, low, least * step), jnp.where(is_by_low, most * step, high)
        # An end that is nan is ignored, as in TensorFlow.
        x = jnp.where(x > most, most, x)
        x = jnp.where(x < least, least, x)
    scaled = x * density
    return (jnp.round(scaled) if round_mode == "HALF_TO_EVEN" else jnp.floor(scaled + 0.5)) * step


def _is_inside(x: Any, low: Any, high: Any, axis: int) -> Any:
    """Whether each element of `x` is in the range. Raises InvalidArgumentError if the range's shape doesn't fit."""
    wanted = () if axis < 0 else (x.shape[axis],)
    if low.shape != wanted or high.shape != wanted:
        raise InvalidArgumentError.of(
            f"tf.quantization.quantize_and_dequantize_v2: for a gradient input_min and input_max must have shape "
            f"{wanted}, got {low.shape} and {high.shape}."
        )
    return (x >= _along(low, axis, x.ndim)) & (x <= _along(high, axis, x.ndim))


def _nothing(tangent: Any, value: Any, *given: Any) -> Any:
    """The contribution of the range to the tangent: 0."""
    del tangent, given
    return jnp.zeros_like(value)


def _validate(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool,
    num_bits: int,
    range_given: bool,
    round_mode: str,
    narrow_range: bool,
    axis: int,
) -> None:
    del narrow_range
    refusal = ""
    wanted = input.shape[axis : axis + 1] if axis >= 0 else ()
    if axis >= input.ndim:
        refusal = f"axis must be in [{-input.ndim}, {input.ndim}), got {axis} for shape {input.shape}."
    elif not 0 < num_bits < 63 - signed_input:
        refusal = f"num_bits must be from 1 to {62 - signed_input}, got {num_bits}."
    elif round_mode not in _ROUND_MODES:
        refusal = f"round_mode must be one of {', '.join(_ROUND_MODES)}, got {round_mode!r}."
    elif range_given and (input_min.shape != wanted or input_max.shape != wanted):
        refusal = f"input_min and input_max must have shape {wanted}, got {input_min.shape} and {input_max.shape}."
    if refusal:
        raise InvalidArgumentError.of(f"tf.quantization.quantize_and_dequantize: {refusal}")


def _is_reversed(input_min: Any, input_max: Any, range_given: bool, **others: Any) -> Any:
    """Whether a given range has its ends in the wrong order, or an end is nan."""
    del others
    return (input_min <= input_max) ^ True if range_given else np.zeros((), bool)


_ORDERED = Check(
    reads=("input_min", "input_max"),
    flag=_is_reversed,
    message="input_min must not be larger than input_max",
)


@op("quantization.quantize_and_dequantize_v2", dtypes=_PRECISE, validate=_validate, check=_ORDERED)
def _masked(
    input: Array,
    input_min: Array,
    input_max: Array,
    signed_input: bool,
    num_bits: int,
    range_given: bool,
    round_mode: str,
    narrow_range: bool,
    axis: int,
) -> Array:
    """`quantize_and_dequantize_v2` of tensors, with an axis counted from the front, or -1 for none."""
    how = (signed_input, num_bits, range_given, round_mode, narrow_range, axis)
    return with_derivative(
        lambda x, low, high: _levels(x, low, high, *how),
        lambda t, _, x, low, high: jnp.where(_is_inside(x, low, high, axis), t, 0),
        _nothing,
        _nothing,
    )(input, input_min, input_max)


@op(
    "quantization.quantize_and_dequantize",
    dtypes=_PRECISE,
    differentiable=("input",),
    validate=_validate,
    check=_ORDERED,
)
def _straight_through(
    input: Array,
    input_min: Array,
    input_max: Array,
    signed_input: bool,
    num_bits: int,
    range_given: bool,
    round_mode: str,
    narrow_range: bool,
    axis: int,
) -> Array:
    """`quantize_and_dequantize` of tensors, with an axis counted from the front, or -1 for none."""
    how = (signed_input, num_bits, range_given, round_mode, narrow_range, axis)
    rule = with_derivative(lambda x, low, high: _levels(x, low, high, *how), lambda t, *_: t, None, None)
    return rule(input, input_min, input_max)


def _prepared(name: str, given: Any, ends: tuple[Any, Any], axis: int | None) -> tuple[Tensor, int]:
    """The input in the dtype of the first tensor, and its axis from the front, or -1.

    Raises NotFoundError for dtypes that are too short.
    """
    tensors = [as_tensor(value) for value in (given, *ends)]
    dtype = next((tensor.dtype for tensor in tensors if tensor is not None), None)
    tensor = convert_to_tensor(given, dtype) if tensors[0] is None else tensors[0]
    if tensor.dtype in (float16, bfloat16):
        raise NotFoundError.of(
            f"tf.quantization.{name}: input must be float32 or float64, got {tensor.dtype.name}; use tf.cast."
        )
    if axis is None:
        return tensor, -1
    return tensor, axis % max(tensor.ndim, 1) if axis < 0 else axis


def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: RoundMode = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """`input`, rounded to the levels of integers of `num_bits` bits.

    The extreme levels are at the ends of the range: from `input_min` to `input_max` if `range_given`, otherwise that of
    `input`. `signed_input` means that there are levels below 0, `narrow_range` that these are as many as those above 0.
    With an `axis`, each index on it has its own range.

    Shapes: [*dims], range [], or [d] for an axis of size d -> [*dims].
    Dtypes: float32 or float64 -> the same.
    Gradient: 1 from `input_min` to `input_max`, even if another range is used; 0 for these two.
    Raises: InvalidArgumentError for a range of another shape or in the wrong order, an invalid axis, number of bits or
      rounding mode, or another dtype; NotFoundError for float16 and bfloat16.
    Source: TF 2.21 `tf.quantization.quantize_and_dequantize_v2`.
    """
    tensor, place = _prepared("quantize_and_dequantize_v2", input, (input_min, input_max), axis)
    how = (signed_input, num_bits, range_given, round_mode, narrow_range, place)
    return _masked(tensor, input_min, input_max, *how, name)


def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: RoundMode = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """`input`, rounded as by `quantize_and_dequantize_v2`, with another gradient.

    Shapes: [*dims], range [], or [d] for an axis of size d -> [*dims].
    Dtypes: float32 or float64 -> the same.
    Gradient: 1 everywhere; None for the range.
    Raises: InvalidArgumentError for a range of another shape or in the wrong order, an invalid axis, number of bits or
      rounding mode, or another dtype; NotFoundError for float16 and bfloat16.
    Source: TF 2.21 `tf.quantization.quantize_and_dequantize`.
    """
    tensor, place = _prepared("quantize_and_dequantize", input, (input_min, input_max), axis)
    how = (signed_input, num_bits, range_given, round_mode, narrow_range, place)
    return _straight_through(tensor, input_min, input_max, *how, name)
