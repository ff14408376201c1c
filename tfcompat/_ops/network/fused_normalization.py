"""Normalisation of a batch, with the moving averages of its moments."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import float32
from tfcompat._ops.array.extent import size
from tfcompat._ops.array.layout import transpose
from tfcompat._ops.elementwise.algebraic import maximum
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold import reduction
from tfcompat._ops.identity import stop_gradient
from tfcompat._ops.network.normalization import batch_normalization

_Pair = tuple[Any, Any]


def fused_batch_norm(
    x: Any,
    mean: Any,
    variance: Any,
    exponential_avg_factor: float,
    data_format: str,
    is_training: bool,
    scale: Any,
    offset: Any,
    epsilon: float,
) -> tuple[Tensor, _Pair, _Pair]:
    """`x` normalised over all axes but the channels; the new moving averages, and the moments that were used.

    In training the moments are those of `x`, otherwise `mean` and `variance`. Only the first result has gradients.
    """
    tensor = convert_to_tensor(x)
    last = tensor.ndim - 1
    is_first = data_format.startswith("NC")
    values = cast(transpose(tensor, [0, *range(2, last + 1), 1]) if is_first else tensor, float32)
    averages = stop_gradient(convert_to_tensor(mean, float32)), stop_gradient(convert_to_tensor(variance, float32))
    used = averages
    if is_training:
        axes = list(range(last))
        used = reduction.reduce_mean(values, axes), reduction.reduce_variance(values, axes)
        whole = (used[0], used[1] * _correction(values))
        averages = whole if exponential_avg_factor == 1 else _averaged(averages, whole, exponential_avg_factor)
    y = cast(batch_normalization(values, used[0], used[1], offset, scale, epsilon), tensor.dtype)
    y = transpose(y, [0, last, *range(1, last)]) if is_first else y
    return y, _constants(averages), _constants(used)


def _correction(values: Tensor) -> Any:
    """N / (n - 1) for the number n of elements of a channel; 1 for one element."""
    channels = values.shape[-1]
    count = cast(size(values), float32) / float(max(1, channels or 1))
    return count / maximum(count - 1.0, 1.0)


def _averaged(before: _Pair, now: _Pair, share: float) -> _Pair:
    return before[0] * (1.0 - share) + now[0] * share, before[1] * (1.0 - share) + now[1] * share


def _constants(pair: _Pair) -> _Pair:
    return stop_gradient(pair[0]), stop_gradient(pair[1])
