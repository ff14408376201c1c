"""Assertions about ranks, shapes and element types, which are known before the values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tfcompat._core.convert import as_tensor, convert_to_tensor
from tfcompat._core.dtype import FLOATING, DType, as_dtype, float32, int32
from tfcompat._core.tensor import Tensor


def _prefix(message: Any) -> str:
    return f"{message}. " if message else ""


def _rank(name: str, rank: Any) -> int:
    """The static scalar `rank`. Raises ValueError if it is no scalar, TypeError if it is no integer."""
    number = np.asarray(convert_to_tensor(rank))
    if number.ndim:
        raise ValueError(f"tf.debugging.{name}: Rank must be a scalar, got {rank}.")
    if number.dtype != np.int32:
        raise TypeError(f"tf.debugging.{name}: rank must be of type {int32}; got {number.dtype}.")
    return int(number)


def assert_rank(x: Any, rank: Any, message: Any = None, name: str | None = None) -> None:
    """Raises unless `x` has rank `rank`.

    Raises: ValueError with `message` if not, or if rank is no scalar; TypeError if rank is no integer.
    Source: TF 2.21 `tf.debugging.assert_rank`.
    """
    del name
    x, wanted = convert_to_tensor(x), _rank("assert_rank", rank)
    if x.ndim != wanted:
        raise ValueError(
            f"tf.debugging.assert_rank: {_prefix(message)}Tensor must have rank {wanted}. "
            f"Received rank {x.ndim}, shape {x.shape}"
        )


def assert_rank_at_least(x: Any, rank: Any, message: Any = None, name: str | None = None) -> None:
    """Raises unless `x` has rank `rank` or more.

    Raises: ValueError with `message` if not, or if rank is no scalar; TypeError if rank is no integer.
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
    """Raises unless the rank of `x` is one of `ranks`.

    Raises: ValueError with `message` if not, or if one of ranks is no scalar; TypeError if one is no integer.
    Source: TF 2.21 `tf.debugging.assert_rank_in`.
    """
    del name
    x, wanted = convert_to_tensor(x), tuple(_rank("assert_rank_in", rank) for rank in ranks)
    if x.ndim not in wanted:
        raise ValueError(
            f"tf.debugging.assert_rank_in: {_prefix(message)}Tensor must have rank in {wanted}. "
            f"Received rank {x.ndim}, shape {x.shape}"
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
    """Raises unless the elements of `tensor` are of type `tf_type`.

    Raises: TypeError with `message`.
    Source: TF 2.21 `tf.debugging.assert_type`.
    """
    del name
    wanted, found = as_dtype(tf_type), convert_to_tensor(tensor).dtype
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
    """The floating type that `dtype` and all of `tensors` have in common; float32 if nothing is given.

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
        raise TypeError(f"tf.debugging.assert_proper_iterable: a proper iterable is expected, got {type(values)}.")
    if not hasattr(values, "__iter__"):
        raise TypeError(f"tf.debugging.assert_proper_iterable: values must be iterable, got {type(values)}.")


_ANY = (None, ".")
_ANY_NUMBER = (Ellipsis, "*", "...")


def assert_shapes(
    shapes: Any, data: Any = None, summarize: int | None = None, message: Any = None, name: str | None = None
) -> None:
    """Raises unless tensors have the shapes that are given with them: `shapes` is a list of pairs, or a dictionary.

    A shape lists for each axis its size, or a word that stands for the same size wherever it comes, or None for any;
    `...` in front stands for any axes.

    Raises: ValueError with `message`, or for a shape that is none.
    Source: TF 2.21 `tf.debugging.assert_shapes`. `data` and `summarize` would show values, which are not read here.
    """
    del data, summarize, name
    sizes: dict[Any, int] = {}
    for tensor, wanted in shapes.items() if isinstance(shapes, Mapping) else shapes:
        found = convert_to_tensor(tensor)._aval.shape
        if wanted is not None:
            _require_shape(found, _symbols(found, wanted), sizes, message)


def _symbols(found: tuple[int, ...], wanted: Any) -> list[Any]:
    """The shape `wanted` as a list. Raises ValueError if it is none."""
    if not isinstance(wanted, Iterable):
        raise ValueError(f"tf.debugging.assert_shapes: a specified shape must be an iterable, got {wanted!r}.")
    symbols = [int(s) if isinstance(s, str) and s.isdigit() else s for s in wanted]
    if any(symbol in _ANY_NUMBER for symbol in symbols[1:]):
        raise ValueError(
            f"tf.debugging.assert_shapes: `...` may come first only, got {wanted!r} for a tensor of shape {found}."
        )
    return symbols


def _require_shape(found: tuple[int, ...], symbols: list[Any], sizes: dict[Any, int], message: Any) -> None:
    is_open = bool(symbols) and symbols[0] in _ANY_NUMBER
    named = symbols[1:] if is_open else symbols
    if len(named) == 1 and not is_open and not found:
        found = (1,)
    if len(found) < len(named) or (len(found) > len(named) and not is_open):
        least = "at least " if is_open else ""
        raise ValueError(
            f"tf.debugging.assert_shapes: {_prefix(message)}Tensor must have rank {least}{len(named)}. "
            f"Received rank {len(found)}, shape {found}"
        )
    for size, symbol in zip(found[len(found) - len(named) :], named, strict=True):
        wanted = symbol if isinstance(symbol, int) else sizes.setdefault(symbol, size)
        if symbol not in _ANY and size != wanted:
            raise ValueError(
                f"tf.debugging.assert_shapes: {_prefix(message)}Axis {symbol!r} must have size {wanted}. "
                f"Received size {size}, shape {found}"
            )
