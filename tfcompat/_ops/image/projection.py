"""Projective transforms of images: rotation, translation, scaling, perspective."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Ints, integers, op
from tfcompat._core.operation.reversal import depth
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import bfloat16, float16, float32, float64, int32, int64, uint8
from tfcompat._ops.elementwise.rounding import rounded

_NAME = "raw_ops.ImageProjectiveTransformV3"
_PIXELS = frozenset((uint8, int32, int64, float16, bfloat16, float32, float64))
_SINGLE = frozenset((float32,))


def image_projective_transform(
    images: Any,
    transforms: Any,
    output_shape: Any,
    fill_value: Any,
    interpolation: str,
    fill_mode: str = "CONSTANT",
    name: str | None = None,
) -> Tensor:
    """`images` transformed by `transforms`, as images of `output_shape`.

    A transform (a, b, c, d, e, f, g, h) maps an output pixel at (x, y) to its source at ((a x + b y + c) / k,
    (d x + e y + f) / k) with k = g x + h y + 1. `interpolation` is "NEAREST" or "BILINEAR". Outside the image,
    `fill_mode` "CONSTANT" gives `fill_value`, "REFLECT" the mirrored image, "WRAP" the repeated image, "NEAREST" its
    edge.

    Shapes: [batch, height, width, channels], [batch or 1, 8], [2], [] -> [batch, *output_shape, channels].
    Dtypes: uint8, int32, int64, bfloat16, float16, float32, float64 -> same; transforms and fill_value float32.
    Gradient: for images, the upstream gradient transformed by the inverse transform, as in TensorFlow.
    Raises: InvalidArgumentError for other shapes, sizes that are not positive, or an unknown mode.
    Source: TF 2.21 `tf.raw_ops.ImageProjectiveTransformV3`.
    """
    if interpolation not in ("NEAREST", "BILINEAR"):
        raise InvalidArgumentError.of(f"tf.{_NAME}: interpolation must be NEAREST or BILINEAR, got {interpolation!r}.")
    if fill_mode not in _INSIDE:
        raise InvalidArgumentError.of(f"tf.{_NAME}: fill_mode must be one of {', '.join(_INSIDE)}, got {fill_mode!r}.")
    size = as_tensor(output_shape)
    size = convert_to_tensor(output_shape, int32) if size is None else size
    if size.dtype is not int32 or size._aval.shape != (2,):
        raise InvalidArgumentError.of(f"tf.{_NAME}: output_shape must be two int32, got {output_shape}.")
    matrix, outside = convert_to_tensor(transforms, float32), convert_to_tensor(fill_value, float32)
    return _transform(images, matrix, outside, integers(size), interpolation, fill_mode, name=name)


def _validate(images: Any, transforms: Any, fill_value: Any, size: Any, **_: Any) -> None:
    if images.ndim != 4:
        raise InvalidArgumentError.of(f"tf.{_NAME}: images must have rank 4, got shape {images.shape}.")
    if transforms.shape not in ((images.shape[0], 8), (1, 8)):
        raise InvalidArgumentError.of(
            f"tf.{_NAME}: transforms must have shape [{images.shape[0]}, 8] or [1, 8], got {transforms.shape}."
        )
    if fill_value.ndim or min(size) <= 0:
        raise InvalidArgumentError.of(
            f"tf.{_NAME}: output_shape must be positive, and fill_value a scalar, got {size} and {fill_value.shape}."
        )


@op(
    _NAME,
    same=("images",),
    dtypes={"images": _PIXELS, "transforms": _SINGLE, "fill_value": _SINGLE},
    differentiable=("images",),
    validate=_validate,
)
def _transform(
    images: Array, transforms: Array, fill_value: Array, size: Ints, interpolation: str, fill_mode: str
) -> Array:
    # TensorFlow's gradient is not the transpose, so it needs its own rule, which rules out forward mode.
    seen = _reversible if depth() else _seen
    return seen(images, transforms, fill_value, size, interpolation, fill_mode)


def _seen(images: Array, transforms: Array, fill_value: Array, size: Ints, interpolation: str, fill_mode: str) -> Array:
    height, width = images.shape[1:3]
    if not images.size:
        return jnp.full((images.shape[0], *size, images.shape[3]), fill_value, images.dtype)
    rows, columns = np.arange(size[0], dtype=np.float32)[:, None], np.arange(size[1], dtype=np.float32)
    a, b, c, d, e, f, g, h = (transforms[:, k, None, None] for k in range(8))
    scale = rounded(g * columns) + rounded(h * rows) + 1
    is_seen = scale != 0
    scale = jnp.where(is_seen, scale, 1)
    x = _INSIDE[fill_mode]((rounded(a * columns) + rounded(b * rows) + c) / scale, width)
    y = _INSIDE[fill_mode]((rounded(d * columns) + rounded(e * rows) + f) / scale, height)
    pixel = functools.partial(_pixel, images, fill_value.astype(images.dtype))
    found = _nearest(pixel, y, x) if interpolation == "NEAREST" else _between(pixel, y, x)
    return jnp.where(is_seen[..., None], found.astype(images.dtype), fill_value.astype(images.dtype))


def _pixel(images: Array, outside: Array, y: Array, x: Array) -> Array:
    """The pixels at whole `y` and `x`, [batch or 1, *size]; `outside` for positions outside the image."""
    batch, height, width, channels = images.shape
    is_inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    row, column = (jnp.where(is_inside, place, 0).astype(np.int32) for place in (y, x))
    places = (jnp.arange(batch, dtype=np.int32)[:, None, None] * height + row) * width + column
    return jnp.where(is_inside[..., None], images.reshape(-1, channels).at[places].get(mode="clip"), outside)


_Pixel = Callable[[Array, Array], Array]


def _nearest(pixel: _Pixel, y: Array, x: Array) -> Array:
    return pixel(*map(_rounded_away, (y, x)))


def _rounded_away(place: Array) -> Array:
    """The whole number nearest to `place`; halves go away from 0. Adding a half would move the number below it to 1."""
    whole = jnp.trunc(place)
    return whole + jnp.where(jnp.abs(place - whole) >= 0.5, jnp.sign(place), 0)


def _between(pixel: _Pixel, y: Array, x: Array) -> Array:
    top, left = jnp.floor(y), jnp.floor(x)
    right, down = (
        ((place - floor)[..., None], (floor + 1 - place)[..., None]) for place, floor in ((x, left), (y, top))
    )
    a, b, c, d = (pixel(row, column).astype(np.float32) for row in (top, top + 1) for column in (left, left + 1))
    return _mean(_mean(a, b, right), _mean(c, d, right), down)


def _mean(first: Array, second: Array, shares: tuple[Array, Array]) -> Array:
    """Linear interpolation between two values with the given weights of the second and the first."""
    return rounded(first * shares[1]) + rounded(second * shares[0])


def _reflected(place: Array, extent: int) -> Array:
    """The position reflected into the image."""
    if extent == 1:
        return jnp.zeros_like(place)
    before = place + 2 * extent * jnp.trunc(-place / (2 * extent))
    before = jnp.where(before < -extent, before + 2 * extent, -before - 1)
    after = place - 2 * extent * jnp.trunc(place / (2 * extent))
    after = jnp.where(after >= extent, 2 * extent - after - 1, after)
    return _at_edge(jnp.where(place < 0, before, jnp.where(place > extent - 1, after, place)), extent)


def _wrapped(place: Array, extent: int) -> Array:
    """The position wrapped into the image; TensorFlow wraps by the size minus one pixel."""
    if extent == 1:
        return jnp.zeros_like(place)
    before = place + extent * (jnp.trunc(-place / (extent - 1)) + 1)
    after = place - extent * jnp.trunc(place / (extent - 1))
    return _at_edge(jnp.where(place < 0, before, jnp.where(place > extent - 1, after, place)), extent)


def _at_edge(place: Array, extent: int) -> Array:
    return jnp.clip(place, 0, extent - 1)


# By fill mode: the pixel used for a position that may lie outside the image.
_INSIDE: dict[str, Callable[[Array, int], Array]] = {
    "CONSTANT": lambda place, _: place,
    "REFLECT": _reflected,
    "WRAP": _wrapped,
    "NEAREST": _at_edge,
}


def _inverse(transforms: Array) -> Array:
    """The inverse transforms."""
    matrices = jnp.pad(transforms, ((0, 0), (0, 1)), constant_values=1).reshape(-1, 3, 3)
    found = jnp.linalg.inv(matrices).reshape(-1, 9)
    return found[:, :8] / found[:, 8:]


_reversible = jax.custom_vjp(_seen, nondiff_argnums=(3, 4, 5))


def _forward(
    images: Array, transforms: Array, fill_value: Array, size: Ints, interpolation: str, fill_mode: str
) -> tuple[Array, tuple[Array, tuple[int, ...]]]:
    return _seen(images, transforms, fill_value, size, interpolation, fill_mode), (transforms, images.shape[1:3])


def _backward(
    size: Ints, interpolation: str, fill_mode: str, kept: tuple[Array, tuple[int, ...]], cotangent: Array
) -> tuple[Array, None, None]:
    del size
    transforms, extents = kept
    nothing = jnp.zeros((), np.float32)
    seen = _reversible if depth() else _seen
    return seen(cotangent, _inverse(transforms), nothing, extents, interpolation, fill_mode), None, None


_reversible.defvjp(_forward, _backward)
