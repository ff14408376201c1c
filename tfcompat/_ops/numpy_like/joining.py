"""Joining arrays, promoted to one dtype, and splitting them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._ops.array import joining
from tfcompat._ops.numpy_like.layout import atleast_1d, atleast_2d, atleast_3d, ravel, swapaxes
from tfcompat._ops.numpy_like.promotion import asarray, promoted


def stack(arrays: Any, axis: int = 0) -> Tensor:
    """Stacks the tensors of the list `arrays`, all of one shape, along a new axis; a tensor counts as a list of slices.

    Shapes: n times [*dims] -> dims with n at position axis.
    Dtypes: any -> their promoted dtype.
    Source: TF 2.21 `tf.experimental.numpy.stack`.
    """
    if type(arrays) is Tensor:
        return swapaxes(arrays, 0, axis) if axis else arrays
    return joining.stack(promoted(*arrays), axis)


def concatenate(arys: Any, axis: Any = 0) -> Tensor:
    """Concatenates the tensors of the list `arys` along `axis`; a tensor counts as a list of one.

    Shapes: [*before, n1, *after], [*before, n2, *after], ... -> [*before, n1 + n2 + ..., *after].
    Dtypes: any -> their promoted dtype.
    Raises: ValueError for an empty list, or if `axis` is None.
    Source: TF 2.21 `tf.experimental.numpy.concatenate`.
    """
    arrays = list(arys) if isinstance(arys, (list, tuple)) else [arys]
    if not arrays or axis is None:
        raise ValueError(f"tf.experimental.numpy.concatenate: expected arrays and an axis, got {arys} and {axis}.")
    return joining.concat(promoted(*arrays), axis)


def hstack(tup: Any) -> Tensor:
    """Concatenates the tensors of the list `tup` along the second axis; vectors along their only axis.

    Shapes: [m, n1, *after], [m, n2, *after], ... -> [m, n1 + n2 + ..., *after].
    Dtypes: any -> their promoted dtype.
    Source: TF 2.21 `tf.experimental.numpy.hstack`.
    """
    arrays = promoted(*map(atleast_1d, tup))
    return joining.concat(arrays, 0 if arrays[0].ndim == 1 else 1)


def vstack(tup: Any) -> Tensor:
    """Concatenates the tensors of the list `tup` along the first axis; vectors become rows.

    Shapes: [m1, *after], [m2, *after], ... -> [m1 + m2 + ..., *after].
    Dtypes: any -> their promoted dtype.
    Source: TF 2.21 `tf.experimental.numpy.vstack`.
    """
    return joining.concat(promoted(*map(atleast_2d, tup)), 0)


def dstack(tup: Any) -> Tensor:
    """Concatenates the tensors of the list `tup` along the third axis; vectors become columns of one matrix.

    Shapes: [m, n, k1, *after], [m, n, k2, *after], ... -> [m, n, k1 + k2 + ..., *after].
    Dtypes: any -> their promoted dtype.
    Source: TF 2.21 `tf.experimental.numpy.dstack`.
    """
    return joining.concat(promoted(*map(atleast_3d, tup)), 2)


def append(arr: Any, values: Any, axis: int | None = None) -> Tensor:
    """The tensor `values` appended to `arr` along `axis`; both are flattened when `axis` is None.

    Shapes: [*before, m, *after], [*before, n, *after] -> [*before, m + n, *after].
    Dtypes: any two -> their promoted dtype.
    Source: TF 2.21 `tf.experimental.numpy.append`.
    """
    return concatenate([ravel(arr), ravel(values)] if axis is None else [arr, values], axis or 0)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """Splits the tensor `ary` along `axis` into equal parts, or at the given indices.

    Shapes: [*before, n, *after] -> several [*before, ni, *after].
    Dtypes: any -> the same.
    Raises: ValueError if the indices are not in order.
    Source: TF 2.21 `tf.experimental.numpy.split`.
    """
    array = asarray(ary)
    if isinstance(indices_or_sections, int):
        return joining.split(array, indices_or_sections, axis)
    return joining.split(array, list(_sizes(array._aval.shape[axis], indices_or_sections)), axis)


def _sizes(length: int, places: Any) -> Iterator[int]:
    """The sizes of the parts of an axis that is split at `places`; parts beyond its end are empty."""
    ends = [*np.asarray(places).tolist(), length]
    if sorted(ends[:-1]) != ends[:-1]:
        raise ValueError(f"tf.experimental.numpy.split: places must be in order, got {ends[:-1]}.")
    begin = 0
    for end in ends:
        yield max(min(end, length) - begin, 0)
        begin = min(end, length)


def hsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """The tensor `ary` cut along the second axis, a vector along its only one.

    Shapes: [m, n, *after] -> several [m, ni, *after].
    Dtypes: any -> the same.
    Raises: ValueError if parts would not be equal.
    Source: TF 2.21 `tf.experimental.numpy.hsplit`.
    """
    return _split_evenly(ary, indices_or_sections, 0 if asarray(ary).ndim == 1 else 1)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """The tensor `ary` cut along the first axis.

    Shapes: [n, *after] -> several [ni, *after].
    Dtypes: any -> the same.
    Raises: ValueError if parts would not be equal.
    Source: TF 2.21 `tf.experimental.numpy.vsplit`.
    """
    return _split_evenly(ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """The tensor `ary` cut along the third axis.

    Shapes: [m, n, k, *after] -> several [m, n, ki, *after].
    Dtypes: any -> the same.
    Raises: ValueError if parts would not be equal.
    Source: TF 2.21 `tf.experimental.numpy.dsplit`.
    """
    return _split_evenly(ary, indices_or_sections, 2)


def _split_evenly(ary: Any, indices_or_sections: Any, axis: int) -> list[Tensor]:
    array = asarray(ary)
    if isinstance(indices_or_sections, int) and array._aval.shape[axis] % indices_or_sections:
        raise ValueError(
            f"tf.experimental.numpy.split: {array._aval.shape[axis]} makes no {indices_or_sections} equal parts."
        )
    return split(array, indices_or_sections, axis)
