"""Set operations: each row along the last axis is a set of numbers or strings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import int8, int16, int32, int64, string, uint8, uint16
from tfcompat._ops.array.known import known
from tfcompat._ops.sparse.coordinate import dims_of, is_misplaced, shaped
from tfcompat._ops.sparse.tensor import SparseTensor

_DTYPES = (int8, int16, int32, int64, uint8, uint16, string)
Sets = list[frozenset[Any]]


def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The intersection of the sets `a` and `b`; with `validate_indices`, sparse coordinates must be in order.

    Shapes: [*dims, m], [*dims, n] -> [*dims, largest set].
    Dtypes: int8, int16, int32, int64, uint8, uint16, string, both the same -> same.
    Raises: TypeError for another dtype; InvalidArgumentError if the shapes do not match.
    Source: TF 2.21 `tf.sets.intersection`.
    """
    return _combined("intersection", a, b, validate_indices, lambda x, y: x & y)


def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The union of the sets `a` and `b`; with `validate_indices`, sparse coordinates must be in order.

    Shapes: [*dims, m], [*dims, n] -> [*dims, largest set].
    Dtypes: int8, int16, int32, int64, uint8, uint16, string, both the same -> same.
    Raises: TypeError for another dtype; InvalidArgumentError if the shapes do not match.
    Source: TF 2.21 `tf.sets.union`.
    """
    return _combined("union", a, b, validate_indices, lambda x, y: x | y)


def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """The elements of the sets `a` that are not in `b`, or those of `b` not in `a` if not `aminusb`.

    With `validate_indices`, sparse coordinates must be in order.

    Shapes: [*dims, m], [*dims, n] -> [*dims, largest set].
    Dtypes: int8, int16, int32, int64, uint8, uint16, string, both the same -> same.
    Raises: TypeError for another dtype; InvalidArgumentError if the shapes do not match.
    Source: TF 2.21 `tf.sets.difference`.
    """
    return _combined("difference", a, b, validate_indices, lambda x, y: x - y if aminusb else y - x)


def size(a: Any, validate_indices: bool = True) -> Tensor:
    """The number of distinct elements of each set of the sparse tensor `a`.

    With `validate_indices`, its coordinates must be in order.

    Shapes: [*dims, n] -> dims.
    Dtypes: int8, int16, int32, int64, uint8, uint16, string -> int32.
    Gradient: None.
    Raises: TypeError if a is not a sparse tensor, or for another dtype.
    Source: TF 2.21 `tf.sets.size`.
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(f"tf.sets.size: Expected `SparseTensor`, got {a}.")
    outer, sets = _sets("size", a, validate_indices)
    return Tensor(np.array([len(one) for one in sets], np.int32).reshape(outer))


def _combined(
    name: str, a: Any, b: Any, validate: bool, combine: Callable[[frozenset[Any], frozenset[Any]], frozenset[Any]]
) -> SparseTensor:
    first, second = (one if isinstance(one, SparseTensor) else convert_to_tensor(one) for one in (a, b))
    if first.dtype is not second.dtype:
        raise TypeError(f"tf.sets.{name}: Types don't match, {first.dtype} vs {second.dtype}.")
    outer, ones = _sets(name, first, validate)
    others_outer, others = _sets(name, second, validate)
    if outer != others_outer:
        raise InvalidArgumentError.of(f"tf.sets.{name}: Mismatched shapes {list(outer)} vs {list(others_outer)}.")
    rows = [sorted(combine(x, y)) for x, y in zip(ones, others, strict=True)]
    return _sparse(rows, outer, first.dtype.as_numpy_dtype)


def _sets(name: str, value: Any, validate: bool) -> tuple[tuple[int, ...], Sets]:
    """The outer shape, and the set of each row."""
    if value.dtype not in _DTYPES:
        raise TypeError(f"tf.sets.{name}: Invalid dtype {value.dtype!r} not in supported dtypes: {_DTYPES}.")
    subject = f"tf.sets.{name}"
    dims = dims_of(value, subject) if isinstance(value, SparseTensor) else value._aval.shape
    if len(dims) < 2:
        raise InvalidArgumentError.of(f"{subject}: Shape {list(dims)} has rank {len(dims)} < 2.")
    outer = dims[:-1]
    if isinstance(value, Tensor):
        host = known(value, subject).reshape(int(np.prod(outer)), dims[-1])
        return outer, [frozenset(row.tolist()) for row in host]
    indices = known(value.indices, subject)
    if validate and np.asarray(is_misplaced(indices, dims)).any():
        raise InvalidArgumentError.of(
            f"{subject}: indices must not be out of bounds, out of order (tf.sparse.reorder sorts them) or repeated."
        )
    rows: list[list[Any]] = [[] for _ in range(int(np.prod(outer)))]
    owners: Any = np.ravel_multi_index(tuple(indices[:, :-1].T), outer).tolist() if len(indices) else []
    for row, item in zip(owners, known(value.values, subject), strict=True):
        rows[row].append(item)
    return outer, [frozenset(row) for row in rows]


def _sparse(rows: list[list[Any]], outer: tuple[int, ...], dtype: Any) -> SparseTensor:
    """The sets, sorted, as a sparse tensor."""
    lengths = np.array([len(row) for row in rows], np.int64)
    owners = np.repeat(np.arange(len(rows)), lengths)
    within = np.arange(owners.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    indices = np.stack([*np.unravel_index(owners, outer), within], 1).astype(np.int64)
    values = np.empty(owners.size, dtype)
    values[:] = [item for row in rows for item in row]
    return shaped(Tensor(indices), Tensor(values), (*outer, int(lengths.max(initial=0))))
