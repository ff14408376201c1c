"""Weighted sums of neighbours along the axes of images: the basis of resizing.

The neighbours and their weights depend on sizes alone: they are computed here in NumPy, in TensorFlow's float32 steps,
and are constants of the program. On a CPU, a sum of a few shifted copies is mostly 2 to 4 times faster than the
product with a banded matrix; in the backward pass, so is the transposed sum compared with the scatter that JAX would
derive.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.declare import Array
from tfcompat._core.operation.reversal import depth

# A program of longer sums would take too long to compile.
_MOST_TERMS = 32
_FEW_CHANNELS = 8
_TINY = np.float32(1000) * np.finfo(np.float32).tiny


@dataclass(frozen=True, eq=False)
class Taps:
    """The neighbours that are summed at each position along an axis.

    Attributes:
      places: [count, terms], their indices.
      weights: [count, terms].
      extent: the size of the input axis.
    """

    places: np.ndarray
    weights: np.ndarray
    extent: int

    @property
    def terms(self) -> int:
        """The number of neighbours in each sum."""
        return self.places.shape[1]

    @property
    def is_selection(self) -> bool:
        """Whether each sum is a single unweighted element."""
        return self.terms == 1 and bool((self.weights == 1).all())

    @property
    def is_interpolation(self) -> bool:
        """Whether each sum interpolates between two elements."""
        return self.terms == 2 and bool((self.weights[:, 0] == 1 - self.weights[:, 1]).all())

    @functools.cached_property
    def matrix(self) -> np.ndarray:
        """The sums as a matrix, [count, extent]."""
        whole = np.zeros((len(self.places), self.extent), np.float32)
        np.add.at(whole, (np.arange(len(self.places))[:, None], self.places), self.weights)
        return whole

    @functools.cached_property
    def transposed(self) -> Taps:
        """The transposed sums: for each input element, the sums that contain it."""
        return of_matrix(self.matrix.T)

    def part(self, start: int, count: int) -> Taps:
        """The sums at `count` positions from `start` on."""
        return Taps(self.places[start : start + count], self.weights[start : start + count], self.extent)

    def along(self, images: Array, axis: int) -> Array:
        """The sums along `axis` of `images`, [batch, height, width, channels]."""
        if self.is_selection:
            return jnp.take(images, self.places[:, 0], axis, mode="clip")
        spread = [1] * images.ndim
        spread[axis] = len(self.places)
        terms = [
            jnp.take(images, places, axis, mode="clip") * weights.reshape(spread).astype(images.dtype)
            for places, weights in zip(self.places.T, self.weights.T, strict=True)
        ]
        return functools.reduce(jnp.add, terms)

    def product(self, images: Array, axis: int) -> Array:
        """The sums as a product with the matrix."""
        spelled = {1: "oh,bhwc->bowc", 2: "ow,bhwc->bhoc"}[axis]
        return jnp.einsum(spelled, self.matrix.astype(images.dtype), images, precision=lax.Precision.HIGHEST)


def of_matrix(matrix: np.ndarray) -> Taps:
    """The sums equivalent to the product with `matrix`, without its zeros."""
    return _without_zeros(np.broadcast_to(np.arange(matrix.shape[1]), matrix.shape), matrix, matrix.shape[1])


def _without_zeros(places: np.ndarray, weights: np.ndarray, extent: int) -> Taps:
    """The sums of neighbours, as few as there are weights; a weight that is 0 for all that goes to the first one."""
    terms = max(int((weights != 0).sum(1).max(initial=0)), 1)
    order = np.argsort(weights == 0, 1, kind="stable")[:, :terms]
    places, weights = (np.take_along_axis(each, order, 1) for each in (places, weights))
    return Taps(np.where(weights == 0, places[:, :1], places).astype(np.int32), weights, extent)


def resample(images: Array, vertical: Taps, horizontal: Taps) -> Array:
    """The sums of `images`, [batch, height, width, channels], along both axes, the one that shrinks more first."""
    # JAX would transpose a selection into a scatter; a custom transpose rules out forward mode.
    return _reversible(images, vertical, horizontal) if depth() else _resample(images, vertical, horizontal)


def _resample(images: Array, vertical: Taps, horizontal: Taps) -> Array:
    passes = [(horizontal, 2), (vertical, 1)]
    passes.sort(key=lambda each: len(each[0].places) / each[0].extent)
    for sums, axis in passes:
        other = vertical if sums is horizontal else horizontal
        images = (sums.product if _is_product(sums, other, axis, images.shape[3]) else sums.along)(images, axis)
    return images


def _is_product(sums: Taps, other: Taps, axis: int, channels: int) -> bool:
    """Whether a product is faster than sums of terms.

    The compiler fuses two passes into one loop, which recomputes the sums of the first pass for each term of the
    second.
    With few channels, that costs 0.2 ns for each pair of terms; a product, which is not fused, costs 0.012 ns for each
    pixel of the row (two cores, AVX-512).
    """
    is_slow = axis == 2 and channels < _FEW_CHANNELS and 16 * sums.terms * other.terms > sums.extent
    return not sums.is_selection and (is_slow or sums.terms > _MOST_TERMS)


_reversible = jax.custom_vjp(_resample, nondiff_argnums=(1, 2))
_reversible.defvjp(
    lambda images, vertical, horizontal: (_resample(images, vertical, horizontal), None),
    lambda vertical, horizontal, _, cotangent: (resample(cotangent, vertical.transposed, horizontal.transposed),),
)


def weighed_neighbours(array: Array, axis: int, weights: Any) -> Array:
    """The weighted sums of neighbours along `axis`, where they fit; a weight of None omits the neighbour."""
    count = array.shape[axis] - len(weights) + 1
    terms = [
        lax.slice_in_dim(array, k, k + count, axis=axis) * weights[k]
        for k in range(len(weights))
        if weights[k] is not None
    ]
    return functools.reduce(jnp.add, terms)


def _scale(extent: int, count: int) -> np.float32:
    return np.float32(extent) / np.float32(count)


def _centers(extent: int, count: int) -> np.ndarray:
    """The positions in the input of the output elements' centers; the first input element has its center at 0.5."""
    return (np.arange(count, dtype=np.float32) + np.float32(0.5)) * _scale(extent, count)


