"""The sizes of tensors, as tensors that are known on the host, and arithmetic with shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.constancy import size_value
from tfcompat._core.tracing.sizes import sizes_tensor
from tfcompat._core.types.dtype import INDEX, as_dtype, int32
from tfcompat._core.types.shape import TensorShape
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.array.known import known


@dispatched
def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The sizes of the axes of `input`.

    Shapes: [*dims] -> [rank(dims)].
    Dtypes: any -> out_type, int32 if None.
    Gradient: None.
    Source: TF 2.21 `tf.shape`.
    """
    del name
    dims = convert_to_tensor(input)._aval.shape
    return sizes_tensor(dims, int32 if out_type is None else as_dtype(out_type))


def shape_n(input: Any, out_type: Any = int32, name: str | None = None) -> list[Tensor]:
    """The shapes of the tensors in the list `input`.

    Shapes: n times [*dims] -> n times [rank(dims)].
    Dtypes: any -> out_type.
    Gradient: None.
    Source: TF 2.21 `tf.shape_n`.
    """
    del name
    return [shape(tensor, out_type) for tensor in input]


@dispatched
def size(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The number of elements of `input`.

    Shapes: [*dims] -> [].
    Dtypes: any -> out_type, int32 if None.
    Gradient: None.
    Source: TF 2.21 `tf.size`.
    """
    del name
    count = convert_to_tensor(input)._aval.size
    return sizes_tensor(count, int32 if out_type is None else as_dtype(out_type))


@dispatched
def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of axes of `input`.

    Shapes: [*dims] -> [].
    Dtypes: any -> int32.
    Gradient: None.
    Source: TF 2.21 `tf.rank`.
    """
    del name
    return Tensor(np.array(convert_to_tensor(input).ndim, np.int32))


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape to which `shape_x` and `shape_y` broadcast together; sizes may be unknown.

    Raises: ValueError if the shapes cannot be broadcast together.
    Source: TF 2.21 `tf.broadcast_static_shape`.
    """
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    if x.rank is None or y.rank is None:
        return TensorShape(None)
    rank = max(x.rank, y.rank)
    pairs = zip([1] * (rank - x.rank) + x.as_list(), [1] * (rank - y.rank) + y.as_list(), strict=True)
    return TensorShape([_broadcast_size(m, n, x, y) for m, n in pairs])


def _broadcast_size(m: int | None, n: int | None, x: TensorShape, y: TensorShape) -> int | None:
    if m == n or n == 1:
        return m
    if m == 1:
        return n
    if m is None or n is None:
        return n if m is None else m
    raise ValueError(f"tf.broadcast_static_shape: Incompatible shapes for broadcasting: {x} and {y}.")


def _dims(vector: Tensor) -> list[Any]:
    """The elements of `vector`: integers, and symbols for open sizes."""
    value = size_value(vector) if vector._is_symbolic() else None
    return (known(vector, "tf.broadcast_dynamic_shape") if value is None else value).tolist()


def _vector(shape: Any, other: Tensor | None) -> Tensor:
    """`shape` as a tensor; a list has the dtype of `other`, and an empty one is a shape without it, too."""
    if isinstance(shape, (list, tuple)) and (other is not None or not shape):
        return convert_to_tensor(shape, int32 if other is None else other.dtype)
    return convert_to_tensor(shape)


@dispatched
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape to which the shapes `shape_x` and `shape_y` broadcast together, as a tensor.

    Shapes: [m], [n] -> [max(m, n)].
    Dtypes: int32 or int64, both the same -> same.
    Gradient: None.
    Raises: InvalidArgumentError if the shapes cannot be broadcast together, or are not vectors of one of these dtypes.
    Source: TF 2.21 `tf.broadcast_dynamic_shape`.
    """
    given = next((each for each in (as_tensor(shape_x), as_tensor(shape_y)) if each is not None), None)
    x, y = _vector(shape_x, given), _vector(shape_y, given)
    if x.dtype not in INDEX or y.dtype is not x.dtype or x.ndim != 1 or y.ndim != 1:
        raise InvalidArgumentError.of(
            f"tf.broadcast_dynamic_shape: shapes must be vectors of int32 or int64, both the same, got {x._aval!r} and "
            f"{y._aval!r}."
        )
    dims = tuple(map(_dims, (x, y)))
    try:
        return sizes_tensor(broadcast_shapes(*map(tuple, dims)), x.dtype)
    except ValueError as refused:
        message = f"tf.broadcast_dynamic_shape: shapes must broadcast together, got {dims[0]} and {dims[1]}."
        raise InvalidArgumentError.of(message) from refused
