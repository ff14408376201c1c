"""Random windows of images that cover enough of an object, by rejection sampling.

The random numbers are taken from the stream in TensorFlow's order, one word after another, and every step is rounded
as in TensorFlow, because a window has whole pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Check, integer, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import INDEX, float32, int8, int16, int32, int64, uint8
from tfcompat._ops.elementwise.rounding import rounded
from tfcompat._ops.random import philox
from tfcompat._ops.random.stream import seed_stream

_SINGLE = frozenset((float32,))
_ALL = np.uint32(2**32 - 1)
# An attempt needs four words; one in a million needs another.
_SPARE = 64


class StatelessSampleDistortedBoundingBox(NamedTuple):
    """The start and the size of a window, for `tf.slice`, and the window as a box for `draw_bounding_boxes`."""

    begin: Tensor
    size: Tensor
    bboxes: Tensor


class Ranges(NamedTuple):
    """The limits of a window: its aspect ratio, its share of the image's area, and the number of attempts."""

    proportions: tuple[float, float]
    areas: tuple[float, float]
    attempts: int


def stateless_sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> StatelessSampleDistortedBoundingBox:
    """A window of an image of `image_size`, determined by `seed`, that covers a part of one of `bounding_boxes`.

    The covered part is at least `min_object_covered`. The aspect ratio (width over height) is in `aspect_ratio_range`
    (0.75 to 1.33), the share of the image's area in `area_range` (0.05 to 1). After `max_attempts` (100) the window is
    the whole image. Without boxes, `use_image_if_no_bounding_boxes` makes the whole image the object.

    Shapes: [3], [*batch, n, 4], [2] -> begin [3], size [3] and bboxes [1, 1, 4].
    Dtypes: uint8, int8, int16, int32, int64; bounding_boxes float32 -> that of image_size, twice, and float32.
    Gradient: None (TensorFlow raises LookupError).
    Raises: InvalidArgumentError for other shapes, ranges or boxes, or if there are no boxes.
    Source: TF 2.21 `tf.image.stateless_sample_distorted_bounding_box`.
    """
    place = "image.stateless_sample_distorted_bounding_box"
    ranges = as_ranges(place, aspect_ratio_range, area_range, max_attempts)
    whole = bool(use_image_if_no_bounding_boxes)
    stream = seed_stream(place, seed)
    found = sample(place, image_size, bounding_boxes, min_object_covered, ranges, whole, stream, name)
    return StatelessSampleDistortedBoundingBox(*found)


def as_ranges(name: str, aspect_ratio_range: Any, area_range: Any, max_attempts: Any) -> Ranges:
    """The arguments, or TensorFlow's defaults. Raises InvalidArgumentError for invalid values."""
    pairs: list[tuple[float, float]] = []
    for what, given, default in (
        ("aspect_ratio_range", aspect_ratio_range, (0.75, 1.33)),
        ("area_range", area_range, (0.05, 1.0)),
    ):
        pair = tuple(float(number) for number in (default if given is None else given))
        if len(pair) != 2 or min(pair) <= 0:
            raise InvalidArgumentError.of(f"tf.{name}: {what} must be two positive numbers, got {given}.")
        pairs.append(pair)
    attempts = 100 if max_attempts is None else integer(max_attempts) or 0
    if max(pairs[1]) > 1:
        raise InvalidArgumentError.of(f"tf.{name}: area_range must be at most 1, got {area_range}.")
    if attempts <= 0:
        raise InvalidArgumentError.of(f"tf.{name}: max_attempts must be positive, got {max_attempts}.")
    return Ranges(pairs[0], pairs[1], attempts)


