"""Losses with weights, reduced to a number: `tf.compat.v1.losses`."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import float32
from tfcompat._first_version.argument import either
from tfcompat._first_version.collection import GraphKeys, get_losses, get_regularization_losses
from tfcompat._ops.array.creation import ones_like
from tfcompat._ops.array.gathering import where
from tfcompat._ops.array.layout import squeeze
from tfcompat._ops.combination import add_n
from tfcompat._ops.elementwise.algebraic import abs, divide_no_nan, maximum, minimum, multiply, square
from tfcompat._ops.elementwise.comparison import equal
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.elementwise.transcendental import log
from tfcompat._ops.fold.reduction import count_nonzero, reduce_sum
from tfcompat._ops.identity import stop_gradient
from tfcompat._ops.network import loss
from tfcompat._ops.network.activation import relu


class Reduction:
    """The reductions of weighted elementwise losses.

    Source: TF 2.21 `tf.compat.v1.losses.Reduction`.
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All reductions. Source: TF 2.21 `tf.compat.v1.losses.Reduction.all`."""
        last = cls.SUM_BY_NONZERO_WEIGHTS
        return cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, last, last

    @classmethod
    def validate(cls, key: Any) -> None:
        """Raises ValueError if `key` is not a reduction. Source: TF 2.21 `tf.compat.v1.losses.Reduction.validate`."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


_BY_WEIGHTS = Reduction.SUM_BY_NONZERO_WEIGHTS


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """`losses` times `weights`, reduced by `reduction`. In eager mode it is not added to `loss_collection`.

    Shapes: weights: a scalar, or of the rank of losses, each dimension that of losses or 1. A scalar unless "none".
    Dtypes: that of losses; it is computed in float32.
    Raises: ValueError for another reduction or shape of weights.
    Source: TF 2.21 `tf.compat.v1.losses.compute_weighted_loss`.
    """
    del scope, loss_collection
    Reduction.validate(reduction)
    given = convert_to_tensor(losses)
    single, factors = cast(given, float32), _as_single(weights)
    _require_broadcasting(factors, single)
    weighted = multiply(single, factors)
    if reduction == Reduction.NONE:
        return cast(weighted, given.dtype)
    total = reduce_sum(weighted)
    if reduction == Reduction.MEAN:
        total = divide_no_nan(total, reduce_sum(multiply(ones_like(single), factors)))
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        total = divide_no_nan(total, float(single._aval.size))
    elif reduction != Reduction.SUM:
        total = divide_no_nan(total, _count(single, factors))
    return cast(total, given.dtype)


def _as_single(value: Any) -> Any:
    """`value` as a float32 tensor."""
    return cast(convert_to_tensor(value), float32)


def _count(losses: Tensor, weights: Tensor) -> Tensor:
    """The number of `losses` with a non-zero weight."""
    return cast(count_nonzero(multiply(ones_like(losses), weights)), float32)


def _require_broadcasting(weights: Tensor, losses: Tensor) -> None:
    dims, wanted = weights._aval.shape, losses._aval.shape
    if dims and (len(dims) != len(wanted) or any(one not in (1, many) for one, many in zip(dims, wanted, strict=True))):
        raise ValueError(
            f"weights can not be broadcast to values. values.rank={len(wanted)}. weights.rank={len(dims)}. "
            f"values.shape={wanted}. weights.shape={dims}."
        )


def _pair(first: str, one: Any, second: str, other: Any) -> tuple[Any, Any]:
    """Both arguments as float32 tensors of one shape."""
    for name, value in ((first, one), (second, other)):
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")
    left, right = _as_single(one), _as_single(other)
    if left._aval.shape != right._aval.shape:
        raise ValueError(f"Shapes {right._aval.shape} and {left._aval.shape} are incompatible")
    return left, right


def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """The absolute differences of `labels` and `predictions`; see `compute_weighted_loss`.

    Source: TF 2.21 `tf.compat.v1.losses.absolute_difference`.
    """
    target, found = _pair("labels", labels, "predictions", predictions)
    return compute_weighted_loss(abs(found - target), weights, scope, loss_collection, reduction)


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """The squared differences of `labels` and `predictions`; see `compute_weighted_loss`.

    Source: TF 2.21 `tf.compat.v1.losses.mean_squared_error`.
    """
    target, found = _pair("labels", labels, "predictions", predictions)
    return compute_weighted_loss(square(found - target), weights, scope, loss_collection, reduction)


