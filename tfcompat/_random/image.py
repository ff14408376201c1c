"""Random changes of images, from the seeds' state: `tf.image.random_flip_left_right` and similar functions."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import float32, int32
from tfcompat._ops.image.adjustment import adjust_brightness, adjust_contrast, adjust_saturation, turn_hue
from tfcompat._ops.image.box_sampling import as_ranges, sample
from tfcompat._ops.image.cropping import random_window
from tfcompat._ops.image.dtype import with_pixels
from tfcompat._ops.image.glimpse import glimpse
from tfcompat._ops.image.stateless import LARGEST, require_delta, require_limits
from tfcompat._ops.image.symmetry import flip_at_random
from tfcompat._ops.random.philox import BLOCKS_PER_ELEMENT
from tfcompat._ops.random.stream import draw_normal, draw_uniform
from tfcompat._random.random import uniform
from tfcompat._random.seed import block_stream, chance_stream


def random_flip_left_right(image: Any, seed: Any = None) -> Tensor:
    """`image`, or its mirror image (left to right), at random for each image of a batch.

    Shapes: [batch, height, width, channels] -> same; the same without batch.
    Dtypes: numbers -> same.
    Raises: ValueError for another rank, or no pixels.
    Source: TF 2.21 `tf.image.random_flip_left_right`.
    """
    return flip_at_random("image.random_flip_left_right", image, -2, lambda shape: uniform(shape, seed=seed))


def random_flip_up_down(image: Any, seed: Any = None) -> Tensor:
    """`image`, or its mirror image (upside down), at random for each image of a batch.

    Shapes: [batch, height, width, channels] -> same; the same without batch.
    Dtypes: numbers -> same.
    Raises: ValueError for another rank, or no pixels.
    Source: TF 2.21 `tf.image.random_flip_up_down`.
    """
    return flip_at_random("image.random_flip_up_down", image, -3, lambda shape: uniform(shape, seed=seed))


def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """A part of `value` of the shape `size` at a random position.

    Shapes: [*dims], [rank(dims)] -> size.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if the part does not fit.
    Source: TF 2.21 `tf.image.random_crop`.
    """
    del name
    return random_window("image.random_crop", value, size, lambda shape: uniform(shape, 0, LARGEST, int32, seed))


def random_brightness(image: Any, max_delta: Any, seed: Any = None) -> Tensor:
    """`image` plus a random number from [-`max_delta`, `max_delta`).

    Shapes: any, [] -> same.
    Dtypes: floating and integer -> same.
    Raises: ValueError if `max_delta` is negative.
    Source: TF 2.21 `tf.image.random_brightness`.
    """
    require_delta("image.random_brightness", max_delta)
    return adjust_brightness(image, uniform((), -max_delta, max_delta, seed=seed))


def random_contrast(image: Any, lower: Any, upper: Any, seed: Any = None) -> Tensor:
    """`image` with its contrast multiplied by a random number from [`lower`, `upper`).

    Shapes: [*batch, height, width, channels], [], [] -> same.
    Dtypes: floating and integer -> same.
    Gradient: LookupError.
    Raises: ValueError unless 0 <= `lower` < `upper`.
    Source: TF 2.21 `tf.image.random_contrast`.
    """
    require_limits("image.random_contrast", lower, upper)
    return adjust_contrast(image, uniform((), lower, upper, seed=seed))


def random_hue(image: Any, max_delta: Any, seed: Any = None) -> Tensor:
    """`image` with its hue rotated by a random number from [-`max_delta`, `max_delta`).

    Shapes: [*batch, height, width, 3], [] -> same.
    Dtypes: floating and integer -> same.
    Gradient: LookupError.
    Raises: ValueError unless `max_delta` is in [0, 0.5].
    Source: TF 2.21 `tf.image.random_hue`.
    """
    require_delta("image.random_hue", max_delta, 0.5)
    return turn_hue(with_pixels("image.random_hue", image), uniform((), -max_delta, max_delta, seed=seed))


def random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Tensor:
    """`image` with its saturation multiplied by a random number from [`lower`, `upper`).

    Shapes: [*batch, height, width, 3], [], [] -> same.
    Dtypes: floating and integer -> same.
    Gradient: LookupError.
    Raises: ValueError unless 0 <= `lower` < `upper`.
    Source: TF 2.21 `tf.image.random_saturation`.
    """
    require_limits("image.random_saturation", lower, upper)
    return adjust_saturation(image, uniform((), lower, upper, seed=seed))


def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """Windows of `size` of the images in `input`, at `offsets`; pixels beyond the edges are `noise`.

    With `normalized` and `centered`, offsets of -1 and 1 put the center of the window on the edges of the image; with
    `normalized`, 0 and 1 put its upper left corner there. Otherwise they count pixels, with `centered` from the center.
    The noise has the mean and deviation of the pixels. Each call draws new noise, whatever the seed, as in TensorFlow.

    Shapes: [batch, height, width, channels], [2], [batch, 2] -> [batch, *size, channels].
    Dtypes: float32 -> float32.
    Gradient: LookupError.
    Raises: InvalidArgumentError for other shapes, or a `noise` other than "uniform", "gaussian" and "zero".
    Source: TF 2.21 `tf.image.extract_glimpse`.
    """

    def draw(noise: str, shape: tuple[int, ...]) -> Tensor:
        if noise == "zero":
            return Tensor(np.zeros((), np.float32))
        stream = chance_stream("tf.image.extract_glimpse", math.prod(shape) * BLOCKS_PER_ELEMENT)
        draws = draw_normal if noise == "gaussian" else draw_uniform
        zero, one = (Tensor(np.array(number, np.float32)) for number in (0, 1))
        return draws(zero, one, stream, shape, float32)

    return glimpse(input, size, offsets, centered, normalized, noise, draw, name)


class SampleDistortedBoundingBoxV2(NamedTuple):
    """The start and the size of a window, for `tf.slice`, and the window as a box for `draw_bounding_boxes`."""

    begin: Tensor
    size: Tensor
    bboxes: Tensor


def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any = 0,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> SampleDistortedBoundingBoxV2:
    """A random window of an image of `image_size` that covers a part of one of `bounding_boxes`.

    Without a `seed` it is random, whatever the global seed. Otherwise as
    `stateless_sample_distorted_bounding_box`.

    Shapes: [3], [*batch, n, 4] -> begin [3], size [3] and bboxes [1, 1, 4].
    Dtypes: uint8, int8, int16, int32, int64; bounding_boxes float32 -> that of image_size, twice, and float32.
    Gradient: None.
    Raises: InvalidArgumentError for other shapes, ranges or boxes, or if there are no boxes.
    Source: TF 2.21 `tf.image.sample_distorted_bounding_box`.
    """
    place, whole = "image.sample_distorted_bounding_box", bool(use_image_if_no_bounding_boxes)
    ranges = as_ranges(place, aspect_ratio_range, area_range, max_attempts)
    if seed:
        kind = (convert_to_tensor(image_size).dtype, ranges, whole)
        stream = block_stream("SampleDistortedBoundingBoxV2", kind, seed, ranges.attempts)
    else:
        stream = chance_stream(f"tf.{place}", ranges.attempts)
    found = sample(place, image_size, bounding_boxes, min_object_covered, ranges, whole, stream, name)
    return SampleDistortedBoundingBoxV2(*found)
