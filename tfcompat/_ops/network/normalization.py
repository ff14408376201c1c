"""Normalisation of tensors: by a mean and a variance, and by neighbouring channels."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Number, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import INEXACT, bfloat16, float16, float32
from tfcompat._jaxpr import lean
from tfcompat._ops.derivative import inverse_root


@op("nn.batch_normalization", dtypes={"x": INEXACT}, same=("variance", "mean", "parameters"))
def _batch_normalization(
    x: Array, variance: Array, mean: Array, parameters: Arrays, has_offset: bool, has_scale: bool, epsilon: Number
) -> Array:
    """`batch_normalization` with whichever of offset and scale are in `parameters`."""
    slope = inverse_root(lean.add(variance, epsilon.astype(variance.dtype)))
    if has_scale:
        slope = lean.multiply(slope, parameters[-1])
    shift = lax.neg(lean.multiply(mean, slope))
    if has_offset:
        shift = lean.add(parameters[0], shift)
    return lean.add(lean.multiply(x, slope.astype(x.dtype)), shift.astype(x.dtype))


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: str | None = None
) -> Tensor:
    """`x - mean` over the root of `variance + variance_epsilon`, times `scale` and plus `offset` unless None.

    Shapes: all broadcast against each other.
    Dtypes: floating and complex -> that of `x`; `mean`, `offset` and `scale` have that of `variance`, which may differ.
    Raises: InvalidArgumentError for another dtype or shapes that don't broadcast.
    Source: TF 2.21 `tf.nn.batch_normalization`.
    """
    variance = convert_to_tensor(float(variance) if isinstance(variance, int) else variance)
    parameters = [tensor for tensor in (offset, scale) if tensor is not None]
    has = offset is not None, scale is not None
    return _batch_normalization(x, variance, mean, parameters, *has, variance_epsilon, name)


def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """`input - mean` over the root of `variance + variance_epsilon`, plus `beta`.

    With `scale_after_normalization`, it is multiplied by `gamma` before `beta` is added.

    Shapes: all broadcast against each other.
    Dtypes: floating and complex -> that of `input`.
    Raises: InvalidArgumentError for another dtype or shapes that don't broadcast.
    Source: TF 2.21 `tf.nn.batch_norm_with_global_normalization`.
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon, name)


def _require_image(input: Any, depth_radius: int, **_: Any) -> None:
    if input.ndim != 4 or depth_radius < 0:
        raise InvalidArgumentError.of(
            "tf.nn.local_response_normalization: input must have rank 4 and depth_radius must be 0 or more, got shape "
            f"{input.shape} and {depth_radius}."
        )


@op(
    "nn.local_response_normalization",
    dtypes=frozenset((float16, bfloat16, float32)),
    validate=_require_image,
)
def local_response_normalization(
    input: Array, depth_radius: int = 5, bias: Number = 1, alpha: Number = 1, beta: Number = 0.5
) -> Array:
    """`input` divided by a power of neighbouring squares: `input / (bias + alpha * total) ** beta`.

    `total` is the sum of the squares in the channels up to `depth_radius` away.

    Shapes: [batch, height, width, channels] -> the same.
    Dtypes: float16, bfloat16, float32 -> the same.
    Raises: InvalidArgumentError for another dtype or rank.
    Source: TF 2.21 `tf.nn.local_response_normalization`.
    """
    channels = jnp.arange(input.shape[-1])
    is_near = jnp.abs(channels[:, None] - channels[None, :]) <= depth_radius
    total = jnp.square(input) @ is_near.astype(input.dtype)
    return input * jnp.power(bias + alpha * total, -beta)
