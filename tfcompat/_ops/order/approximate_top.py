"""Approximate top-k: some of the largest or smallest numbers may be missed for speed (never on a CPU)."""

from __future__ import annotations

from typing import Any, NamedTuple

from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Ints, op
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import bfloat16, float16, float32, int32
from tfcompat._ops.array.creation import zeros
from tfcompat._ops.axis import require_axis

_RANKED = frozenset((bfloat16, float16, float32))


class ApproxTopK(NamedTuple):
    """The result of `tf.math.approx_max_k` and `tf.math.approx_min_k`."""

    values: Any
    indices: Any


def _found(name: str, recorded: Any, operand: Any, k: int, axis: int, recall: float, size: int, is_exact: bool) -> Any:
    tensor = convert_to_tensor(operand)
    place = require_axis(name, axis, tensor.ndim)
    if not 0 <= k <= tensor._aval.shape[place]:
        raise InvalidArgumentError.of(
            f"tf.{name}: k must be at most the size of the axis, got {k} for shape {tensor.shape}."
        )
    if not k:
        empty = (*tensor._aval.shape[:place], 0, *tensor._aval.shape[place + 1 :])
        return ApproxTopK(zeros(empty, tensor.dtype), zeros(empty, int32))
    return recorded(tensor, int(k), place, float(recall).as_integer_ratio(), int(size), bool(is_exact))


@op("math.approx_max_k", dtypes=_RANKED, structure=ApproxTopK._make)
def _approx_max_k(operand: Array, k: int, axis: int, recall: Ints, size: int, is_exact: bool) -> tuple[Array, Array]:
    """`approx_max_k` with resolved arguments; `recall` is a fraction."""
    found = lax.approx_max_k(operand, k, axis, recall[0] / recall[1], size, is_exact)
    return found[0], found[1]


def approx_max_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The `k` largest elements of `operand` along `reduction_dimension` and their indices, the largest first.

    At least the share `recall_target` of them is found, based on an input size of `reduction_input_size_override` if it
    isn't -1. Without `aggregate_to_topk`, more than `k` elements may be returned.

    Shapes: [*dims] -> dims with `k` for `reduction_dimension`, twice.
    Dtypes: bfloat16, float16, float32 -> same; int32.
    Raises: InvalidArgumentError if there are fewer than `k` elements.
    Source: TF 2.21 `tf.math.approx_max_k`; Chern et al., TPU-KNN (2022).
    """
    del name
    sizes = reduction_dimension, recall_target, reduction_input_size_override, aggregate_to_topk
    return _found("math.approx_max_k", _approx_max_k, operand, k, *sizes)


@op("math.approx_min_k", dtypes=_RANKED, structure=ApproxTopK._make)
def _approx_min_k(operand: Array, k: int, axis: int, recall: Ints, size: int, is_exact: bool) -> tuple[Array, Array]:
    """`approx_min_k` with resolved arguments; `recall` is a fraction."""
    found = lax.approx_min_k(operand, k, axis, recall[0] / recall[1], size, is_exact)
    return found[0], found[1]


def approx_min_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The `k` smallest elements of `operand` along `reduction_dimension` and their indices, the smallest first.

    At least the share `recall_target` of them is found, based on an input size of `reduction_input_size_override` if it
    isn't -1. Without `aggregate_to_topk`, more than `k` elements may be returned.

    Shapes: [*dims] -> dims with `k` for `reduction_dimension`, twice.
    Dtypes: bfloat16, float16, float32 -> same; int32.
    Raises: InvalidArgumentError if there are fewer than `k` elements.
    Source: TF 2.21 `tf.math.approx_min_k`; Chern et al., TPU-KNN (2022).
    """
    del name
    sizes = reduction_dimension, recall_target, reduction_input_size_override, aggregate_to_topk
    return _found("math.approx_min_k", _approx_min_k, operand, k, *sizes)


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
    Raises: InvalidArgumentError if there are fewer than `k` elements.
    Source: TF 2.21 `tf.approx_top_k`.
    """
    chosen = approx_max_k if is_max_k else approx_min_k
    return chosen(input, k, reduction_dimension, recall_target, reduction_input_size_override, aggregate_to_topk, name)
