"""Reductions with TensorFlow 1's arguments: `axis` may be called `reduction_indices`, and `keepdims` `keep_dims`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._first_version.argument import either
from tfcompat._ops.fold import reduction


def _older(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(
        input_tensor: Any,
        axis: Any = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: bool | None = None,
    ) -> Any:
        kept = either("keepdims", keepdims, "keep_dims", keep_dims)
        axes = either("axis", axis, "reduction_indices", reduction_indices)
        return function(input_tensor, axes, bool(kept), name=name)

    reduce.__name__ = reduce.__qualname__ = function.__name__
    reduce.__doc__ = f"`tf.{function.__name__}` with the older argument names, too.\n\n    Source: TF 2.21."
    return reduce


reduce_all = _older(reduction.reduce_all)
reduce_any = _older(reduction.reduce_any)
reduce_logsumexp = _older(reduction.reduce_logsumexp)
reduce_max = _older(reduction.reduce_max)
reduce_mean = _older(reduction.reduce_mean)
reduce_min = _older(reduction.reduce_min)
reduce_prod = _older(reduction.reduce_prod)
reduce_sum = _older(reduction.reduce_sum)
