"""Fused kernels of normalisation and of cross entropy, which have several results."""

from __future__ import annotations

from typing import Any

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dtype import float32
from tfcompat._core.tensor import Tensor
from tfcompat._ops.array.creation import one_hot, zeros
from tfcompat._ops.array.layout import transpose
from tfcompat._ops.elementwise.algebraic import subtract
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold import reduction
from tfcompat._ops.identity import stop_gradient
from tfcompat._ops.network import activation, loss, normalization
from tfcompat._raw_ops.kernel import kernel

_BATCH = "x scale offset mean variance epsilon=0.0001 exponential_avg_factor=1 data_format='NHWC' is_training=True"
_PARTS = "y batch_mean batch_variance reserve_space_1 reserve_space_2"


def _fused_batch_norm(
    x: Any,
    mean: Any,
    variance: Any,
    exponential_avg_factor: float,
    data_format: str,
    is_training: bool,
    reserve: int = 0,
    **scaling: Any,
) -> tuple[Any, ...]:
    """`x` normalised over all axes but the channels; the new moving averages, and the moments that were used.

    In training the moments are those of `x`, otherwise `mean` and `variance`. Only the first result has gradients.
    """
    tensor = convert_to_tensor(x)
    last = tensor.ndim - 1
    is_first = data_format.startswith("NC")
    values = cast(transpose(tensor, [0, *range(2, last + 1), 1]) if is_first else tensor, float32)
    used = averages = tuple(stop_gradient(convert_to_tensor(given, float32)) for given in (mean, variance))
    if is_training:
        axes = list(range(last))
        used = reduction.reduce_mean(values, axes), reduction.reduce_variance(values, axes)
        count = values._aval.size // max(1, values._aval.shape[-1])
        whole = (used[0], used[1] * (count / max(1, count - 1)))
        averages = whole if exponential_avg_factor == 1 else _averaged(averages, whole, exponential_avg_factor)
    y = cast(_scaled(values, *used, **scaling), tensor.dtype)
    y = transpose(y, [0, last, *range(1, last)]) if is_first else y
    return (y, *map(stop_gradient, (*averages, *used)), *[zeros([0])] * reserve)


def _scaled(values: Any, mean: Any, variance: Any, scale: Any, offset: Any, epsilon: float) -> Any:
    return normalization.batch_normalization(values, mean, variance, offset, scale, epsilon)


def _averaged(before: tuple[Any, Any], now: tuple[Any, Any], share: float) -> tuple[Any, Any]:
    return before[0] * (1.0 - share) + now[0] * share, before[1] * (1.0 - share) + now[1] * share


def _softmax_loss(features: Any, labels: Any) -> tuple[Tensor, Tensor]:
    """The losses of `features` against `labels`, and the derivative of each for the features."""
    logits = convert_to_tensor(features)
    truth = convert_to_tensor(labels, logits.dtype)
    losses = loss.softmax_cross_entropy_with_logits(truth, logits)
    return losses, subtract(activation.softmax(logits), stop_gradient(truth))


def _sparse_softmax_loss(features: Any, labels: Any) -> tuple[Tensor, Tensor]:
    """The same for classes."""
    logits = convert_to_tensor(features)
    losses = loss.sparse_softmax_cross_entropy_with_logits(labels, logits)
    truth = one_hot(labels, logits._aval.shape[-1], dtype=logits.dtype)
    return losses, subtract(activation.softmax(logits), truth)


FusedBatchNorm = kernel("FusedBatchNorm", _fused_batch_norm, _BATCH, outputs=_PARTS)
FusedBatchNormV2 = kernel("FusedBatchNormV2", _fused_batch_norm, _BATCH, outputs=_PARTS)
FusedBatchNormV3 = kernel("FusedBatchNormV3", _fused_batch_norm, _BATCH, outputs=f"{_PARTS} reserve_space_3", reserve=1)
LRN = kernel("LRN", normalization.local_response_normalization)
SoftmaxCrossEntropyWithLogits = kernel(
    "SoftmaxCrossEntropyWithLogits", _softmax_loss, "features labels", outputs="loss backprop"
)
SparseSoftmaxCrossEntropyWithLogits = kernel(
    "SparseSoftmaxCrossEntropyWithLogits", _sparse_softmax_loss, "features labels", outputs="loss backprop"
)
