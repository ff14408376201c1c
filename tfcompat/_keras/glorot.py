"""The initializers of TensorFlow 2 without a public name, as in `tensorflow.python.ops.init_ops_v2`."""

from __future__ import annotations

import math
from typing import Any

from tfcompat._core.types.dtype import as_dtype, float32
from tfcompat._core.types.shape import TensorShape
from tfcompat._ops.random.stream import stateless_truncated_normal, stateless_uniform
from tfcompat._random.random import truncated_normal, uniform
from tfcompat._state.initializer import CUT, Initializer, fans


def _variance(shape: Any) -> float:
    """The variance for which outputs and gradients vary like inputs, for a kernel of `shape`."""
    dims: Any = TensorShape(shape).as_list()
    return 1.0 / max(1.0, sum(fans(tuple(dims))) / 2.0)


class GlorotNormal(Initializer):
    """Fills with normal numbers cut at two standard deviations, the same at every call if there is a `seed`.

    Source: TF 2.21 `tensorflow.python.ops.init_ops_v2.GlorotNormal`.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = float32) -> Any:
        """Numbers of `shape` and of the floating `dtype`."""
        deviation = math.sqrt(_variance(shape)) / CUT
        if self.seed is None:
            return truncated_normal(shape, 0.0, deviation, as_dtype(dtype))
        return stateless_truncated_normal(shape, (self.seed, 0), 0.0, deviation, as_dtype(dtype))


class GlorotUniform(Initializer):
    """Fills with uniform numbers, the same at every call if there is a `seed`.

    Source: TF 2.21 `tensorflow.python.ops.init_ops_v2.GlorotUniform`.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seed

    def __call__(self, shape: Any, dtype: Any = float32) -> Any:
        """Numbers of `shape` and of the floating `dtype`."""
        limit = math.sqrt(3.0 * _variance(shape))
        if self.seed is None:
            return uniform(shape, -limit, limit, as_dtype(dtype))
        return stateless_uniform(shape, (self.seed, 0), -limit, limit, as_dtype(dtype))