def sample(
    name: str,
    image_size: Any,
    bounding_boxes: Any,
    min_object_covered: Any,
    ranges: Ranges,
    takes_image: bool,
    stream: Any,
    label: str | None,
) -> tuple[Tensor, Tensor, Tensor]:
    """A window determined by the numbers of `stream`."""
    boxes = convert_to_tensor(bounding_boxes, float32)
    if boxes.ndim != 3 or boxes._aval.shape[2] != 4:
        raise InvalidArgumentError.of(f"tf.{name}: bounding_boxes must have shape [*, *, 4], got {boxes.shape}.")
    if not boxes._aval.size and not takes_image:
        raise InvalidArgumentError.of(
            f"tf.{name}: bounding_boxes must not be empty; use_image_if_no_bounding_boxes=True takes the whole image."
        )
    numbers = Tensor(np.array([*ranges.proportions, *ranges.areas], np.float32))
    covered = convert_to_tensor(min_object_covered, float32)
    return _sampled(convert_to_tensor(image_size), boxes, covered, numbers, stream, ranges.attempts, name=label)


def _validate(image_size: Any, min_object_covered: Any, **_: Any) -> None:
    if image_size.shape != (3,) or min_object_covered.ndim:
        raise InvalidArgumentError.of(
            "tf.image.sample_distorted_bounding_box: image_size must be three numbers and min_object_covered one, got "
            f"shapes {image_size.shape} and {min_object_covered.shape}."
        )


_IS_POSSIBLE = Check(
    reads=("image_size", "bounding_boxes", "min_object_covered"),
    flag=lambda image_size, bounding_boxes, min_object_covered, **_: (
        (image_size[:2] < 0).any() | ~((bounding_boxes >= 0) & (bounding_boxes <= 1)).all() | ~(min_object_covered >= 0)
    ),
    message="the size and min_object_covered must not be negative, and bounding_boxes must be in [0, 1]",
)


@op(
    "image.sample_distorted_bounding_box",
    same=("stream",),
    dtypes={
        "image_size": frozenset((uint8, int8, int16, int32, int64)),
        **dict.fromkeys(("bounding_boxes", "min_object_covered", "ranges"), _SINGLE),
        "stream": INDEX,
    },
    validate=_validate,
    check=_IS_POSSIBLE,
    structure=tuple,
    differentiable=False,
)
def _sampled(
    image_size: Array,
    bounding_boxes: Array,
    min_object_covered: Array,
    ranges: Array,
    stream: Arrays,
    attempts: int,
) -> tuple[Array, Array, Array]:
    height, width = (image_size[k].astype(np.int32) for k in range(2))
    whole = Window(jnp.int32(0), jnp.int32(0), height, width)
    scale = jnp.stack([height, width, height, width]).astype(np.float32)
    edges = (bounding_boxes.reshape(-1, 4) * scale).astype(np.int32)
    objects = Window(*(edges[:, k] for k in range(4))) if edges.size else Window(*(edge[None] for edge in whole))
    words, shares = _words(philox.opened(stream), 4 * attempts + _SPARE)

    def goes_on(state: tuple[Array, Array, Window, Array]) -> Array:
        return (state[0] < attempts) & ~state[3]

    def attempt(state: tuple[Array, Array, Window, Array]) -> tuple[Array, Array, Window, Array]:
        number, used, _, _ = state
        window, used, is_drawn = _drawn(Draws(words, shares, used), whole, ranges)
        return number + 1, used, window, is_drawn & window.covers(objects, min_object_covered)

    start = (jnp.int32(0), jnp.int32(0), whole, jnp.zeros((), bool))
    _, _, window, is_found = lax.while_loop(goes_on, attempt, start)
    top, left, bottom, right = (jnp.where(is_found, edge, full) for edge, full in zip(window, whole, strict=True))
    dtype = image_size.dtype
    begin = jnp.stack([top, left, jnp.zeros_like(top)]).astype(dtype)
    size = jnp.stack([bottom - top, right - left, -jnp.ones_like(top)]).astype(dtype)
    return begin, size, (jnp.stack([top, left, bottom, right]).astype(np.float32) / scale).reshape(1, 1, 4)


