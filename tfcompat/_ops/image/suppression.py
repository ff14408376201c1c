"""Non-maximum suppression: of overlapping boxes, only the one with the highest score is kept.

The number of chosen boxes is a shape: in a function the program finds it, elsewhere it is read on the host. There, the
numbers of boxes and of choices are rounded up to powers of two, so images with different numbers of boxes can share a
program.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, op
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import float16, float32, int32, int64
from tfcompat._ops.array.known import known
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.image.box import Corners, above, as_single, choose

_SCORED = frozenset((float16, float32))
_FEWEST = 64


def _require_boxes(name: str, boxes: Tensor, scores: Tensor) -> None:
    if boxes.ndim != 2 or boxes._aval.shape[1] != 4 or scores._aval.shape != boxes._aval.shape[:1]:
        raise InvalidArgumentError.of(
            f"tf.{name}: boxes must have shape [n, 4] and scores [n], got {boxes.shape} and {scores.shape}."
        )
    if boxes.dtype is not scores.dtype or boxes.dtype not in _SCORED:
        raise InvalidArgumentError.of(
            f"tf.{name}: boxes and scores must both be float16 or float32, got {boxes.dtype.name} and "
            f"{scores.dtype.name}."
        )


@by_row("boxes", "scores", "max_output_size", specs=lambda **_: TensorSpec([None], int32))
def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """The indices of up to `max_output_size` of `boxes`, in descending order of `scores`.

    Boxes are left out whose overlap with a chosen one exceeds `iou_threshold`, or whose score does not exceed
    `score_threshold`. The corners (y1, x1), (y2, x2) of a box may be in either order.

    Shapes: [n, 4], [n], [], [], [] -> [up to max_output_size].
    Dtypes: float16, float32 -> int32.
    Raises: InvalidArgumentError for other shapes or dtypes, a negative size, or a threshold outside of [0, 1].
    Source: TF 2.21 `tf.image.non_max_suppression`.
    """
    del name
    return _kept("image.non_max_suppression", boxes, scores, max_output_size, iou_threshold, score_threshold, 0.0)[0]


@by_row(
    "boxes",
    "scores",
    "max_output_size",
    specs=lambda scores, **_: (TensorSpec([None], int32), TensorSpec([None], convert_to_tensor(scores).dtype)),
)
def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The indices of up to `max_output_size` of `boxes`, in descending order of `scores`, and their scores.

    With `soft_nms_sigma` above 0, boxes that overlap a chosen one are kept, but their scores decay by a Gaussian of
    that
    deviation. Otherwise as `non_max_suppression`.

    Shapes: [n, 4], [n], [], [], [], [] -> [up to max_output_size], twice.
    Dtypes: float16, float32 -> int32, and the same.
    Gradient: None (TensorFlow raises LookupError).
    Raises: InvalidArgumentError for other shapes or dtypes, a negative size or sigma, or a threshold outside of [0, 1].
    Source: TF 2.21 `tf.image.non_max_suppression_with_scores`; Bodla et al., Soft-NMS (2017).
    """
    del name
    place = "image.non_max_suppression_with_scores"
    return _kept(place, boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma)


def _kept(
    name: str, boxes: Any, scores: Any, most: Any, iou_threshold: Any, score_threshold: Any, sigma: Any
) -> tuple[Tensor, Tensor]:
    """The indices of the kept boxes, and their scores, as tensors with values."""
    shape, value = as_single(boxes), as_single(scores)
    _require_boxes(name, shape, value)
    limit = _limit(name, most, value)
    numbers = [_as_threshold(name, each) for each in (iou_threshold, score_threshold, sigma)]
    share, _, deviation = (_known(name, each) for each in numbers)
    if not 0 <= share <= 1:
        raise InvalidArgumentError.of(f"tf.{name}: iou_threshold must be in [0, 1], got {share}.")
    if deviation < 0:
        raise InvalidArgumentError.of(f"tf.{name}: soft_nms_sigma must not be negative, got {deviation}.")
    most = Tensor(np.array(limit, np.int32))
    if _may_be_found(shape, value):
        return _found(name, _choose_boxes(shape, value, *numbers, most, limit, bool(deviation > 0)))
    margin = _margin(value)
    chosen = _choose_boxes(
        Tensor(np.pad(_known(name, shape), (margin, (0, 0)))),
        Tensor(np.pad(_known(name, value), margin, constant_values=-np.inf)),
        *numbers,
        most,
        _rounded_up(limit),
        bool(deviation > 0),
    )
    return _first(chosen)


def _known(name: str, tensor: Tensor) -> np.ndarray:
    return known(
        tensor, f"tf.{name} (tf.image.non_max_suppression_padded(..., pad_to_max_output_size=True) has a fixed shape)"
    )


def _as_threshold(name: str, value: Any) -> Tensor:
    """`value` as a tensor. Raises InvalidArgumentError unless it is a scalar of float16 or float32."""
    tensor = convert_to_tensor(value)
    if tensor.dtype not in _SCORED or tensor.ndim:
        raise InvalidArgumentError.of(f"tf.{name}: thresholds must be float32 scalars, got {tensor._aval}.")
    return tensor


