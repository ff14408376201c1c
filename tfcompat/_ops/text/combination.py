"""Joining of strings: elementwise, along axes, and by segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import integer, integers
from tfcompat._core.calls.host_call import computed
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, OutOfRangeError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import INDEX, string
from tfcompat._ops.axis import require_axis
from tfcompat._ops.ragged.reduction import reduced
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.text.element import array_of, strings


def join(inputs: Any, separator: Any = "", name: str | None = None) -> Any:
    """The strings at the same position in the tensors of the list `inputs`, joined with `separator`.

    Shapes: n times [*dims], or [] for one that is repeated -> dims.
    Dtypes: string -> same.
    Raises: InvalidArgumentError if shapes differ; TypeError if inputs is not a list, or separator not a Python string.
    Source: TF 2.21 `tf.strings.join`.
    """
    if isinstance(inputs, (str, bytes)):
        raise TypeError(f"tf.strings.join: inputs must be a list of strings, got {inputs!r}.")
    listed = list(inputs)
    ragged = next((one for one in listed if hasattr(type(one), "with_flat_values")), None)
    if ragged is not None:
        flat = [getattr(one, "flat_values", one) for one in listed]
        return ragged.with_flat_values(join(flat, separator, name))
    between = _separator("join", separator)
    tensors = [strings("strings.join", one, "inputs") for one in listed]
    shapes = {tensor._aval.shape for tensor in tensors if tensor.ndim}
    if len(shapes) > 1:
        raise InvalidArgumentError.of(f"tf.strings.join: shapes of inputs must match, got {sorted(shapes)}.")
    shape = next(iter(shapes), ())

    def compute(*arrays: np.ndarray) -> np.ndarray:
        parts = np.broadcast_arrays(*arrays)
        rows = zip(*(part.flat for part in parts), strict=True)
        return array_of(map(between.join, rows) if arrays else [b""], parts[0].shape if arrays else ())

    given = {"separator": between}
    return computed("strings.join", compute, tensors, shape, string, is_elementwise=True, arguments=given)


def _separator(name: str, separator: Any) -> bytes:
    if not isinstance(separator, (str, bytes)):
        raise TypeError(f"tf.strings.{name}: separator must be a Python string, got {separator!r}.")
    return separator.encode() if isinstance(separator, str) else separator


def reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: Any = "", name: str | None = None
) -> Any:
    """The strings of `inputs` along `axis`, joined with `separator`; in row-major order if None.

    In a list of axes, the first one varies fastest.

    Shapes: [*dims] -> dims without axis; with 1 in its place if keepdims.
    Dtypes: string -> same.
    Raises: OutOfRangeError, in a function ValueError, if an axis is out of range; InvalidArgumentError if one is
      repeated, or for another dtype.
    Source: TF 2.21 `tf.strings.reduce_join`.
    """
    del name
    between = _separator("reduce_join", separator)
    if hasattr(type(inputs), "with_flat_values"):
        return _joined_rows(inputs, integers(axis), bool(keepdims), between)
    tensor = strings("strings.reduce_join", convert_to_tensor(inputs), "inputs")
    axes = _axes(integers(axis), tensor.ndim)
    shape = tensor._aval.shape
    kept = tuple(k for k in range(tensor.ndim) if k not in axes)
    wanted = tuple(1 if k in axes else shape[k] for k in range(tensor.ndim) if keepdims or k not in axes)

    def compute(texts: np.ndarray) -> np.ndarray:
        sizes = texts.shape
        rows = texts.transpose((*kept, *axes)).reshape(*(sizes[k] for k in kept), -1 if texts.size else 0)
        joined = array_of((between.join(rows[place]) for place in np.ndindex(rows.shape[:-1])), rows.shape[:-1])
        return np.expand_dims(joined, axes) if keepdims else joined

    given = {"axis": axes[::-1], "keepdims": bool(keepdims), "separator": between}
    return computed("strings.reduce_join", compute, (tensor,), wanted, string, arguments=given)


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes to join along, ending with the one that varies fastest."""
    if axis is None:
        return tuple(range(ndim))
    found = tuple(
        require_axis("strings.reduce_join", one, ndim, OutOfRangeError.of if here.graph is None else ValueError)
        for one in ((axis,) if isinstance(axis, int) else axis)
    )
    if len(set(found)) != len(found):
        raise InvalidArgumentError.of(f"tf.strings.reduce_join: each axis may be given only once, got {axis}.")
    return found[::-1]


