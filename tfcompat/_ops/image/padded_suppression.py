"""Non-maximum suppression for batches of boxes, with results of fixed shape."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.declare import Array, integer, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import DType, float32
from tfcompat._ops.array.known import known
from tfcompat._ops.image.box import Corners, as_single, choose

_SINGLE = frozenset((float32,))
_ALL_SINGLE: dict[str, frozenset[DType]] = dict.fromkeys(
    ("boxes", "scores", "iou_threshold", "score_threshold"), _SINGLE
)


def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: Any = 512,
) -> tuple[Tensor, Tensor]:
    """The indices of up to `max_output_size` of `boxes`, in descending order of `scores`, and their number.

    Boxes are left out whose overlap with a chosen one is at least `iou_threshold`, whose score does not exceed
    `score_threshold`, or which have no positive coordinate. With `sorted_input` the boxes are assumed to be sorted.
    Without `canonicalized_coordinates`, the order of the corners in the first box is assumed for all boxes. `tile_size`
    is for TensorFlow's algorithm, and has no effect.

    Shapes: [*batch, n, 4], [*batch, n], [], [], [] -> [*batch, max_output_size] and [*batch]; without
      `pad_to_max_output_size` [up to max_output_size] and [].
    Dtypes: float32 -> int32.
    Gradient: None.
    Raises: ValueError for a batch without `pad_to_max_output_size`, or for no boxes; TypeError for other dtypes.
    Source: TF 2.21 `tf.image.non_max_suppression_padded`.
    """
    del tile_size, name
    place = "image.non_max_suppression_padded"
    shape, value = as_single(boxes), as_single(scores)
    numbers = [as_single(iou_threshold), as_single(score_threshold)]
    if shape.ndim > 2 and not pad_to_max_output_size:
        raise ValueError(f"tf.{place}: pad_to_max_output_size must be True for a batch, got shape {shape.shape}.")
    if shape._aval.shape[-1:] != (4,) or value._aval.shape != shape._aval.shape[:-1] or not shape._aval.size:
        shapes = f"{shape.shape} and {value.shape}"
        raise ValueError(f"tf.{place}: boxes must have shape [*batch, n > 0, 4], scores [*batch, n], got {shapes}.")
    for each in (shape, value, *numbers):
        if each.dtype is not float32:
            raise TypeError(f"tf.{place}: boxes, scores and thresholds must be float32, got {each.dtype.name}.")
    most = integer(max_output_size) or 0
    indices, count = _choose_padded(shape, value, *numbers, most, bool(sorted_input), bool(canonicalized_coordinates))
    if pad_to_max_output_size:
        return indices, count
    found = int(known(count, f"tf.{place} (with pad_to_max_output_size=True it is fixed)"))
    return Tensor(np.asarray(indices)[:found].copy()), count


@op("image.non_max_suppression_padded", same=(), dtypes=_ALL_SINGLE, structure=tuple, differentiable=False)
def _choose_padded(
    boxes: Array,
    scores: Array,
    iou_threshold: Array,
    score_threshold: Array,
    most: int,
    is_sorted: bool,
    is_canonical: bool,
) -> tuple[Array, Array]:
    batch = boxes.shape[:-2]
    each_boxes, each_scores = boxes.reshape((-1, *boxes.shape[-2:])), scores.reshape((-1, scores.shape[-1]))
    is_kept = (each_scores > score_threshold) | (score_threshold == -np.inf)
    each_boxes, each_scores = jnp.where(is_kept[..., None], each_boxes, 0), jnp.where(is_kept, each_scores, 0)
    if not is_canonical:
        each_boxes = _upright(each_boxes)

    def one(arguments: tuple[Array, Array]) -> tuple[Array, Array]:
        own, points = arguments
        if is_sorted:
            return _choose_first(own, iou_threshold, most)
        order = jnp.argsort(-points, stable=True).astype(np.int32)
        indices, count = _choose_first(own[order], iou_threshold, most)
        return jnp.where(jnp.arange(most) < count, order[indices], 0), count

    indices, count = lax.map(one, (each_boxes, each_scores))
    return indices.reshape((*batch, most)), count.reshape(batch)


def _upright(boxes: Array) -> Array:
    """`boxes` with their corners exchanged where those of the very first box are in the wrong order."""
    y1, x1, y2, x2 = boxes[0, 0]
    ordered = jnp.where(y1 <= y2, boxes, boxes[..., np.array([2, 1, 0, 3])])
    return jnp.where(x1 <= x2, ordered, ordered[..., np.array([0, 3, 2, 1])])


def _choose_first(boxes: Array, iou_threshold: Array, most: int) -> tuple[Array, Array]:
    """The remaining boxes, of `boxes` in order, after removing the later boxes that overlap a chosen one."""
    top, left, bottom, right = (boxes[:, k] for k in range(4))
    corners = Corners(top, left, bottom, right, (bottom - top) * (right - left))

    def suppressed(best: Array, alive: Array) -> Array:
        shared = corners.shared(best)
        overlap = shared / (corners.area + corners.area[best] - shared + np.float32(1e-8))
        return jnp.where(overlap >= iou_threshold, -np.inf, alive)

    descending = jnp.arange(len(boxes), 0, -1, dtype=np.float32)
    chosen = choose(descending, suppressed, most, most, jnp.any(boxes > 0, 1))
    return chosen.indices, chosen.count