def _limit(name: str, most: Any, scores: Tensor) -> int:
    """The number of boxes that may be chosen among those with `scores`."""
    tensor = as_tensor(most)
    tensor = convert_to_tensor(most, int32) if tensor is None else tensor
    if tensor.dtype is not int32 or tensor.ndim:
        raise InvalidArgumentError.of(f"tf.{name}: max_output_size must be an int32, got {tensor._aval}.")
    limit = int(_known(name, tensor))
    if limit < 0:
        raise InvalidArgumentError.of(f"tf.{name}: max_output_size must not be negative, got {limit}.")
    return min(limit, scores._aval.shape[0])


def _rounded_up(count: int) -> int:
    return max(_FEWEST, 1 << (count - 1).bit_length())


def _margin(scores: Tensor) -> tuple[int, int]:
    """The number of boxes to add in front and behind."""
    count = scores._aval.shape[0]
    return 0, _rounded_up(count) - count


def _may_be_found(*given: Tensor) -> bool:
    """Whether a program can choose among the boxes that are `given`: a function computes them, and two or more."""
    sizes = [size for tensor in given for size in tensor._aval.shape]
    return any(tensor._is_symbolic() for tensor in given) and all(type(size) is int and size > 1 for size in sizes)


def _found(name: str, chosen: tuple[Tensor, Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """The part of the result without padding, whose size the program finds."""
    what = f"tf.{name} (tf.image.non_max_suppression_padded(..., pad_to_max_output_size=True) has a fixed shape): "
    indices, scores = here.graph.first_rows(chosen[:2], cast(chosen[2], int64), f"{what}the number of boxes")
    return indices, scores


def _first(chosen: tuple[Tensor, Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """The part of the result without padding."""
    count = int(np.asarray(chosen[2]))
    return Tensor(np.asarray(chosen[0])[:count].copy()), Tensor(np.asarray(chosen[1])[:count].copy())


@op(
    "image.non_max_suppression",
    same=("boxes", "scores"),
    dtypes={"boxes": _SCORED, "scores": _SCORED},
    structure=tuple,
    differentiable=False,
)
def _choose_boxes(
    boxes: Array,
    scores: Array,
    iou_threshold: Array,
    score_threshold: Array,
    soft_nms_sigma: Array,
    most: Array,
    capacity: int,
    is_soft: bool,
) -> tuple[Array, ...]:
    corners = Corners.of(boxes)
    sigma = soft_nms_sigma.astype(np.float32)

    def suppressed(best: Array, alive: Array) -> Array:
        overlap = corners.overlap(best)
        if is_soft:
            return above(alive * jnp.exp(-0.5 / sigma * overlap * overlap), score_threshold)
        return jnp.where(overlap > iou_threshold.astype(np.float32), -np.inf, alive)

    chosen = choose(above(scores, score_threshold), suppressed, most, capacity)
    return chosen.indices, chosen.scores.astype(scores.dtype), chosen.count


@by_row("overlaps", "scores", "max_output_size", specs=lambda **_: TensorSpec([None], int32))
def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """The indices of up to `max_output_size` boxes, in descending order of `scores`, with given `overlaps`.

    Boxes are left out whose entry in `overlaps`, in the column of a chosen box, exceeds `overlap_threshold`, or whose
    score does not exceed `score_threshold`.

    Shapes: [n, n], [n], [], [], [] -> [up to max_output_size].
    Dtypes: float32 -> int32.
    Raises: InvalidArgumentError for other shapes or dtypes, or a negative size.
    Source: TF 2.21 `tf.image.non_max_suppression_overlaps`.
    """
    del name
    place = "image.non_max_suppression_overlaps"
    matrix, value = as_single(overlaps), as_single(scores)
    if matrix.dtype is not float32 or value.dtype is not float32:
        raise InvalidArgumentError.of(
            f"tf.{place}: overlaps and scores must be float32, got {matrix.dtype.name} and {value.dtype.name}."
        )
    if value.ndim != 1 or matrix._aval.shape != 2 * value._aval.shape:
        raise InvalidArgumentError.of(
            f"tf.{place}: overlaps must have shape [n, n] and scores [n], got {matrix.shape} and {value.shape}."
        )
    limit, margin = _limit(place, max_output_size, value), _margin(value)
    most = Tensor(np.array(limit, np.int32))
    thresholds = [_as_threshold(place, each) for each in (overlap_threshold, score_threshold)]
    if _may_be_found(matrix, value):
        return _found(place, _choose_rows(matrix, value, *thresholds, most, limit))[0]
    chosen = _choose_rows(
        Tensor(np.pad(_known(place, matrix), margin)),
        Tensor(np.pad(_known(place, value), margin, constant_values=-np.inf)),
        *thresholds,
        most,
        _rounded_up(limit),
    )
    return _first(chosen)[0]


@op(
    "image.non_max_suppression_overlaps",
    same=("overlaps", "scores"),
    dtypes={"overlaps": frozenset((float32,)), "scores": frozenset((float32,))},
    structure=tuple,
    differentiable=False,
)
def _choose_rows(
    overlaps: Array, scores: Array, overlap_threshold: Array, score_threshold: Array, most: Array, capacity: int
) -> tuple[Array, ...]:
    def suppressed(best: Array, alive: Array) -> Array:
        return jnp.where(overlaps[:, best] > overlap_threshold.astype(np.float32), -np.inf, alive)

    return tuple(choose(above(scores, score_threshold), suppressed, most, capacity))
