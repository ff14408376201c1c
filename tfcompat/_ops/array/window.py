"""`tf.slice`: windows of tensors, given by their first elements and their sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.tracing.constancy import known_sizes
from tfcompat._core.tracing.trace import here
from tfcompat._ops.array.found_slice import is_computed, slice_end, window_along
from tfcompat._ops.array.indexing import CUT_POSITION, Subscript, getitem, known_bound, listed, pick, slice_item


def _window_spec(input_: Any, begin: Any, size: Any, **_: Any) -> TensorSpec:
    """The type of a window of `input_`, with the sizes that are known."""
    tensor = convert_to_tensor(input_)
    dims = tensor.shape.as_list()
    starts, sizes = (known_sizes(convert_to_tensor(each)) or [None for _ in dims] for each in (begin, size))
    known = [
        (None if dim is None or start is None else dim - start) if count == -1 else count
        for dim, start, count in zip(dims, starts, sizes, strict=True)
    ]
    return TensorSpec(known, tensor.dtype)


def _window_by_host(input_: Any, begin: Any, size: Any, **_: Any) -> np.ndarray | None:
    """As `slice_`, by NumPy. None if it raises an error, or takes strings."""
    array, starts, sizes = np.asarray(input_), np.asarray(begin), np.asarray(size)
    if array.dtype == object or not starts.shape == sizes.shape == (array.ndim,) or starts.dtype != sizes.dtype:
        return None
    items: list[slice] = []
    for start, count, extent in zip(starts.tolist(), sizes.tolist(), array.shape, strict=True):
        stop = extent if count == -1 else start + count
        if not 0 <= start <= stop <= extent:
            return None
        items.append(slice(start, stop))
    return array[tuple(items)]


@dispatched
@by_row("input_", "begin", "size", specs=_window_spec, if_refused=True, host=_window_by_host)
def slice_(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The window of `input_` that begins at `begin` and has the sizes `size`; -1 extends to the end of its axis.

    Shapes: [*dims], [rank(dims)], [rank(dims)] -> size.
    Dtypes: any -> same; begin and size int32, int64.
    Raises: InvalidArgumentError if the window is not inside input_, or begin or size has not one number for each axis.
    Source: TF 2.21 `tf.slice`.
    """
    del name
    input_ = convert_to_tensor(input_)
    dims = input_._aval.shape
    sizes = _sizes(size)
    corner = None if isinstance(begin, (list, tuple)) else as_tensor(begin)
    if isinstance(begin, (list, tuple)) and any(map(is_computed, begin)):
        starts: Any = [start if is_computed(start) else known_bound(start) for start in begin]
    elif corner is not None and corner._array is None and (corner._is_symbolic() or -1 not in sizes):
        starts = [getitem(corner, k) for k in range(corner._aval.size)]
    else:
        starts = listed(begin)
    if len(starts) != len(dims) or len(sizes) != len(dims):
        raise InvalidArgumentError.of(
            f"tf.slice: begin and size must have {len(dims)} numbers for shape {dims}, got {begin} and {size}."
        )
    for axis in range(len(dims)):
        if is_computed(sizes[axis]) or (sizes[axis] == -1 and is_computed(starts[axis])):
            input_ = window_along(input_, starts[axis], sizes[axis], axis)
            starts[axis], sizes[axis] = 0, -1
    dims = input_._aval.shape
    items = [_window(starts[k], sizes[k], dims[k], k) for k in range(len(dims))]
    positions = tuple(position for _, position in items if position is not None)
    is_checked = any(isinstance(start, Tensor) for start in starts)
    return pick(input_, Subscript(tuple(item for item, _ in items), positions, is_checked))


def _sizes(size: Any) -> list[Any]:
    """The sizes of a window; in a function those that only its program finds are scalar tensors."""
    tensor = None if isinstance(size, (list, tuple)) or here.graph is None else as_tensor(size)
    if tensor is not None and tensor._is_symbolic() and tensor.ndim == 1 and known_sizes(tensor) is None:
        size = [getitem(tensor, k) for k in range(tensor._aval.size)]
    if here.graph is not None and isinstance(size, (list, tuple)):
        found = list(map(slice_end, size))
        if any(map(is_computed, found)):
            return [each if is_computed(each) else known_bound(each) for each in found]
    return listed(size)


def _refuse_size(size: int) -> Callable[[str], Exception]:
    """Negative sizes are refused while TensorFlow traces, too large ones when the function runs."""
    return found_early if size >= 0 else InvalidArgumentError.of


def _window(start: Any, size: int, dim: int, axis: int) -> tuple[tuple[Any, ...], int | Tensor | None]:
    """The item that takes `size` elements of an axis of size `dim`, starting at `start`."""
    if isinstance(start, Tensor):
        if not 0 <= size <= dim:
            raise _refuse_size(size)(f"tf.slice: size[{axis}] must be in [0, {dim}], got {size}.")
        return (CUT_POSITION, size), start
    if not 0 <= start <= dim:
        raise found_early(f"tf.slice: begin[{axis}] must be in [0, {dim}], got {start}.")
    size = dim - start if size == -1 else size
    if not 0 <= size <= dim - start:
        raise _refuse_size(size)(f"tf.slice: size[{axis}] must be in [0, {dim - start}], got {size}.")
    return slice_item(slice(start, start + size), dim, axis)
