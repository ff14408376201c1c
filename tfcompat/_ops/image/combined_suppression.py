"""Non-maximum suppression for boxes of several classes, separately for each class."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, integer, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import float32
from tfcompat._jaxpr.platform import on_platform
from tfcompat._ops.image.box import Corners, above, as_single, choose

_NAME = "image.combined_non_max_suppression"


class CombinedNonMaxSuppression(NamedTuple):
    """The chosen boxes of each image with scores and classes, padded with zeros, and their number."""

    nmsed_boxes: Tensor
    nmsed_scores: Tensor
    nmsed_classes: Tensor
    valid_detections: Tensor


def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> CombinedNonMaxSuppression:
    """For each image, the up to `max_total_size` of `boxes` with the highest `scores` after suppression.

    At most `max_output_size_per_class` are of one class. Within a class, boxes are left out whose overlap with a chosen
    one exceeds `iou_threshold`, or whose score does not exceed `score_threshold`. With `pad_per_class` the result has
    at most as many places as could be filled. With `clip_boxes` coordinates are clipped to [0, 1].

    Shapes: [batch, n, classes or 1, 4], [batch, n, classes], [], [], [], [] -> [batch, total, 4], [batch, total],
      [batch, total], [batch].
    Dtypes: float32 -> float32; the number of boxes int32.
    Gradient: LookupError.
    Raises: InvalidArgumentError for other shapes or dtypes, a size that is not positive, or an `iou_threshold` outside
      [0, 1].
    Source: TF 2.21 `tf.image.combined_non_max_suppression`.
    """
    shape, value = as_single(boxes), as_single(scores)
    thresholds = [convert_to_tensor(each, float32) for each in (iou_threshold, score_threshold)]
    most, total = integer(max_output_size_per_class) or 0, integer(max_total_size) or 0
    if most <= 0 or total <= 0:
        raise InvalidArgumentError.of(f"tf.{_NAME}: sizes must be positive, got {most} per class and {total} in all.")
    return _choose(shape, value, *thresholds, most, total, bool(pad_per_class), bool(clip_boxes), name=name)


def _validate(boxes: Any, scores: Any, iou_threshold: Any, score_threshold: Any, **_: Any) -> None:
    is_batch = boxes.ndim == 4 and scores.ndim == 3 and boxes.shape[3] == 4 and boxes.shape[:2] == scores.shape[:2]
    if not is_batch or boxes.shape[2] not in (1, scores.shape[2]):
        raise InvalidArgumentError.of(
            f"tf.{_NAME}: boxes must have shape [batch, n, classes or 1, 4] and scores [batch, n, classes], got "
            f"{boxes.shape} and {scores.shape}."
        )
    if iou_threshold.ndim or score_threshold.ndim:
        raise InvalidArgumentError.of(f"tf.{_NAME}: thresholds must be scalars.")


_IS_SHARE = Check(
    reads=("iou_threshold",),
    flag=lambda iou_threshold, **_: (iou_threshold < 0) | (iou_threshold > 1),
    message="iou_threshold must be in [0, 1]",
)


@op(
    _NAME,
    dtypes=frozenset((float32,)),
    validate=_validate,
    check=_IS_SHARE,
    structure=CombinedNonMaxSuppression._make,
    no_gradient="CombinedNonMaxSuppression",
)
def _choose(
    boxes: Array,
    scores: Array,
    iou_threshold: Array,
    score_threshold: Array,
    most: int,
    total: int,
    is_padded_per_class: bool,
    is_clipped: bool,
) -> tuple[Array, ...]:
    batch, count, classes = scores.shape
    places = min(total, most * classes) if is_padded_per_class else total
    if not batch * count:
        empty = jnp.zeros((batch, places), np.float32)
        return jnp.zeros((batch, places, 4), np.float32), empty, empty, jnp.zeros(batch, np.int32)
    most = min(most, count)

    def one(number: Array) -> tuple[Array, Array]:
        """The chosen boxes of one class of an image."""
        image, kind = number // classes, number % classes
        own = boxes[image, :, jnp.minimum(kind, boxes.shape[2] - 1)]
        return _choose_one(own, scores[image, :, kind], iou_threshold, score_threshold, most)

    every = jnp.arange(batch * classes, dtype=np.int32)
    # A loop over classes takes the sum of their loops' lengths; on other devices the number of steps dominates.
    indices, points = on_platform(every, cpu=lambda numbers: lax.map(one, numbers), default=jax.vmap(one))
    indices, points = indices.reshape((batch, classes * most)), points.reshape((batch, classes * most))
    order = jnp.argsort(-points, axis=1, stable=True)[:, :places]
    order = jnp.pad(order, ((0, 0), (0, places - order.shape[1])))
    valid = jnp.minimum(jnp.sum(points > -np.inf, 1, dtype=np.int32), places)
    is_valid = jnp.arange(places) < valid[:, None]
    kinds, chosen = order // most, jnp.take_along_axis(indices, order, 1)
    found = boxes[jnp.arange(batch)[:, None], chosen, jnp.minimum(kinds, boxes.shape[2] - 1)]
    found = jnp.where(is_valid[..., None], jnp.clip(found, 0, 1) if is_clipped else found, 0)
    best = jnp.where(is_valid, jnp.take_along_axis(points, order, 1), 0)
    return found, best, jnp.where(is_valid, kinds, 0).astype(np.float32), valid


def _choose_one(
    boxes: Array, scores: Array, iou_threshold: Array, score_threshold: Array, most: int
) -> tuple[Array, Array]:
    """The chosen boxes and their scores; -inf marks unused places."""
    corners = Corners.of(boxes)

    def suppressed(best: Array, alive: Array) -> Array:
        return jnp.where(corners.overlap(best) > iou_threshold, -np.inf, alive)

    chosen = choose(above(scores, score_threshold), suppressed, most, most)
    return chosen.indices, jnp.where(jnp.arange(most) < chosen.count, chosen.scores, -np.inf)
