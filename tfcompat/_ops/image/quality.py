"""Similarity of two images: peak signal-to-noise ratio, and structural similarity at one or several scales."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, integer, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import REAL, as_dtype, float32
from tfcompat._jaxpr.size import broadcast_shapes, has_symbols
from tfcompat._ops.derivative import power, with_derivative
from tfcompat._ops.elementwise.rounding import cast, converted
from tfcompat._ops.image.dtype import as_pixels, with_pixels
from tfcompat._ops.image.resampling import weighed_neighbours
from tfcompat._ops.network.activation import rectified

_DECIBEL = np.float32(10 / np.log(10))
# The rows of a block that is smoothed by a product with a matrix.
_BLOCK = 64


def _require_alike(name: str, first: tuple[int, ...], second: tuple[int, ...]) -> None:
    """Raises ValueError unless both are images of one size whose batches broadcast."""
    pairs = zip(reversed(first[:-3]), reversed(second[:-3]), strict=False)
    is_alike = first[-3:] == second[-3:] and all(m == n or 1 in (m, n) for m, n in pairs)
    if min(len(first), len(second)) < 3 or not is_alike:
        raise ValueError(f"tf.{name}: the images must have equal height, width and channels, got {first} and {second}.")


def _peak(max_val: Any, image: Array) -> Array:
    """The largest possible pixel value, `max_val` in the dtype of `image`, as float32."""
    return as_pixels(converted(jnp.asarray(max_val), as_dtype(np.dtype(image.dtype))), float32)


@dispatched
def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of `a` and `b` in decibels, where `max_val` is the largest possible pixel value.

    Shapes: [*batch, height, width, channels], twice -> [*batch].
    Dtypes: floating and integer -> float32.
    Raises: AttributeError for another dtype; ValueError or InvalidArgumentError unless the shapes agree.
    Source: TF 2.21 `tf.image.psnr`.
    """
    first, second = with_pixels("image.psnr", a), with_pixels("image.psnr", b)
    return _psnr(first, second, _single(max_val), name=name)


def _single(value: Any) -> Tensor:
    """A number, or a list of numbers, as float32."""
    tensor = convert_to_tensor(value)
    return tensor if tensor.dtype is float32 else cast(tensor, float32)


def _validate_psnr(a: Any, b: Any, max_val: Any) -> None:
    del max_val
    try:
        shape = broadcast_shapes(a.shape, b.shape)
    except ValueError as refused:
        raise InvalidArgumentError.of(
            f"tf.image.psnr: shapes must broadcast, got {a.shape} and {b.shape}."
        ) from refused
    if len(shape) < 3:
        raise InvalidArgumentError.of(f"tf.image.psnr: images must have rank 3 or more, got shape {shape}.")
    _require_alike("image.psnr", a.shape, b.shape)


@op("image.psnr", same=(), dtypes={"a": REAL, "b": REAL, "max_val": frozenset((float32,))}, validate=_validate_psnr)
def _psnr(a: Array, b: Array, max_val: Array) -> Array:
    error = jnp.mean(lax.square(as_pixels(a, float32) - as_pixels(b, float32)), (-3, -2, -1))
    return 2 * _DECIBEL * jnp.log(_peak(max_val, a)) - _DECIBEL * jnp.log(error)


@dispatched
def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: Any = 11,
    filter_sigma: Any = 1.5,
    k1: Any = 0.01,
    k2: Any = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """The structural similarity of `img1` and `img2`: 1 if they are equal; for each position if `return_index_map`.

    Means and deviations are weighted by a Gaussian window of `filter_size` pixels with deviation `filter_sigma`. The
    squares of `k1 * max_val` and `k2 * max_val` stabilise the quotients.

    Shapes: [*batch, height, width, channels], twice -> [*batch], or [*batch, rows, columns].
    Dtypes: floating and integer -> float32.
    Raises: AttributeError for another dtype; ValueError unless the shapes agree; InvalidArgumentError if the filter is
      larger than the images, or their dtypes differ.
    Source: TF 2.21 `tf.image.ssim`; Wang et al., Image quality assessment (2004).
    """
    first, second = _pair("image.ssim", img1, img2)
    size = _filter("image.ssim", first._aval.shape, filter_size)
    return _ssim(first, second, _settings(max_val, filter_sigma, k1, k2), size, return_index_map)


