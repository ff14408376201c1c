"""A function of the numbers from 0, applied to all at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._function.rows.map import vectorized_map
from tfcompat._ops.array.creation import range as tensor_range


def pfor(
    loop_fn: Callable[[Any], Any], iters: Any, fallback_to_while_loop: bool = True, parallel_iterations: Any = None
) -> Any:
    """The results of `loop_fn(k)` for k below `iters`, stacked.

    Source: TF 2.21, `pfor` of `tensorflow.python.ops.parallel_for.control_flow_ops`.
    """
    del parallel_iterations
    return vectorized_map(loop_fn, tensor_range(iters), fallback_to_while_loop)
