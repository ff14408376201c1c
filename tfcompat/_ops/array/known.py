"""Values that determine shapes, which must be known while Python runs."""

from __future__ import annotations

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import FindsSizeError
from tfcompat._core.tracing.constancy import settled


def known(tensor: Tensor, subject: str) -> np.ndarray:
    """The value of `tensor` on the host, which determines shapes in `subject`.

    Raises: UntraceableError if the value is only known when a function runs.
    """
    tensor = settled(tensor)
    if not tensor._is_symbolic():
        return np.asarray(tensor)
    try:
        return tensor._trace.read(tensor, "shape")
    except FindsSizeError as refused:
        reason = (
            f"{subject}: the shape of the result depends on values that are only known when the function runs, and the "
            "shapes of an XLA program are fixed; call the function instead of asking for its concrete function, or "
            "pass the result as an argument."
        )
        raise type(refused)(reason) from None
