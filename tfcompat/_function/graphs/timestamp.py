"""`tf.timestamp`: the time at which a program executes it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import FailedPreconditionError
from tfcompat._core.tracing.trace import here, sync
from tfcompat._core.types.dtype import float64
from tfcompat._function.graphs.python_call import numpy_function
from tfcompat._random.seed import require_chance


def timestamp(name: str | None = None) -> Any:
    """The seconds since 1970, in a `tf.function` at the time of each call.

    Outside of functions, all earlier ops are computed first, so the difference of two timestamps is the duration of the
    ops between them.

    Shapes: [].
    Dtypes: float64.
    Gradient: None.
    Raises: FailedPreconditionError if `tf.config.experimental.enable_op_determinism` was called.
    Source: TF 2.21 `tf.timestamp`.
    """
    try:
        require_chance("tf.timestamp")
    except RuntimeError as refused:
        raise FailedPreconditionError.of("Timestamp cannot be called when determinism is enabled") from refused
    if here.graph is not None:
        return numpy_function(_now, [], TensorSpec([], float64), name=name)
    sync()
    return Tensor(_now())


def _now() -> np.ndarray:
    return np.array(time.time())
