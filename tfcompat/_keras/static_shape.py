"""Values that are known while a function is traced."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import constant
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import int32
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.graphs.static_value import get_static_value
from tfcompat._ops.array.joining import concat
from tfcompat._ops.array.layout import reshape


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


def joined_sizes(prefix: Any, suffix: Any, static: bool = False) -> Any:
    """The sizes `prefix`, then the sizes `suffix`: each is an integer, a shape, or a tensor, a scalar or a vector.

    With `static` a list, in which sizes that are not known are None (None if their number is not known), else a tensor.
    Raises: ValueError if a tensor is wanted, and a size that is not in a tensor is not known.
    Source: TF 2.21, `_concat` of `tensorflow.python.ops.rnn_cell_impl`.
    """
    parts = [reshape(part, [-1]) if isinstance(part, Tensor) else TensorShape(part) for part in (prefix, suffix)]
    if static:
        known = [constant_value_as_shape(part) if isinstance(part, Tensor) else part for part in parts]
        joined = known[0].concatenate(known[1])
        return None if joined.rank is None else joined.as_list()
    for part in parts:
        if isinstance(part, TensorShape) and not part.is_fully_defined():
            raise ValueError(f"_concat: prefix and suffix must be known sizes, got {prefix} and {suffix}.")
    return concat([part if isinstance(part, Tensor) else constant(part.as_list(), int32) for part in parts], 0)
