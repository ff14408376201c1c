"""Elements of tensor arrays that the host holds, in functions of elements of datasets: their number may be open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.host_call import computed
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import OutOfRangeError
from tfcompat._core.tracing.sizes import sizes_tensor
from tfcompat._core.types.dtype import DType, int32, string


def blank(size: Any, dims: Sequence[Any], dtype: DType) -> Tensor:
    """`size` rows of shape `dims` that were not written."""
    shape = sizes_tensor((size, *dims), int32)
    return computed("TensorArray", lambda sizes: _blank(tuple(sizes), dtype), (shape,), (size, *dims), dtype)


def written(rows: Tensor, place: Tensor, value: Tensor, *, is_dynamic: bool) -> Tensor:
    """`rows` with `value` as row number `place`, and as many rows more as this needs if the array `is_dynamic`."""
    dims = value._aval.shape
    size = None if is_dynamic else rows._aval.shape[0]
    return computed(
        "TensorArray.write", _writer(rows.dtype, is_dynamic), (rows, place, value), (size, *dims), rows.dtype
    )


def element(rows: Tensor, place: Tensor) -> Tensor:
    """Row number `place` of `rows`."""
    return computed("TensorArray.read", _read, (rows, place), rows._aval.shape[1:], rows.dtype)


def _blank(shape: tuple[int, ...], dtype: DType) -> np.ndarray:
    return np.full(shape, b"" if dtype is string else 0, dtype.as_numpy_dtype)


def _writer(dtype: DType, is_dynamic: bool) -> Callable[..., np.ndarray]:
    def write(rows: np.ndarray, place: Any, value: np.ndarray) -> np.ndarray:
        at, size = int(place), len(rows)
        if at < 0:
            raise OutOfRangeError.of(f"Writing to negative indices (index {at}) is not allowed.")
        if at >= size and not is_dynamic:
            raise OutOfRangeError.of(f"Tried to write to index {at} but array is not resizeable and size is: {size} ")
        found = _blank((max(size, at + 1), *value.shape), dtype)
        if size:
            found[:size] = rows
        found[at] = value if value.ndim else value[()]
        return found

    return write


def _read(rows: np.ndarray, place: Any) -> np.ndarray:
    at, size = int(place), len(rows)
    if at < 0:
        raise OutOfRangeError.of(f"Reading from negative indices (index {at}) is not allowed.")
    if at >= size:
        raise OutOfRangeError.of(f"Tried to read from index {at} but array size is: {size} ")
    return np.asarray(rows[at, ...])
