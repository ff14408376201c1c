"""Values that determine shapes, which must be known while Python runs."""

from __future__ import annotations

import numpy as np

from tfcompat._core.constancy import settled
from tfcompat._core.tensor import Tensor


def known(tensor: Tensor, subject: str) -> np.ndarray:
    """The value of `tensor` on the host, which determines shapes in `subject`.

    Raises: NotImplementedError if the value is only known when a function runs.
    """
    tensor = settled(tensor)
    if tensor._is_symbolic():
        raise NotImplementedError(
            f"{subject}: the shape of the result depends on values that are only known when the function runs, and the "
            "shapes of an XLA program are fixed; call it outside tf.function, and pass its result as an argument."
        )
    return np.asarray(tensor)
