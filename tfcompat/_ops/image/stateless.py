"""Random changes of images determined by a seed: `tf.image.stateless_random_flip_left_right` and similar functions."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import float32, int32
from tfcompat._ops.image.adjustment import adjust_brightness, adjust_contrast, adjust_saturation, turn_hue
from tfcompat._ops.image.cropping import random_window
from tfcompat._ops.image.dtype import with_pixels
from tfcompat._ops.image.symmetry import flip_at_random
from tfcompat._ops.random.stream import stateless_uniform

LARGEST = 2**31 - 1


def require_delta(name: str, max_delta: Any, most: float | None = None) -> None:
    """Raises ValueError unless `max_delta` is at least 0, and at most `most` if that is given."""
    if max_delta < 0:
        raise ValueError(f"tf.{name}: max_delta must not be negative, got {max_delta}.")
    if most is not None and max_delta > most:
        raise ValueError(f"tf.{name}: max_delta must be at most {most}, got {max_delta}.")


def require_limits(name: str, lower: Any, upper: Any) -> None:
    """Raises ValueError unless `lower` is less than `upper`, and not negative."""
    if upper <= lower:
        raise ValueError(f"tf.{name}: lower must be less than upper, got {lower} and {upper}.")
    if lower < 0:
        raise ValueError(f"tf.{name}: lower must not be negative, got {lower}.")


def stateless_random_flip_left_right(image: Any, seed: Any) -> Tensor:
    """`image`, or its mirror image (left to right), as determined by `seed` for each image of a batch.

    Shapes: [batch, height, width, channels], [2] -> same; the same without batch.
    Dtypes: numbers -> same.
    Raises: ValueError for another rank, or no pixels; InvalidArgumentError if `seed` isn't two integers.
    Source: TF 2.21 `tf.image.stateless_random_flip_left_right`.
    """
    name = "image.stateless_random_flip_left_right"
    return flip_at_random(name, image, -2, lambda shape: stateless_uniform(shape, seed))


def stateless_random_flip_up_down(image: Any, seed: Any) -> Tensor:
    """`image`, or its mirror image (upside down), as determined by `seed` for each image of a batch.

    Shapes: [batch, height, width, channels], [2] -> same; the same without batch.
    Dtypes: numbers -> same.
    Raises: ValueError for another rank, or no pixels; InvalidArgumentError if `seed` isn't two integers.
    Source: TF 2.21 `tf.image.stateless_random_flip_up_down`.
    """
    name = "image.stateless_random_flip_up_down"
    return flip_at_random(name, image, -3, lambda shape: stateless_uniform(shape, seed))


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Tensor:
    """A part of `value` of the shape `size`; `seed` determines its start.

    Shapes: [*dims], [rank(dims)], [2] -> size.
    Dtypes: any -> same.
    Raises: InvalidArgumentError if the part does not fit, or `seed` isn't two integers.
    Source: TF 2.21 `tf.image.stateless_random_crop`.
    """
    del name
    return random_window(
        "image.stateless_random_crop", value, size, lambda shape: stateless_uniform(shape, seed, 0, LARGEST, int32)
    )


@dispatched
def stateless_random_brightness(image: Any, max_delta: Any, seed: Any) -> Tensor:
    """`image` plus a number from [-`max_delta`, `max_delta`), determined by `seed`.

    Shapes: any, [], [2] -> same.
    Dtypes: floating and integer -> same.
    Raises: ValueError if `max_delta` is negative; InvalidArgumentError if `seed` isn't two integers.
    Source: TF 2.21 `tf.image.stateless_random_brightness`.
    """
    require_delta("image.stateless_random_brightness", max_delta)
    return adjust_brightness(image, stateless_uniform((), seed, -max_delta, max_delta, float32))


def stateless_random_contrast(image: Any, lower: Any, upper: Any, seed: Any) -> Tensor:
    """`image` with its contrast multiplied by a number from [`lower`, `upper`), determined by `seed`.

    Shapes: [*batch, height, width, channels], [], [], [2] -> same.
    Dtypes: floating and integer -> same.
    Gradient: LookupError.
    Raises: ValueError unless 0 <= `lower` < `upper`; InvalidArgumentError if `seed` isn't two integers.
    Source: TF 2.21 `tf.image.stateless_random_contrast`.
    """
    require_limits("image.stateless_random_contrast", lower, upper)
    return adjust_contrast(image, stateless_uniform((), seed, lower, upper, float32))


def stateless_random_hue(image: Any, max_delta: Any, seed: Any) -> Tensor:
    """`image` with its hue rotated by a number from [-`max_delta`, `max_delta`), determined by `seed`.

    Shapes: [*batch, height, width, 3], [], [2] -> same.
    Dtypes: floating and integer -> same.
    Gradient: LookupError.
    Raises: ValueError unless `max_delta` is in [0, 0.5]; InvalidArgumentError if `seed` isn't two integers.
    Source: TF 2.21 `tf.image.stateless_random_hue`.
    """
    require_delta("image.stateless_random_hue", max_delta, 0.5)
    turn = stateless_uniform((), seed, -max_delta, max_delta, float32)
    return turn_hue(with_pixels("image.stateless_random_hue", image), turn)


def stateless_random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Tensor:
    """`image` with its saturation multiplied by a number from [`lower`, `upper`), determined by `seed`.

    Shapes: [*batch, height, width, 3], [], [], [2] -> same.
    Dtypes: floating and integer -> same.
    Gradient: LookupError.
    Raises: ValueError unless 0 <= `lower` < `upper`, or if `seed` is None; InvalidArgumentError if it isn't two
      integers.
    Source: TF 2.21 `tf.image.stateless_random_saturation`.
    """
    require_limits("image.stateless_random_saturation", lower, upper)
    return adjust_saturation(image, stateless_uniform((), seed, lower, upper, float32))
