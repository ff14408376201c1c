"""TensorFlow's choice between kernels of cuDNN by measurement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def disable_cudnn_autotune(func: Callable[..., Any]) -> Callable[..., Any]:
    """`func`: XLA chooses the kernels of a program once, when it compiles it.

    Source: TF 2.21, `disable_cudnn_autotune` of `tensorflow.python.framework.test_util`.
    """
    return func