@functools.lru_cache(maxsize=512)
def nearest(extent: int, count: int) -> Taps:
    """The input element that contains the center of each output element."""
    places = np.minimum(np.floor(_centers(extent, count)), extent - 1).astype(np.int32)
    return Taps(places[:, None], np.ones((count, 1), np.float32), extent)


@functools.lru_cache(maxsize=512)
def bilinear(extent: int, count: int) -> Taps:
    """Linear interpolation between the two neighbours."""
    place = _centers(extent, count) - np.float32(0.5)
    below, above = np.maximum(np.floor(place), 0), np.minimum(np.ceil(place), extent - 1)
    share = place - np.floor(place)
    return merged(np.stack([below, above], 1), np.stack([1 - share, share], 1), extent)


_STEPS = 1024


@functools.lru_cache(maxsize=512)
def bicubic(extent: int, count: int) -> Taps:
    """Keys' cubic through four neighbours, at a position rounded to 1/1024; neighbours outside are ignored."""
    place = _centers(extent, count) - np.float32(0.5)
    below = np.floor(place)
    share = np.rint((place - below) * np.float32(_STEPS)) / _STEPS
    places = below[:, None] + np.arange(-1, 3)
    weights = keys_cubic(np.abs(np.stack([share + 1, share, 1 - share, 2 - share], 1))).astype(np.float32)
    is_inside = (places >= 0) & (places < extent)
    return merged(np.clip(places, 0, extent - 1), _normalized(np.where(is_inside, weights, 0)), extent)


@functools.lru_cache(maxsize=512)
def area(extent: int, count: int) -> Taps:
    """The mean over the interval of the input that an element covers."""
    scale = _scale(extent, count)
    start, end = (np.arange(k, count + k, dtype=np.float32) * scale for k in (0, 1))
    terms = int((np.ceil(end) - np.floor(start)).max())
    places = np.floor(start)[:, None] + np.arange(terms, dtype=np.float32)
    covered = np.clip(np.minimum(places + 1, end[:, None]) - np.maximum(places, start[:, None]), 0, 1)
    is_whole = (places < start[:, None]) & (places + 1 > end[:, None])
    weights = np.where(is_whole, scale, covered) / scale
    return merged(np.clip(places, 0, extent - 1), weights, extent)


