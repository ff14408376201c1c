"""Rearrangement without computation: shape, and the order of axes and of elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import int32
from tfcompat._core.types.shape import TensorShape
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.array import layout, padding
from tfcompat._ops.array.indexing import getitem
from tfcompat._ops.axis import require_axis
from tfcompat._ops.numpy_like.creation import full
from tfcompat._ops.numpy_like.promotion import asarray


def reshape(a: Any, newshape: Any, order: str = "C") -> Tensor:
    """The elements of `a` in the shape `newshape`, read and written in `order` "C" (rows first) or "F" (columns first).

    Shapes: any -> newshape, in which one size may be -1.
    Dtypes: any -> the same.
    Raises: ValueError for another order.
    Source: TF 2.21 `tf.experimental.numpy.reshape`.
    """
    if order not in ("C", "F"):
        raise ValueError(f"tf.experimental.numpy.reshape: order must be 'C' or 'F', got {order!r}.")
    array, shape = asarray(a), [newshape] if isinstance(newshape, int) else newshape
    if order == "C":
        return layout.reshape(array, shape)
    return layout.transpose(layout.reshape(layout.transpose(array), shape[::-1]))


def ravel(a: Any) -> Tensor:
    """The elements of `a` as a vector.

    Shapes: any -> [size].
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.ravel`.
    """
    return layout.reshape(asarray(a), [-1])


def flatten(a: Any, order: str = "C") -> Tensor:
    """The elements of `a` as a vector, in the `order` "C", "A" or "K" (rows first) or "F" (columns first).

    Shapes: any -> [size].
    Dtypes: any -> the same.
    Raises: ValueError for another order.
    Source: TF 2.21 `tf.experimental.numpy.flatten`.
    """
    if order not in ("C", "A", "K", "F"):
        raise ValueError(f"tf.experimental.numpy.flatten: order must be 'C', 'A', 'K' or 'F', got {order!r}.")
    return reshape(a, -1, "F" if order == "F" else "C")


def expand_dims(a: Any, axis: Any) -> Tensor:
    """The tensor `a` with an axis of size 1 inserted at `axis`.

    Shapes: [*dims] -> dims with a 1 at position axis.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.expand_dims`.
    """
    return layout.expand_dims(asarray(a), axis)


def squeeze(a: Any, axis: Any = None) -> Tensor:
    """The tensor `a` without the axes of size 1 listed in `axis`, or without all axes of size 1.

    Shapes: [*dims] -> dims without those.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.squeeze`.
    """
    return layout.squeeze(asarray(a), axis)


def transpose(a: Any, axes: Any = None) -> Tensor:
    """The tensor `a` with its axes in the order `axes`, or reversed.

    Shapes: [*dims] -> dims in the order of axes.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.transpose`.
    """
    return layout.transpose(asarray(a), axes)


def swapaxes(a: Any, axis1: int, axis2: int) -> Tensor:
    """The tensor `a` with `axis1` and `axis2` exchanged.

    Shapes: [*dims] -> dims with those two exchanged.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.swapaxes`.
    """
    array = asarray(a)
    order = np.arange(array.ndim)
    order[[axis1, axis2]] = order[[axis2, axis1]]
    return layout.transpose(array, order.tolist())


def moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    """The tensor `a` with the axes `source` moved to the positions `destination`; the others keep their order.

    Shapes: [*dims] -> dims in that order.
    Dtypes: any -> the same.
    Raises: ValueError if the two differ in length; InvalidArgumentError if an axis is out of range.
    Source: TF 2.21 `tf.experimental.numpy.moveaxis`.
    """
    array = asarray(a)
    moved = [
        [require_axis("experimental.numpy.moveaxis", axis, array.ndim) for axis in np.atleast_1d(axes).tolist()]
        for axes in (source, destination)
    ]
    if len(moved[0]) != len(moved[1]):
        raise ValueError("tf.experimental.numpy.moveaxis: source and destination must have the same length.")
    order = [axis for axis in range(array.ndim) if axis not in moved[0]]
    for to, axis in sorted(zip(moved[1], moved[0], strict=True)):
        order.insert(to, axis)
    return layout.transpose(array, order)


def flip(m: Any, axis: int | None = None) -> Tensor:
    """The tensor `m` with the elements along `axis`, or along every axis when `axis` is None, in reverse order.

    Shapes: any -> the same.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.flip`.
    """
    array = asarray(m)
    return layout.reverse(array, list(range(array.ndim)) if axis is None else [axis])


def flipud(m: Any) -> Tensor:
    """The tensor `m` with the elements along the first axis in reverse order.

    Shapes: any -> the same.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.flipud`.
    """
    return flip(m, 0)


def fliplr(m: Any) -> Tensor:
    """The tensor `m` with the elements along the second axis in reverse order.

    Shapes: any -> the same.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.fliplr`.
    """
    return flip(m, 1)


def roll(a: Any, shift: Any, axis: Any = None) -> Tensor:
    """The tensor `a` rotated by `shift` places along `axis`, or as one vector when `axis` is None.

    Shapes: any -> the same.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.roll`.
    """
    array = asarray(a)
    if axis is not None:
        return layout.roll(array, shift, axis)
    return layout.reshape(layout.roll(ravel(array), shift, 0), array._aval.shape)


def rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Tensor:
    """The tensor `m` rotated by `k` right angles from the first of `axes` towards the second.

    Shapes: [*dims] -> dims, with `axes` exchanged for an odd k.
    Dtypes: any -> the same.
    Raises: InvalidArgumentError if one of axes is out of range.
    Source: TF 2.21 `tf.experimental.numpy.rot90`.
    """
    array = asarray(m)
    first, second = (require_axis("experimental.numpy.rot90", axis, array.ndim) for axis in axes)
    if k % 4 == 1:
        return swapaxes(flip(array, second), first, second)
    if k % 4 == 2:
        return flip(flip(array, first), second)
    return flip(swapaxes(array, first, second), second) if k % 4 == 3 else array


def tile(a: Any, reps: Any) -> Tensor:
    """The tensor `a` repeated `reps[k]` times along each axis k; the shorter of shape and `reps` gets leading ones.

    Shapes: [*dims] -> dims * reps.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.tile`.
    """
    array, times = asarray(a), np.atleast_1d(reps).tolist()
    rank = max(array.ndim, len(times))
    padded = layout.reshape(array, [1] * (rank - array.ndim) + list(array._aval.shape))
    return layout.tile(padded, [1] * (rank - len(times)) + times)


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Tensor:
    """Each slice of `a` along `axis`, or each element when `axis` is None, repeated `repeats` times (one or one each).

    Shapes: [*dims] -> dims with sum(repeats) at axis; [sum(repeats)] when axis is None.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.repeat`.
    """
    return layout.repeat(asarray(a), repeats, axis)


def broadcast_to(array: Any, shape: Any) -> Tensor:
    """The elements of `array` broadcast to `shape`.

    Shapes: any -> shape, a number or a list of them.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.broadcast_to`.
    """
    return full(shape, array)


def broadcast_arrays(*args: Any, **kwargs: Any) -> list[Tensor]:
    """The tensors `args`, all broadcast to their common shape.

    Shapes: several that broadcast -> the broadcast shape for each.
    Dtypes: any -> the same.
    Raises: ValueError for keyword arguments.
    Source: TF 2.21 `tf.experimental.numpy.broadcast_arrays`.
    """
    if kwargs.pop("subok", False) or kwargs:
        raise ValueError("tf.experimental.numpy.broadcast_arrays: keyword arguments are not supported.")
    arrays = [asarray(arg) for arg in args]
    shape = broadcast_shapes(*[array._aval.shape for array in arrays])
    return [layout.broadcast_to(array, shape) for array in arrays]


def atleast_1d(*arys: Any) -> Any:
    """The tensors `arys`, with an axis added to those of rank 0; a single tensor for one argument, otherwise a list.

    Shapes: [] -> [1]; any other -> the same.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.atleast_1d`.
    """
    return _at_least(1, arys)


def atleast_2d(*arys: Any) -> Any:
    """The tensors `arys` with leading axes of size 1 up to rank 2; a single tensor for one argument, otherwise a list.

    Shapes: [] -> [1, 1]; [n] -> [1, n]; any other -> the same.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.atleast_2d`.
    """
    return _at_least(2, arys)


def atleast_3d(*arys: Any) -> Any:
    """The tensors `arys` with axes of size 1 added up to rank 3; a single tensor for one argument, otherwise a list.

    Shapes: [] -> [1, 1, 1]; [n] -> [1, n, 1]; [m, n] -> [m, n, 1]; any other -> the same.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.atleast_3d`.
    """
    return _at_least(3, arys)


def _at_least(rank: int, arys: tuple[Any, ...]) -> Any:
    subscripts = {0: (None,) * rank, 1: (None, slice(None), None)[:rank], 2: (slice(None), slice(None), None)}
    arrays = [asarray(each) for each in arys]
    raised = [getitem(array, subscripts[array.ndim]) if array.ndim < rank else array for array in arrays]
    return raised[0] if len(raised) == 1 else raised


def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Tensor:
    """The tensor `array` with `pad_width[k]` = (before, after) elements added at the ends of each axis k.

    The new elements are `constant_values` (default 0) in the `mode` "constant"; "reflect" and "symmetric" mirror the
    elements inside.

    Shapes: [*dims] -> dims + before + after.
    Dtypes: any -> the same.
    Raises: ValueError for another mode; TypeError for other arguments.
    Source: TF 2.21 `tf.experimental.numpy.pad`.
    """
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"tf.experimental.numpy.pad: mode must be constant, reflect or symmetric, got {mode!r}.")
    unknown = kwargs.keys() - {"constant_values"}
    if unknown:
        raise TypeError(f"tf.experimental.numpy.pad: got unexpected arguments {sorted(unknown)}.")
    paddings = convert_to_tensor(np.asarray(pad_width), int32)
    return padding.pad(asarray(array), paddings, mode.upper(), kwargs.get("constant_values", 0))


def shape(a: Any) -> TensorShape:
    """The shape of `a`.

    Shapes: any.
    Dtypes: any.
    Source: TF 2.21 `tf.experimental.numpy.shape`.
    """
    return asarray(a).shape


def ndim(a: Any) -> int:
    """The rank of `a`.

    Shapes: any.
    Dtypes: any.
    Source: TF 2.21 `tf.experimental.numpy.ndim`.
    """
    return asarray(a).ndim


def size(x: Any, axis: Any = None) -> Any:
    """The number of elements of `x`.

    Shapes: any.
    Dtypes: any; the result is a NumPy number.
    Raises: NotImplementedError if `axis` is given.
    Source: TF 2.21 `tf.experimental.numpy.size`.
    """
    if axis is not None:
        raise NotImplementedError("tf.experimental.numpy.size: axis must be None; use shape(x)[axis].")
    return np.prod(asarray(x)._aval.shape, dtype=np.int64)