def _settings(*numbers: Any) -> Tensor:
    """The numbers, some of which may be tensors, as one tensor."""
    return convert_to_tensor([number if as_tensor(number) is None else _single(number) for number in numbers], float32)


def _pair(name: str, img1: Any, img2: Any) -> tuple[Tensor, Tensor]:
    first, second = with_pixels(name, img1), with_pixels(name, img2)
    _require_alike(name, first._aval.shape, second._aval.shape)
    return first, second


def _filter(name: str, shape: tuple[int, ...], filter_size: Any) -> int:
    """The size of the filter. Raises InvalidArgumentError if the image is smaller."""
    size = integer(filter_size) or 0
    if min(shape[-3:-1]) < size or size < 1:
        raise InvalidArgumentError.of(
            f"tf.{name}: filter_size must be positive and at most the height and the width, got {size} for {shape}."
        )
    return size


_DTYPES = {"img1": REAL, "img2": REAL, "settings": frozenset((float32,))}


@op("image.ssim", dtypes=_DTYPES, same=("img1", "img2"))
def _ssim(img1: Array, img2: Array, settings: Array, filter_size: int, return_index_map: bool) -> Array:
    max_val, filter_sigma, k1, k2 = settings
    floors = [(k * _peak(max_val, img1)) ** 2 for k in (k1, k2)]
    images = as_pixels(img1, float32), as_pixels(img2, float32)
    if not return_index_map:
        luminance, contrast = _similarity(*images, _bell(filter_size, filter_sigma), floors)
        return jnp.mean(jnp.mean(luminance * contrast, (-3, -2)), -1)
    # A product with a band matrix would spread pixels that are not finite over a block.
    is_finite = jnp.isfinite(images[0]) & jnp.isfinite(images[1])
    window = jnp.ones(filter_size, np.float32)
    is_unknown = _smoothed(1 - is_finite.astype(np.float32), window) > 0.5
    sides = (filter_size - 1, filter_size - 1)
    margin = [*[(0, 0)] * (is_unknown.ndim - 3), sides, sides, (0, 0)]
    is_near = _smoothed(jnp.pad(is_unknown, margin).astype(np.float32), window) > 0.5
    x, y = [jnp.where(is_finite, _unknown_slope(image, is_near), 0) for image in jnp.broadcast_arrays(*images)]
    luminance, contrast = _similarity(x, y, _bell(filter_size, filter_sigma), floors)
    return jnp.mean(jnp.where(is_unknown, np.float32(np.nan), luminance * contrast), -1)


# The image, whose derivative is nan where the window of a pixel that is not finite reaches.
_unknown_slope = with_derivative(
    lambda image, _: image, lambda t, _, __, is_near: t * jnp.where(is_near, np.float32(np.nan), 1), None
)


def _bell(size: int, sigma: Array) -> Array:
    """The weights of a Gaussian window, with sum 1."""
    distance = np.arange(size, dtype=np.float32) - np.float32(size - 1) / 2
    return jax.nn.softmax(np.square(distance) * (-0.5 / lax.square(sigma)))


def _smoothed(image: Array, weights: Array) -> Array:
    """The mean of `image` around each pixel with `weights` along both axes, where the whole window fits."""
    for axis in (image.ndim - 3, image.ndim - 2):
        form = weighed_neighbours if has_symbols(image.shape) else _weighed_in_blocks
        image = form(image, axis, weights)
    return image


