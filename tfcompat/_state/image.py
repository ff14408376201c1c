"""Images changed at random, from the seeds' state: `tf.image.random_flip_left_right` and its like."""

from __future__ import annotations

from typing import Any

from tfcompat._core.dtype import int32
from tfcompat._core.tensor import Tensor
from tfcompat._ops.cropping import random_window
from tfcompat._ops.image_adjustment import adjust_brightness, adjust_contrast, adjust_saturation, turn_hue
from tfcompat._ops.image_dtype import with_pixels
from tfcompat._ops.image_symmetry import flip_at_random
from tfcompat._ops.stateless_image import LARGEST, require_delta, require_limits
from tfcompat._state.random import uniform


def random_flip_left_right(image: Any, seed: Any = None) -> Tensor:
    """`image`, or its mirror image, left for right; by chance, for each image of a batch.

    Shapes: [batch, height, width, channels] -> same; the same without batch.
    Dtypes: numbers -> same.
    Raises: ValueError for another rank, or no pixels.
    Source: TF 2.21 `tf.image.random_flip_left_right`.
    """
    return flip_at_random("image.random_flip_left_right", image, -2, lambda shape: uniform(shape, seed=seed))


def random_flip_up_down(image: Any, seed: Any = None) -> Tensor:
    """`image`, or its mirror image, upside down; by chance, for each image of a batch.

    Shapes: [batch, height, width, channels] -> same; the same without batch.
    Dtypes: numbers -> same.
    Raises: ValueError for another rank, or no pixels.
    Source: TF 2.21 `tf.image.random_flip_up_down`.
    """
    return flip_at_random("image.random_flip_up_down", image, -3, lambda shape: uniform(shape, seed=seed))


def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """A part of `value` that is as large as `size` and begins anywhere.

    Shapes: [*dims], [rank(dims)] -> size.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if the part does not fit.
    Source: TF 2.21 `tf.image.random_crop`.
    """
    del name
    return random_window("image.random_crop", value, size, lambda shape: uniform(shape, 0, LARGEST, int32, seed))


def random_brightness(image: Any, max_delta: Any, seed: Any = None) -> Tensor:
    """`image` with a random number from [-`max_delta`, `max_delta`) added.

    Shapes: any, [] -> same.
    Dtypes: floating and integer -> same.
    Raises: ValueError if `max_delta` is negative.
    Source: TF 2.21 `tf.image.random_brightness`.
    """
    require_delta("image.random_brightness", max_delta)
    return adjust_brightness(image, uniform((), -max_delta, max_delta, seed=seed))


def random_contrast(image: Any, lower: Any, upper: Any, seed: Any = None) -> Tensor:
    """`image` with its contrast times a random number from [`lower`, `upper`).

    Shapes: [*batch, height, width, channels], [], [] -> same.
    Dtypes: floating and integer -> same.
    Gradient: LookupError.
    Raises: ValueError unless 0 <= `lower` < `upper`.
    Source: TF 2.21 `tf.image.random_contrast`.
    """
    require_limits("image.random_contrast", lower, upper)
    return adjust_contrast(image, uniform((), lower, upper, seed=seed))


def random_hue(image: Any, max_delta: Any, seed: Any = None) -> Tensor:
    """`image` with its hue turned by a random number from [-`max_delta`, `max_delta`).

    Shapes: [*batch, height, width, 3], [] -> same.
    Dtypes: floating and integer -> same.
    Gradient: LookupError.
    Raises: ValueError unless `max_delta` is in [0, 0.5].
    Source: TF 2.21 `tf.image.random_hue`.
    """
    require_delta("image.random_hue", max_delta, 0.5)
    return turn_hue(with_pixels("image.random_hue", image), uniform((), -max_delta, max_delta, seed=seed))


def random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Tensor:
    """`image` with its saturation times a random number from [`lower`, `upper`).

    Shapes: [*batch, height, width, 3], [], [] -> same.
    Dtypes: floating and integer -> same.
    Gradient: LookupError.
    Raises: ValueError unless 0 <= `lower` < `upper`.
    Source: TF 2.21 `tf.image.random_saturation`.
    """
    require_limits("image.random_saturation", lower, upper)
    return adjust_saturation(image, uniform((), lower, upper, seed=seed))