def _words(stream: philox.Stream, count: int) -> tuple[Array, Array]:
    """The first words of the stream, a multiple of four, all at once, and the number in [0, 1) for each word."""
    words = jnp.stack(stream.block(philox.indices(count // 4)), -1).reshape(-1)
    return words, philox.unit(words, np.dtype(np.float32))


class Window(NamedTuple):
    """The edges of one or several windows, in pixels."""

    top: Array
    left: Array
    bottom: Array
    right: Array

    def covers(self, objects: Window, least: Array) -> Array:
        """Whether it covers at least `least` of one of `objects`; objects without a pixel are ignored."""
        shared = Window(
            jnp.maximum(self.top, objects.top),
            jnp.maximum(self.left, objects.left),
            jnp.minimum(self.bottom, objects.bottom),
            jnp.minimum(self.right, objects.right),
        )
        is_empty = (shared.top >= shared.bottom) | (shared.left >= shared.right)
        area = objects.area
        part = jnp.where(is_empty, 0, shared.area) / jnp.where(area >= 1, area, 1)
        return (self.area >= 1) & jnp.any((area >= 1) & (part >= least))

    @property
    def area(self) -> Array:
        """The number of pixels."""
        return ((self.bottom - self.top) * (self.right - self.left)).astype(np.float32)


class Draws:
    """Numbers drawn one after another from the stream.

    Attributes:
      used: the number of words drawn.
    """

    def __init__(self, words: Array, shares: Array, used: Array) -> None:
        self._words = words
        self._shares = shares
        self.used = used

    def share(self) -> Array:
        """A number in [0, 1)."""
        number = self._shares[self.used]
        self.used = self.used + 1
        return number

    def below(self, limit: Array, is_wanted: Array) -> Array:
        """An integer in [0, `limit`), or 0 without drawing unless `is_wanted`.

        Words that would make low numbers more probable are discarded.
        """
        count = jnp.where(is_wanted, limit, 1).astype(np.uint32)
        is_power = (count & (count - 1)) == 0
        least = jnp.where(is_power, 0, _ALL % count + 1).astype(np.uint32)
        is_left = jnp.arange(len(self._words)) >= self.used
        place = jnp.argmax(is_left & (self._words >= least)).astype(np.int32)
        self.used = jnp.where(is_wanted, place + 1, self.used)
        return jnp.where(is_wanted, (self._words[place] % count).astype(np.int32), 0)


def _drawn(draws: Draws, whole: Window, ranges: Array) -> tuple[Window, Array, Array]:
    """A window of random aspect ratio, area and position; the number of words used then; and whether it fits."""
    height, width = whole.bottom, whole.right
    proportion = rounded(draws.share() * (ranges[1] - ranges[0])) + ranges[0]
    areas = ranges[2:] * width.astype(np.float32) * height.astype(np.float32)

    def wide(rows: Array) -> Array:
        return _whole(rows.astype(np.float32) * proportion)

    is_possible = (width > 0) & (height > 0) & (areas[0] <= areas[1])
    least, most = (_whole(jnp.sqrt(area / proportion)) for area in (areas[0], areas[1]))
    most = jnp.minimum(jnp.where(wide(most) > width, _highest(width, proportion, wide), most), height)
    rows = jnp.minimum(least, most)
    rows = rows + draws.below(most - rows + 1, is_possible & (rows < most))
    rows = rows + (_area(rows, wide) < areas[0])
    rows = rows - (_area(rows, wide) > areas[1])
    columns, area = wide(rows), _area(rows, wide)
    is_possible &= (area >= areas[0]) & (area <= areas[1])
    is_possible &= (columns <= width) & (rows <= height) & (columns > 0) & (rows > 0)
    top = draws.below(height - rows, is_possible & (rows < height))
    left = draws.below(width - columns, is_possible & (columns < width))
    return Window(top, left, top + rows, left + columns), draws.used, is_possible


def _whole(number: Array) -> Array:
    return jnp.rint(number).astype(np.int32)


def _area(rows: Array, wide: Callable[[Array], Array]) -> Array:
    return (wide(rows) * rows).astype(np.float32)


def _highest(width: Array, proportion: Array, wide: Callable[[Array], Array]) -> Array:
    """The number of rows of the highest window that is not wider than `width`."""
    rows = ((width + 0.5 - np.float64(np.float32(1e-7))) / proportion.astype(np.float64)).astype(np.int32)
    return rows - (wide(rows) > width)
