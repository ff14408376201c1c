"""Values that are known while a function is traced."""

from __future__ import annotations

from typing import Any

from tfcompat._core.shape import TensorShape
from tfcompat._function.static_value import get_static_value


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """The shape that the vector `tensor` of sizes describes; a size that is not known, or -1, is None.

    Source: TF 2.21, `constant_value_as_shape` of `tensorflow.python.framework.tensor_util`.
    """
    known = get_static_value(tensor, partial=True)
    if known is None:
        return TensorShape([None] * tensor.shape[0]) if tensor.shape.rank == 1 else TensorShape(None)
    return TensorShape([None if size is None or size == -1 else int(size) for size in known])


def as_shape(shape: Any) -> TensorShape:
    """`shape` as a `tf.TensorShape`. Source: TF 2.21, `as_shape` of `tensorflow.python.framework.tensor_shape`."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)
