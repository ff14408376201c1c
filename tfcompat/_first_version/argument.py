"""Functions of TensorFlow 1 whose arguments have other names or another order in TensorFlow 2."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls import convert
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import int32, int64
from tfcompat._function.graphs.python_call import numpy_function
from tfcompat._ops.array import extent, gathering, layout, padding
from tfcompat._ops.fold import reduction
from tfcompat._ops.identity import stop_gradient
from tfcompat._ops.linalg.norm import norm as norm_of
from tfcompat._ops.network import activation, loss
from tfcompat._ops.sparse.tensor import SparseTensor


def either(name: str, value: Any, older: str, given: Any) -> Any:
    """The argument `name`, or its value under its `older` name. Raises ValueError if both were given."""
    if given is None:
        return value
    if value is not None:
        raise ValueError(f"Cannot specify both '{older}' and '{name}'.")
    return given


def argmax(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = int64
) -> Tensor:
    """`tf.argmax` of `input`, whose `axis` (0 by default) may be called `dimension`.

    Source: TF 2.21 `tf.compat.v1.argmax`.
    """
    return reduction.argmax(input, either("axis", axis, "dimension", dimension), output_type, name)


def argmin(
    input: Any, axis: Any = None, name: str | None = None, dimension: Any = None, output_type: Any = int64
) -> Tensor:
    """`tf.argmin` of `input`, whose `axis` (0 by default) may be called `dimension`.

    Source: TF 2.21 `tf.compat.v1.argmin`.
    """
    return reduction.argmin(input, either("axis", axis, "dimension", dimension), output_type, name)


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """`tf.expand_dims` of `input`, whose `axis` may be called `dim`.

    Raises: ValueError if neither or both are given.
    Source: TF 2.21 `tf.compat.v1.expand_dims`.
    """
    place = either("axis", axis, "dim", dim)
    if place is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return layout.expand_dims(input, place, name=name)


def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Any:
    """`tf.squeeze` of `input`, whose `axis` may be called `squeeze_dims`.

    Source: TF 2.21 `tf.compat.v1.squeeze`.
    """
    return layout.squeeze(input, either("axis", axis, "squeeze_dims", squeeze_dims), name=name)


def shape(input: Any, name: str | None = None, out_type: Any = None) -> Any:
    """`tf.shape` of `input`; `out_type` defaults to int32.

    Source: TF 2.21 `tf.compat.v1.shape`.
    """
    return extent.shape(input, out_type or int32, name)


def size(input: Any, name: str | None = None, out_type: Any = None) -> Any:
    """`tf.size` of `input`; `out_type` defaults to int32.

    Source: TF 2.21 `tf.compat.v1.size`.
    """
    return extent.size(input, out_type or int32, name)


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """`tf.norm` of `tensor`, whose `keepdims` may be called `keep_dims`.

    Source: TF 2.21 `tf.compat.v1.norm`.
    """
    return norm_of(tensor, ord, axis, bool(either("keepdims", keepdims, "keep_dims", keep_dims)), name)


def transpose(a: Any, perm: Any = None, name: str = "transpose", conjugate: bool = False) -> Any:
    """`tf.transpose` of `a`, with another order of the arguments.

    Source: TF 2.21 `tf.compat.v1.transpose`.
    """
    return layout.transpose(a, perm, conjugate, name)


def pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", name: str | None = None, constant_values: Any = 0) -> Any:
    """`tf.pad` of `tensor`, with another order of the arguments.

    Source: TF 2.21 `tf.compat.v1.pad`.
    """
    return padding.pad(tensor, paddings, mode, constant_values, name)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """The elements of `x` where `condition` is true, and of `y` elsewhere; without them, the coordinates of true.

    Only `condition` broadcasts: a vector selects rows, and a scalar selects `x` or `y`.

    Raises: ValueError if only one of `x` and `y` is given; InvalidArgumentError if the shapes differ.
    Source: TF 2.21 `tf.compat.v1.where`.
    """
    if x is None or y is None:
        return gathering.where(condition, x, y, name)
    chosen, first, second = map(convert.convert_to_tensor, (condition, x, y))
    dims = first._aval.shape
    is_row_wise = chosen.ndim == 1 and dims[:1] == chosen._aval.shape
    if second._aval.shape != dims or not (is_row_wise or chosen._aval.shape in ((), dims)):
        shapes = ", ".join(str(tensor._aval.shape) for tensor in (chosen, first, second))
        raise InvalidArgumentError.of(f"tf.compat.v1.where: condition, x and y must have one shape, got {shapes}.")
    if is_row_wise:
        chosen = layout.reshape(chosen, [-1] + [1] * (len(dims) - 1))
    return gathering.where(chosen, first, second, name)


def softmax(logits: Any, axis: int | None = None, name: str | None = None, dim: int | None = None) -> Tensor:
    """`tf.nn.softmax` of `logits`, whose `axis` may be called `dim`.

    Source: TF 2.21 `tf.compat.v1.nn.softmax`.
    """
    return activation.softmax(logits, either("axis", axis, "dim", dim), name=name)


def log_softmax(logits: Any, axis: int | None = None, name: str | None = None, dim: int | None = None) -> Tensor:
    """`tf.nn.log_softmax` of `logits`, whose `axis` may be called `dim`.

    Source: TF 2.21 `tf.compat.v1.nn.log_softmax`.
    """
    return activation.log_softmax(logits, either("axis", axis, "dim", dim), name=name)


def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: int | None = None, name: str | None = None, dim: int | None = None
) -> Tensor:
    """`tf.nn.softmax_cross_entropy_with_logits` of `labels` and `logits`, whose `axis` may be called `dim`.

    Source: TF 2.21 `tf.compat.v1.nn.softmax_cross_entropy_with_logits_v2`.
    """
    place = either("axis", axis, "dim", dim)
    return loss.softmax_cross_entropy_with_logits(labels, logits, -1 if place is None else place, name)


def softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, dim: int = -1, name: str | None = None, axis: int | None = None
) -> Tensor:
    """`tf.nn.softmax_cross_entropy_with_logits` of `labels` and `logits`, without a gradient for `labels`.

    Source: TF 2.21 `tf.compat.v1.nn.softmax_cross_entropy_with_logits`.
    """
    place = dim if axis is None else axis
    return loss.softmax_cross_entropy_with_logits(stop_gradient(labels), logits, place, name)


def sparse_softmax_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """`tf.nn.sparse_softmax_cross_entropy_with_logits` of `labels` and `logits`, which are keyword arguments.

    Source: TF 2.21 `tf.compat.v1.nn.sparse_softmax_cross_entropy_with_logits`.
    """
    if labels is None or logits is None:
        raise ValueError("Both `labels` and `logits` must be provided.")
    return loss.sparse_softmax_cross_entropy_with_logits(labels, logits, name)


def py_func(func: Any, inp: Any, Tout: Any, stateful: bool = True, name: str | None = None) -> Any:
    """`tf.numpy_function`: `func` of the arrays of `inp`, with the same `Tout` and `stateful`.

    Source: TF 2.21 `tf.compat.v1.py_func`.
    """
    return numpy_function(func, inp, Tout, stateful, name)


@dispatched
def convert_to_tensor(
    value: Any, dtype: Any = None, name: str | None = None, preferred_dtype: Any = None, dtype_hint: Any = None
) -> Tensor:
    """`tf.convert_to_tensor` of `value`, whose `dtype_hint` may be called `preferred_dtype`.

    Source: TF 2.21 `tf.compat.v1.convert_to_tensor`.
    """
    hint = either("dtype_hint", dtype_hint, "preferred_dtype", preferred_dtype)
    return convert.convert_to_tensor(value, dtype, hint, name)


def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """`value` unchanged if it is a sparse tensor, else as a tensor.

    Raises: RuntimeError if `value` is a sparse tensor of a dtype other than `dtype`.
    Source: TF 2.21 `tf.compat.v1.convert_to_tensor_or_sparse_tensor`.
    """
    if not isinstance(value, SparseTensor):
        return convert.convert_to_tensor(value, dtype, name=name)
    if dtype is not None and value.dtype != dtype:
        raise RuntimeError(f"Sparse dtype mismatch. Requested: {dtype}, Actual: {value.dtype}")
    return value


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """`input` as a tensor: nothing can be fed in its place, and its `shape` is known.

    Source: TF 2.21 `tf.compat.v1.placeholder_with_default`.
    """
    del shape
    return convert.convert_to_tensor(input, name=name)