def _weighed_in_blocks(image: Array, axis: int, weights: Array) -> Array:
    """As `weighed_neighbours`, as products of blocks of the image and a band matrix.

    XLA takes a quarter of the time to compile the derivative of five scales, which is also faster.
    """
    *batch, extent = image.shape[: axis + 1]
    size, count = len(weights), extent - len(weights) + 1
    step = max(_BLOCK, size - 1)
    blocks = -(-count // step)
    rows = image.reshape(*batch, extent, -1)
    margin = [(0, 0)] * len(batch) + [(0, (blocks + 1) * step - extent), (0, 0)]
    parts = jnp.pad(rows, margin).reshape(*batch, blocks + 1, step, rows.shape[-1])
    joined = jnp.concatenate((parts[..., :-1, :, :], parts[..., 1:, : size - 1, :]), -2)
    distance = np.arange(step + size - 1) - np.arange(step)[:, None]
    band = jnp.where((distance >= 0) & (distance < size), weights[distance.clip(0, size - 1)], 0)
    found = jnp.matmul(band, joined, precision="highest").reshape(*batch, blocks * step, rows.shape[-1])
    return found[..., :count, :].reshape(*batch, count, *image.shape[axis + 1 :])


def _similarity(x: Array, y: Array, weights: Array, floors: Sequence[Array]) -> tuple[Array, Array]:
    """The luminance and contrast terms around each pixel; `floors` are added to numerator and denominator."""
    # Smoothing all arrays in one call compiles in a quarter of the time.
    both = jnp.broadcast_arrays(x, y)
    pixels = jnp.stack([*both, both[0] * both[1] * 2, lax.square(both[0]) + lax.square(both[1])])
    mean_x, mean_y, products_of_pixels, squares_of_pixels = _smoothed(pixels, weights)
    products, squares = mean_x * mean_y * 2, lax.square(mean_x) + lax.square(mean_y)
    luminance = (products + floors[0]) / (squares + floors[0])
    contrast = (products_of_pixels - products + floors[1]) / (squares_of_pixels - squares + floors[1])
    return luminance, contrast


@dispatched
def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Any = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: Any = 11,
    filter_sigma: Any = 1.5,
    k1: Any = 0.01,
    k2: Any = 0.03,
) -> Tensor:
    """The product over scales of the structural similarities of `img1` and `img2`, to the power of `power_factors`.

    Each scale halves the images. All scales but the last use the contrast only. Other arguments are as in `ssim`.

    Shapes: [*batch, height, width, channels], twice -> [*batch].
    Dtypes: floating and integer -> float32.
    Raises: AttributeError for another dtype; ValueError unless the shapes agree; InvalidArgumentError if the filter is
      larger than the images at the last scale, or their dtypes differ.
    Source: TF 2.21 `tf.image.ssim_multiscale`; Wang et al., Multiscale structural similarity (2003).
    """
    name = "image.ssim_multiscale"
    first, second = _pair(name, img1, img2)
    powers = convert_to_tensor(power_factors, float32)
    shape, scales = first._aval.shape, powers._aval.shape[0]
    extents = [-(-extent // 2 ** max(scales - 1, 0)) for extent in shape[-3:-1]]
    size = _filter(name, (*extents, shape[-1]), filter_size)
    return _multiscale(first, second, powers, _settings(max_val, filter_sigma, k1, k2), size)


@op("image.ssim_multiscale", dtypes=_DTYPES | {"power_factors": frozenset((float32,))}, same=("img1", "img2"))
def _multiscale(img1: Array, img2: Array, power_factors: Array, settings: Array, filter_size: int) -> Array:
    max_val, filter_sigma, k1, k2 = settings
    floors = [(k * _peak(max_val, img1)) ** 2 for k in (k1, k2)]
    x, y, weights = as_pixels(img1, float32), as_pixels(img2, float32), _bell(filter_size, filter_sigma)
    factors: list[Array] = []
    for scale in range(len(power_factors)):
        if scale:
            x, y = _halved(x), _halved(y)
        luminance, contrast = _similarity(x, y, weights, floors)
        is_last = scale == len(power_factors) - 1
        similarity = jnp.mean(luminance * contrast if is_last else contrast, (-3, -2))
        factors.append(power(rectified(similarity), power_factors[scale]))
    return jnp.mean(functools.reduce(jnp.multiply, factors), -1)


def _halved(image: Array) -> Array:
    """The means of blocks of four pixels; the last row or column counts twice if their number is odd."""
    height, width = image.shape[-3:-1]
    margin = [(0, 0)] * (image.ndim - 3) + [(0, height % 2), (0, width % 2), (0, 0)]
    even = jnp.pad(image, margin, "symmetric")
    *batch, rows, columns, channels = even.shape
    return even.reshape(*batch, rows // 2, 2, columns // 2, 2, channels).sum((-4, -2)) / 4
