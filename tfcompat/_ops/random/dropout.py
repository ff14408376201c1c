"""Dropout."""

from __future__ import annotations

import numbers
from typing import Any

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Shape, op, shape
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import INDEX, as_dtype
from tfcompat._jaxpr import lean
from tfcompat._ops.random import philox
from tfcompat._ops.random.stream import REAL_VALUED, reals, seed_stream

_FLOATS = dict.fromkeys(("x", "rate", "scale"), REAL_VALUED)


@op("nn.dropout", same=("stream",), dtypes=_FLOATS | {"stream": INDEX})
def drop(x: Array, rate: Array, scale: Array, stream: Arrays, noise_shape: Shape, is_quotient: bool) -> Array:
    """`x` times `scale`, or divided by 1 - `scale`, and 0 where a uniform number is less than `rate`."""
    drawn = reals(stream, noise_shape, as_dtype(x.dtype), philox.uniform)
    kept = x / (1 - scale) if is_quotient else lean.multiply(x, scale)
    return lean.where(drawn >= rate, kept, 0)


def dropped(name: str, x: Any, rate: Any, noise_shape: Any, stream: Any) -> Any:
    """Dropout with the stream that the function `stream` returns for a shape and dtype (None if nothing is drawn)."""
    rate_tensor = as_tensor(rate)
    if rate_tensor is None and not _is_rate(rate):
        raise ValueError(f"tf.{name}: rate must be a scalar tensor or a number in [0, 1), got {rate!r}.")
    tensor = convert_to_tensor(x)
    if not tensor.dtype.is_floating:
        raise ValueError(f"tf.{name}: x must be floating, got {tensor.dtype.name}.")
    if rate_tensor is None and rate == 0:
        stream(None, tensor.dtype)
        return tensor
    dims = _noise_shape(tensor, noise_shape)
    parts = stream(dims, tensor.dtype)
    if rate_tensor is None:
        limit, scale = (convert_to_tensor(float(number), tensor.dtype) for number in (rate, 1 / (1 - rate)))
        return drop(tensor, limit, scale, parts, dims, False)
    if rate_tensor.ndim or rate_tensor.dtype is not tensor.dtype:
        raise ValueError(f"tf.{name}: rate must be a scalar of x's dtype {tensor.dtype.name}, got {rate_tensor._aval}.")
    return drop(tensor, rate_tensor, rate_tensor, parts, dims, True)


def _is_rate(value: Any) -> bool:
    return isinstance(value, numbers.Real) and bool(0 <= value < 1)  # pyright: ignore[reportOperatorIssue]


def _noise_shape(tensor: Tensor, noise_shape: Any) -> tuple[int, ...]:
    """The shape of the mask; None in it means the dimension of `tensor`."""
    dims = tensor._aval.shape
    if noise_shape is None:
        return dims
    given = list(noise_shape) if isinstance(noise_shape, (list, tuple)) else shape(noise_shape)
    if given is not None and len(given) == len(dims):
        given = [dim if wanted is None else wanted for wanted, dim in zip(given, dims, strict=True)]
    return shape(given) or ()


@op("nn.experimental.general_dropout", dtypes=REAL_VALUED)
def _drop_by(x: Array, uniform: Array, rate: Array, scale: Array) -> Array:
    """`x` times `scale`, and 0 where `uniform` is less than `rate`."""
    return lean.where(uniform >= rate, lean.multiply(x, scale), 0)


def general_dropout(x: Any, rate: Any, uniform_sampler: Any, noise_shape: Any = None, name: str | None = None) -> Any:
    """`x` with elements set to 0 with probability `rate`, the others divided by 1 - `rate`, by `uniform_sampler`.

    `uniform_sampler` is called with a shape and a dtype, and returns numbers in [0, 1).

    Shapes: that of `x`; the mask has shape `noise_shape` (default that of `x`) and broadcasts.
    Dtypes: bfloat16, float16, float32, float64 -> same dtype.
    Raises: ValueError if `rate` isn't in [0, 1) or `x` isn't floating.
    Source: TF 2.21 `tf.nn.experimental.general_dropout`.
    """
    del name
    place = "nn.experimental.general_dropout"
    if not _is_rate(rate):
        raise ValueError(f"tf.{place}: rate must be a number in [0, 1), got {rate!r}.")
    tensor = convert_to_tensor(x)
    if not tensor.dtype.is_floating:
        raise ValueError(f"tf.{place}: x must be floating, got {tensor.dtype.name}.")
    if rate == 0:
        return tensor
    drawn = uniform_sampler(shape=list(_noise_shape(tensor, noise_shape)), dtype=tensor.dtype)
    limit, scale = (convert_to_tensor(float(number), tensor.dtype) for number in (rate, 1 / (1 - rate)))
    return _drop_by(tensor, drawn, limit, scale)


@dispatched
def stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: Any = None, noise_shape: Any = None, name: str | None = None
) -> Any:
    """`x` with elements set to 0 with probability `rate`, the others divided by 1 - `rate`; `seed` determines which.

    Shapes: that of `x`; the mask has shape `noise_shape` (default that of `x`) and broadcasts.
    Dtypes: bfloat16, float16, float32, float64 -> same dtype.
    Raises: ValueError if `rate` isn't in [0, 1) or `x` isn't floating; InvalidArgumentError if `seed` isn't two
      integers.
    Source: TF 2.21 `tf.nn.experimental.stateless_dropout`.
    """
    del name
    place = "nn.experimental.stateless_dropout"
    stream = seed_stream(place, seed, "auto_select" if rng_alg is None else rng_alg)
    return dropped(place, x, rate, noise_shape, lambda *_: stream)