def _spec_of_joined_rows(inputs: Any, axis: Any, keepdims: bool, **_: Any) -> Any:
    """The type of the result of `_joined_rows`."""
    dims, depth = inputs.shape.as_list(), inputs.ragged_rank
    if axis is None:
        return TensorSpec([1] * len(dims) if keepdims else [], string)
    listed = (axis,) if isinstance(axis, int) else axis
    axes = sorted(require_axis("strings.reduce_join", one, len(dims), ValueError) for one in listed)
    for one in reversed(axes):
        del dims[one]
        if one == 0 and depth:
            dims[0] = None  # as many as the longest row has
        depth -= 0 < depth >= one
    for one in axes if keepdims else ():
        dims.insert(one, 1)
        depth += 0 < depth >= one
    return RaggedTensorSpec(dims, string, depth, inputs.row_splits.dtype) if depth else TensorSpec(dims, string)


@by_row("inputs", specs=_spec_of_joined_rows)
def _joined_rows(inputs: Any, axis: Any, keepdims: bool, between: bytes) -> Any:
    """`reduce_join` of a ragged tensor along `axis`, integers."""

    def by_segment(data: Any, segment_ids: Any, count: int) -> Any:
        return unsorted_segment_join(data, segment_ids, count, between)

    def whole(data: Any, along: Any = None) -> Any:
        return reduce_join(data, along, separator=between)

    return reduced(whole, by_segment, inputs, axis, keepdims)


def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: Any = "", name: str | None = None
) -> Tensor:
    """The strings of `inputs` with the same number in `segment_ids`, joined with `separator`.

    Shapes: [*places, *row], [*places] -> [num_segments, *row].
    Dtypes: string; segment_ids int32, int64 -> string.
    Raises: InvalidArgumentError if a number is not in [0, num_segments), or the shapes do not fit.
    Source: TF 2.21 `tf.strings.unsorted_segment_join`.
    """
    del name
    between = _separator("unsorted_segment_join", separator)
    texts, numbers = strings("strings.unsorted_segment_join", inputs, "inputs"), convert_to_tensor(segment_ids)
    count = integer(num_segments)
    assert count is not None
    places, shape = numbers._aval.shape, texts._aval.shape
    if numbers.dtype not in INDEX or not places or shape[: len(places)] != places or count < 0:
        raise InvalidArgumentError.of(
            "tf.strings.unsorted_segment_join: segment_ids must be int32 or int64 in a shape that inputs begins with, "
            f"and num_segments must not be negative; got {numbers._aval!r} for {texts._aval!r}, and {count}."
        )
    wanted = (count, *shape[len(places) :])

    def compute(array: np.ndarray, ids: np.ndarray) -> np.ndarray:
        if ((ids < 0) | (ids >= count)).any():
            raise InvalidArgumentError.of(
                f"tf.strings.unsorted_segment_join: segment_ids must be in [0, {count}), got {ids.tolist()}."
            )
        row = array.shape[ids.ndim :]
        rows = array.reshape(ids.size, *row)
        order = np.argsort(ids.ravel(), kind="stable")
        parts = np.split(rows[order], np.searchsorted(ids.ravel()[order], np.arange(1, count))) if count else []
        texts = (between.join(part[(slice(None), *p)]) for part in parts for p in np.ndindex(row))
        return array_of(texts, (count, *row))

    return computed("strings.unsorted_segment_join", compute, (texts, numbers), wanted, string)
