"""`tf.approx_top_k`: `tf.math.approx_max_k` or `tf.math.approx_min_k`, as an argument says."""

from __future__ import annotations

from typing import Any

from tfcompat._ops.approximate_top import ApproxTopK, approx_max_k, approx_min_k


def approx_top_k(
    input: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The `k` largest elements of `input`, or the smallest unless `is_max_k`; as `tf.math.approx_max_k`.

    Shapes: [*dims] -> dims with `k` for `reduction_dimension`, twice.
    Dtypes: bfloat16, float16, float32 -> same; int32.
    Raises: InvalidArgumentError if there are less than `k` elements.
    Source: TF 2.21 `tf.approx_top_k`.
    """
    chosen = approx_max_k if is_max_k else approx_min_k
    return chosen(input, k, reduction_dimension, recall_target, reduction_input_size_override, aggregate_to_topk, name)