def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Half the squared differences of `labels` and `predictions`, continued linearly beyond `delta`.

    Source: TF 2.21 `tf.compat.v1.losses.huber_loss`.
    """
    target, found = _pair("labels", labels, "predictions", predictions)
    error = abs(found - target)
    near: Any = minimum(error, delta)
    return compute_weighted_loss(0.5 * near * near + delta * (error - near), weights, scope, loss_collection, reduction)


def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """The hinge loss of `logits` for `labels` (0 or 1); see `compute_weighted_loss`.

    Source: TF 2.21 `tf.compat.v1.losses.hinge_loss`.
    """
    target, found = _pair("labels", labels, "logits", logits)
    return compute_weighted_loss(relu(1.0 - (2.0 * target - 1.0) * found), weights, scope, loss_collection, reduction)


def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """The cross entropies of the probabilities `predictions` and `labels`; `epsilon` keeps the logarithms finite.

    Source: TF 2.21 `tf.compat.v1.losses.log_loss`.
    """
    target, found = _pair("labels", labels, "predictions", predictions)
    single = -(target * log(found + epsilon)) - (1.0 - target) * log(1.0 - found + epsilon)
    return compute_weighted_loss(single, weights, scope, loss_collection, reduction)


def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: Any = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
    dim: Any = None,
) -> Any:
    """1 minus the inner products of the unit vectors `labels` and `predictions` along `axis`.

    Raises: ValueError without an axis.
    Source: TF 2.21 `tf.compat.v1.losses.cosine_distance`.
    """
    along = either("axis", axis, "dim", dim)
    if along is None:
        raise ValueError("You must specify argument `axis`.")
    target, found = _pair("labels", labels, "predictions", predictions)
    single = 1.0 - reduce_sum(found * target, (along,), True)
    return compute_weighted_loss(single, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
) -> Any:
    """The mean squared difference, in each row, of the pairwise differences in `labels` and in `predictions`.

    Source: TF 2.21 `tf.compat.v1.losses.mean_pairwise_squared_error`.
    """
    del scope, loss_collection
    target, found = _pair("labels", labels, "predictions", predictions)
    factors: Any = _as_single(weights)
    _require_broadcasting(factors, target)
    errors = found - target
    inner = tuple(range(1, errors.ndim))
    present = _present(errors, factors, inner)
    of_squares = divide_no_nan(reduce_sum(square(errors), inner, True), maximum(present - 1.0, 0.0))
    of_sums = divide_no_nan(square(reduce_sum(errors, inner, True)), maximum(present * (present - 1.0), 0.0))
    return reduce_sum(2.0 * (of_squares - of_sums) * factors)


def _present(errors: Tensor, weights: Tensor, inner: tuple[int, ...]) -> Any:
    """The number of `errors` that count in each row; as in TensorFlow, for a scalar weight the total number."""
    if not weights.ndim:
        return where(equal(weights, 0.0), 0.0, float(errors._aval.size))
    return cast(count_nonzero(multiply(ones_like(errors), weights), inner, True), float32)


def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """The cross entropies of `multi_class_labels`, moved to 1/2 by `label_smoothing`, and the sigmoids of `logits`.

    Source: TF 2.21 `tf.compat.v1.losses.sigmoid_cross_entropy`.
    """
    target, found = _pair("multi_class_labels", multi_class_labels, "logits", logits)
    if label_smoothing > 0:
        target = target * (1.0 - label_smoothing) + 0.5 * label_smoothing
    single = loss.sigmoid_cross_entropy_with_logits(target, found)
    return compute_weighted_loss(single, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """The cross entropies of `onehot_labels`, smoothed by `label_smoothing`, and the softmax of `logits`.

    Gradient: for `logits` only.
    Source: TF 2.21 `tf.compat.v1.losses.softmax_cross_entropy`.
    """
    target, found = _pair("onehot_labels", onehot_labels, "logits", logits)
    if label_smoothing > 0:
        target = target * (1.0 - label_smoothing) + label_smoothing / target._aval.shape[1]
    single = loss.softmax_cross_entropy_with_logits(stop_gradient(target), found)
    return compute_weighted_loss(single, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """The cross entropies of the class indices `labels` and the softmax of `logits`.

    Source: TF 2.21 `tf.compat.v1.losses.sparse_softmax_cross_entropy`.
    """
    if labels is None or logits is None:
        raise ValueError("Argument `labels` and `logits` must not be None.")
    numbers, found, factors = convert_to_tensor(labels), convert_to_tensor(logits), convert_to_tensor(weights)
    # A last dimension of 1 is removed.
    numbers, factors = (
        squeeze(each, (-1,)) if each.ndim == found.ndim and each._aval.shape[-1] == 1 else each
        for each in (numbers, factors)
    )
    single = loss.sparse_softmax_cross_entropy_with_logits(numbers, found)
    return compute_weighted_loss(single, factors, scope, loss_collection, reduction)


def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Has no effect: eager programs do not add `loss` to `loss_collection`; add it to the total yourself.

    Source: TF 2.21 `tf.compat.v1.losses.add_loss`.
    """
    del loss, loss_collection


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None) -> Any:
    """The sum of the losses, and of the regularization losses, that the program added to collections.

    Raises: ValueError if there are no losses.
    Source: TF 2.21 `tf.compat.v1.losses.get_total_loss`.
    """
    found = get_losses(scope) + (get_regularization_losses(scope) if add_regularization_losses else [])
    return add_n(found, name)
