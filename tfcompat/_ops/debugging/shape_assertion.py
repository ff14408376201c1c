"""Assertions about ranks, shapes and element types, which are known before the values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import FLOATING, DType, as_dtype, float32, int32
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.sparse.tensor import SparseTensor


def _prefix(message: Any) -> str:
    return f"{message}. " if message else ""


def _rank_and_shape(x: Any) -> tuple[Any, Any]:
    """The rank and the shape of `x`, a sparse tensor or a value convertible to a tensor."""
    if isinstance(x, SparseTensor):
        return x.shape.rank, x.shape
    tensor = convert_to_tensor(x)
    return tensor.ndim, tensor.shape


def _rank(name: str, rank: Any) -> int:
    """The static scalar `rank`. Raises ValueError if it is not a scalar, TypeError if it is not an integer."""
    number = np.asarray(convert_to_tensor(rank))
    if number.ndim:
        raise ValueError(f"tf.debugging.{name}: Rank must be a scalar, got {rank}.")
    if number.dtype != np.int32:
        raise TypeError(f"tf.debugging.{name}: rank must be of type {int32}; got {number.dtype}.")
    return int(number)


def assert_rank(x: Any, rank: Any, message: Any = None, name: str | None = None) -> None:
    """Raises unless `x`, a dense or sparse tensor, has rank `rank`.

    Raises: ValueError with `message` if not, or if rank is not a scalar; TypeError if rank is not an integer.
    Source: TF 2.21 `tf.debugging.assert_rank`.
    """
    del name
    (found, shape), wanted = _rank_and_shape(x), _rank("assert_rank", rank)
    if found != wanted:
        raise ValueError(
            f"tf.debugging.assert_rank: {_prefix(message)}Tensor must have rank {wanted}. "
            f"Received rank {found}, shape {shape}"
        )


def assert_rank_at_least(x: Any, rank: Any, message: Any = None, name: str | None = None) -> None:
    """Raises unless `x` has rank `rank` or more.

    Raises: ValueError with `message` if not, or if rank is not a scalar; TypeError if rank is not an integer.
    Source: TF 2.21 `tf.debugging.assert_rank_at_least`.
    """
    del name
    x, wanted = convert_to_tensor(x), _rank("assert_rank_at_least", rank)
    if x.ndim < wanted:
        raise ValueError(
            f"tf.debugging.assert_rank_at_least: {_prefix(message)}Tensor must have rank at least {wanted}. "
            f"Received rank {x.ndim}, shape {x.shape}"
        )


def assert_rank_in(x: Any, ranks: Any, message: Any = None, name: str | None = None) -> None:
    """Raises unless the rank of `x`, a dense or sparse tensor, is one of `ranks`.

    Raises: ValueError with `message` if not, or if one of ranks is not a scalar; TypeError if one is not an integer.
    Source: TF 2.21 `tf.debugging.assert_rank_in`.
    """
    del name
    (found, shape), wanted = _rank_and_shape(x), tuple(_rank("assert_rank_in", rank) for rank in ranks)
    if found not in wanted:
        raise ValueError(
            f"tf.debugging.assert_rank_in: {_prefix(message)}Tensor must have rank in {wanted}. "
            f"Received rank {found}, shape {shape}"
        )


def assert_scalar(tensor: Any, message: Any = None, name: str | None = None) -> None:
    """Raises unless `tensor` has rank 0.

    Raises: ValueError with `message`.
    Source: TF 2.21 `tf.debugging.assert_scalar`.
    """
    del name
    found = convert_to_tensor(tensor)
    if found.ndim:
        raise ValueError(
            f"tf.debugging.assert_scalar: {_prefix(message)}Expected scalar shape, saw shape: {found.shape}."
        )


def assert_type(tensor: Any, tf_type: Any, message: Any = None, name: str | None = None) -> None:
    """Raises unless the elements of `tensor`, which may be sparse or ragged, are of type `tf_type`.

    Raises: TypeError with `message`.
    Source: TF 2.21 `tf.debugging.assert_type`.
    """
    del name
    is_composite = isinstance(tensor, (SparseTensor, RaggedTensor))
    wanted, found = as_dtype(tf_type), (tensor if is_composite else convert_to_tensor(tensor)).dtype
    if found is not wanted:
        raise TypeError(f"tf.debugging.assert_type: {_prefix(message)}tensor must be of type {wanted}; got {found}")


def assert_integer(x: Any, message: Any = None, name: str | None = None) -> None:
    """Raises unless the elements of `x` are integers.

    Raises: TypeError with `message`.
    Source: TF 2.21 `tf.debugging.assert_integer`.
    """
    del name
    found = convert_to_tensor(x).dtype
    if not found.is_integer:
        raise TypeError(f"tf.debugging.assert_integer: {_prefix(message)}Expected x to be integer, got {found}")


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> DType:
    """The floating type that `dtype` and all `tensors` share; float32 if nothing is given.

    Raises: ValueError if they differ, or are not floating.
    Source: TF 2.21 `tf.debugging.assert_same_float_dtype`.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    for tensor in tensors or ():
        if tensor is None:
            continue
        wanted = wanted or tensor.dtype
        if tensor.dtype is not wanted:
            raise ValueError(
                f"tf.debugging.assert_same_float_dtype: all tensors must be of the same type {wanted}, "
                f"got {tensor.dtype}."
            )
    if wanted is not None and wanted not in FLOATING:
        raise ValueError(f"tf.debugging.assert_same_float_dtype: Expected floating point type, got {wanted}.")
    return wanted or float32


def assert_proper_iterable(values: Any) -> None:
    """Raises unless `values` is an iterable other than a tensor, an array or a string.

    Raises: TypeError.
    Source: TF 2.21 `tf.debugging.assert_proper_iterable`.
    """
    if isinstance(values, (Tensor, np.ndarray, str, bytes)) or as_tensor(values) is values:
        raise TypeError(f"tf.debugging.assert_proper_iterable: expected a proper iterable, got {type(values)}.")
    if not hasattr(values, "__iter__"):
        raise TypeError(f"tf.debugging.assert_proper_iterable: values must be iterable, got {type(values)}.")
