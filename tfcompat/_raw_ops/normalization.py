"""Fused kernels of normalisation and of cross entropy, which have several results."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._ops.array.creation import one_hot, zeros
from tfcompat._ops.elementwise.algebraic import subtract
from tfcompat._ops.identity import stop_gradient
from tfcompat._ops.network import activation, loss, normalization
from tfcompat._ops.network.fused_normalization import fused_batch_norm
from tfcompat._raw_ops.kernel import kernel

_BATCH = "x scale offset mean variance epsilon=0.0001 exponential_avg_factor=1 data_format='NHWC' is_training=True"
_PARTS = "y batch_mean batch_variance reserve_space_1 reserve_space_2"


def _fused_batch_norm(reserve: int = 0, **given: Any) -> tuple[Any, ...]:
    """`x` normalised over all axes but the channels; the new moving averages, and the moments that were used."""
    y, averages, used = fused_batch_norm(**given)
    return (y, *averages, *used, *[zeros([0])] * reserve)


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