@functools.lru_cache(maxsize=512)
def kernel(extent: int, count: int, name: str, antialias: bool) -> Taps:
    """Weights from a kernel of the distance, stretched when shrinking if `antialias`; their sum is 1."""
    function, radius = KERNELS[name]
    inverse_scale = np.float32(1.0 / (np.float32(count) / np.float32(extent)))
    stretch = max(inverse_scale, np.float32(1)) if antialias else np.float32(1)
    place = (np.arange(count, dtype=np.float32) + np.float32(0.5)) * inverse_scale
    reach = np.float32(radius) * stretch
    start = np.clip(np.ceil(place - reach - np.float32(0.5)), 0, extent - 1)
    end = np.clip(np.floor(place + reach - np.float32(0.5)), 0, extent - 1)
    places = start[:, None] + np.arange(int((end - start).max()) + 1, dtype=np.float32)
    distance = np.abs((places + np.float32(0.5) - place[:, None]) * (np.float32(1) / stretch))
    weights = np.where(places <= end[:, None], function(distance), 0).astype(np.float32)
    weights = np.where((place <= extent)[:, None], _normalized(weights), 0)
    return merged(np.minimum(places, extent - 1), weights, extent)


def _normalized(weights: np.ndarray) -> np.ndarray:
    total = weights.sum(1, keepdims=True, dtype=np.float32)
    return np.where(np.abs(total) >= _TINY, weights / np.where(total == 0, 1, total), weights).astype(np.float32)


def merged(places: np.ndarray, weights: np.ndarray, extent: int) -> Taps:
    """The sums with the weights of repeated neighbours added."""
    order = np.argsort(places, 1, kind="stable")
    places, weights = (np.take_along_axis(each, order, 1) for each in (places, weights.astype(np.float32)))
    rows, groups = np.arange(len(places))[:, np.newaxis], np.zeros(places.shape, np.intp)
    np.cumsum(places[:, 1:] != places[:, :-1], 1, out=groups[:, 1:])
    distinct, sums = np.zeros(places.shape, np.int32), np.zeros(places.shape, np.float32)
    distinct[rows, groups] = places
    np.add.at(sums, (rows, groups), weights)
    return _without_zeros(distinct, sums, extent)


def lanczos(radius: int) -> Callable[[np.ndarray], np.ndarray]:
    """The Lanczos kernel: the product of two sinc functions, one of half-width `radius`."""

    def windowed_sinc(x: np.ndarray) -> np.ndarray:
        return np.where(x > radius, 0, np.sinc(x) * np.sinc(x / np.float32(radius)))

    return windowed_sinc


def gaussian(x: np.ndarray) -> np.ndarray:
    """The Gaussian of deviation 1/2, cut off at 3/2."""
    return np.where(x >= 1.5, 0, np.exp(-2 * x * x))


def triangle(x: np.ndarray) -> np.ndarray:
    """The triangle: 1 at 0, linear down to 0 at 1."""
    return np.maximum(1 - x, 0)


def keys_cubic(x: np.ndarray) -> np.ndarray:
    """The interpolating cubic spline (Keys 1981)."""
    return np.where(x >= 2, 0, np.where(x >= 1, ((-0.5 * x + 2.5) * x - 4) * x + 2, (1.5 * x - 2.5) * x * x + 1))


def mitchell_cubic(x: np.ndarray) -> np.ndarray:
    """The slightly smoothing cubic spline (Mitchell and Netravali 1988)."""
    outer = ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9
    return np.where(x >= 2, 0, np.where(x >= 1, outer, (7 / 6 * x - 2) * x * x + 8 / 9))


# By TensorFlow's name: the kernel, and the distance from which it is 0.
KERNELS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "lanczos3": (lanczos(3), 3),
    "lanczos5": (lanczos(5), 5),
    "gaussian": (gaussian, 1.5),
    "mitchellcubic": (mitchell_cubic, 2),
    "triangle": (triangle, 1),
    "keyscubic": (keys_cubic, 2),
}
