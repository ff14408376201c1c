"""The kernel of convolutions: products of a matrix of windows and a matrix of weights.

Arrays are brought into the order batch, space, features, and weights into space, features, outputs. That is how they
lie in memory in TensorFlow's default format, so that a row of a window is copied as a whole. The windows are copied a
piece at a time, which stays in the cache.

A convolution that is a gradient comes in two forms. For the input, zeros lie between the elements: it falls into phases
that meet no zeros, each a convolution with a part of the weights. For the weights, the "window" is as large as an
image, and few places are computed: then the windows are copied in the order in which the image has them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tfcompat._jaxpr.host.blas_thread import NUMPY, one_thread
from tfcompat._jaxpr.host.step import Array, Kernel, Maker, Step, is_narrow

# As many bytes of windows are copied at once.
_AT_ONCE = 1 << 20


class _Axis(NamedTuple):
    """The windows along one axis: `number` of them, one each `stride`, with elements `spread` apart.

    The first begins `low` before the array.
    """

    number: int
    stride: int
    spread: int
    low: int

    def room(self, window: int) -> int:
        """The number of elements that windows of size `window` cover."""
        return (self.number - 1) * self.stride + (window - 1) * self.spread + 1


class _Phase(NamedTuple):
    """Places along one axis whose windows meet no zeros between the elements.

    Attributes:
      places: where they are in the output.
      taps: the part of the weights that meets elements.
      axis: the windows over the array without zeros.
    """

    places: slice
    taps: slice
    axis: _Axis


Product = Callable[[Array, Array, Sequence[_Axis]], Array]


def _convolution(step: Step) -> Kernel:
    params, shape = step.params, step.shape
    lhs, rhs, out = params["dimension_numbers"]
    target = step.outputs[0].dtype
    working = np.dtype(np.float32) if is_narrow(target) else target
    order_x, order_w = (lhs[0], *lhs[2:], lhs[1]), (*rhs[2:], rhs[1], rhs[0])
    back = np.argsort((out[0], *out[2:], out[1]))
    canonical = tuple(shape[axis] for axis in (out[0], *out[2:], out[1]))
    window = [step.inputs[1].shape[axis] for axis in rhs[2:]]
    if 0 in shape or 0 in step.inputs[1].shape or 0 in step.inputs[0].shape:
        return lambda *_: np.zeros(shape, target)
    axes = [
        _Axis(count, stride, spread, low)
        for count, stride, spread, (low, _) in zip(
            canonical[1:-1], params["window_strides"], params["rhs_dilation"], params["padding"], strict=True
        )
    ]
    gaps = params["lhs_dilation"]
    # A window that steps over zeros is rare: they are written out.
    dilated = [gap if axis.stride > 1 else 1 for gap, axis in zip(gaps, axes, strict=True)]
    per_axis = [
        list(_phases(axis, 1 if axis.stride > 1 else gap, size))
        for axis, gap, size in zip(axes, gaps, window, strict=True)
    ]
    product = _grouped(params["feature_group_count"], params["batch_group_count"])
    is_whole = all(len(phases) == 1 and gap == 1 for phases, gap in zip(per_axis, gaps, strict=True))

    def kernel(x: Array, w: Array) -> Array:
        x = _with_zeros(x.astype(working, copy=False).transpose(order_x), dilated)
        w = w.astype(working, copy=False).transpose(order_w)
        with one_thread(NUMPY):
            if is_whole:
                found = product(x, w, axes)
            else:
                found = np.zeros(canonical, working)
                for phases in itertools.product(*per_axis):
                    taps = tuple(phase.taps for phase in phases)
                    part = product(x, w[taps], [phase.axis for phase in phases])
                    found[(slice(None), *(phase.places for phase in phases))] = part
        return found.transpose(back).astype(target, copy=False)

    return kernel


def _phases(axis: _Axis, gap: int, window: int) -> Iterator[_Phase]:
    """The phases of an axis with `gap` - 1 zeros between elements; those that meet none are left out."""
    shared = math.gcd(gap, axis.spread)
    for phase in range(min(gap, axis.number)):
        first = next((k for k in range(gap // shared) if (phase - axis.low + k * axis.spread) % gap == 0), window)
        if first < window:
            begin = (phase - axis.low + first * axis.spread) // gap
            count = -(-(axis.number - phase) // gap)
            yield _Phase(
                slice(phase, None, gap),
                slice(first, None, gap // shared),
                _Axis(count, axis.stride, axis.spread // shared, -begin),
            )


def _with_zeros(x: Array, gaps: Sequence[int]) -> Array:
    """`x` with `gap` - 1 zeros between its elements along the axes of space."""
    if all(gap == 1 for gap in gaps):
        return x
    room = [(size - 1) * gap + 1 for size, gap in zip(x.shape[1:-1], gaps, strict=True)]
    out = np.zeros((x.shape[0], *room, x.shape[-1]), x.dtype)
    out[(slice(None), *(slice(None, None, gap) for gap in gaps))] = x
    return out


def _grouped(groups: int, batch_groups: int) -> Product:
    """The convolution of each group: of features, or of the batch."""
    if groups > 1:

        def by_features(x: Array, w: Array, axes: Sequence[_Axis]) -> Array:
            if w.shape[-2] == 1:
                return _each_feature(x, w, axes)
            pairs = zip(np.split(x, groups, -1), np.split(w, groups, -1), strict=True)
            return np.concatenate([_plain(*pair, axes) for pair in pairs], -1)

        return by_features
    if batch_groups > 1:

        def by_batch(x: Array, w: Array, axes: Sequence[_Axis]) -> Array:
            if len(x) == w.shape[-1] == batch_groups:
                return _weights_of_each_feature(x, w, axes)
            pairs = zip(np.split(x, batch_groups), np.split(w, batch_groups, -1), strict=True)
            return np.concatenate([_plain(*pair, axes) for pair in pairs], -1)

        return by_batch
    return _plain


def _plain(x: Array, w: Array, axes: Sequence[_Axis]) -> Array:
    """The convolution of `x`, [batch, space, features], and `w`, [window, features, outputs]."""
    window, counts = w.shape[:-2], [axis.number for axis in axes]
    if math.prod(window) > math.prod(counts):
        return _few_places(x, w, axes)
    batch, outputs = len(x), w.shape[-1]
    padded = _padded(x, axes, window)
    weights = w.reshape(-1, outputs)
    rows = math.prod(counts)
    out = np.empty((batch, rows, outputs), x.dtype)
    windows = _windows(padded, axes, window)
    for piece in _pieces(batch, rows * weights.shape[0] * x.itemsize):
        matrix = windows[piece].reshape(-1, weights.shape[0])
        np.matmul(matrix, weights, out=out[piece].reshape(-1, outputs))
    return out.reshape(batch, *counts, outputs)


def _few_places(x: Array, w: Array, axes: Sequence[_Axis]) -> Array:
    """The same, summed over pieces of features: for windows that have more places than the output."""
    window, counts = w.shape[:-2], [axis.number for axis in axes]
    rank, batch, outputs = len(axes), len(x), w.shape[-1]
    padded = _padded(x.swapaxes(0, -1), axes, window)
    # Features, window, places, batch.
    windows = _windows(padded, axes, window).transpose(0, *range(1 + rank, 1 + 2 * rank), *range(1, 1 + rank), -1)
    weights = np.moveaxis(w, -2, 0)
    size, columns = math.prod(window), math.prod(counts) * batch
    out = np.zeros((columns, outputs), x.dtype)
    for piece in _pieces(len(padded), size * columns * x.itemsize):
        out += windows[piece].reshape(-1, columns).T @ weights[piece].reshape(-1, outputs)
    return np.moveaxis(out.reshape(*counts, batch, outputs), -2, 0)


def _each_feature(x: Array, w: Array, axes: Sequence[_Axis]) -> Array:
    """The convolution of each feature with weights of its own, [window, 1, outputs], as many outputs for each."""
    window, features = w.shape[:-2], x.shape[-1]
    padded = _padded(x, axes, window)
    weights = w.reshape(*window, features, -1)
    counts = [axis.number for axis in axes]
    out = np.zeros((len(x), *counts, *weights.shape[-2:]), x.dtype)
    for piece in _pieces(len(x), 2 * out[:1].nbytes):
        place, total = padded[piece], out[piece]
        spare = np.empty_like(total)
        for offset in np.ndindex(*window):
            np.multiply(_at(place, axes, offset)[..., None], weights[offset], out=spare)
            total += spare
    return out.reshape(len(x), *counts, w.shape[-1])


def _weights_of_each_feature(x: Array, w: Array, axes: Sequence[_Axis]) -> Array:
    """The gradient of `_each_feature` for its weights: each of the batch with the outputs of the same number."""
    window, counts = w.shape[:-2], [axis.number for axis in axes]
    padded = _padded(x.swapaxes(0, -1), axes, window)
    weights = np.moveaxis(w, -2, 0)
    out = np.zeros((*counts, len(x)), x.dtype)
    # Here the places of a window are many, and those of the output are few.
    turned = [
        axis._replace(number=size, stride=axis.spread, spread=axis.stride)
        for axis, size in zip(axes, window, strict=True)
    ]
    for piece in _pieces(len(padded), 2 * weights[:1].nbytes):
        each, factor = padded[piece], np.ascontiguousarray(weights[piece])
        spare = np.empty_like(factor)
        for offset in np.ndindex(*counts):
            np.multiply(_at(each, turned, offset), factor, out=spare)
            out[offset] += spare.reshape(-1, len(x)).sum(0)
    return out[None]


def _at(padded: Array, axes: Sequence[_Axis], offset: Sequence[int]) -> Array:
    """The elements that lie at `offset` in all windows."""
    index = [
        slice(k * axis.spread, k * axis.spread + (axis.number - 1) * axis.stride + 1, axis.stride)
        for k, axis in zip(offset, axes, strict=True)
    ]
    return padded[(slice(None), *index)]


def _pieces(count: int, size: int) -> Iterator[slice]:
    """Parts of `count` rows that take `size` bytes each."""
    most = max(1, _AT_ONCE // max(1, size))
    return (slice(begin, min(begin + most, count)) for begin in range(0, count, most))


def _padded(x: Array, axes: Sequence[_Axis], window: Sequence[int]) -> Array:
    """The part of `x` that the windows cover, in one piece, with zeros around it."""
    room = [axis.room(size) for axis, size in zip(axes, window, strict=True)]
    if x.shape[1:-1] == tuple(room) and not any(axis.low for axis in axes):
        return np.ascontiguousarray(x)
    source, target = [slice(None)], [slice(None)]
    for axis, size, whole in zip(axes, x.shape[1:-1], room, strict=True):
        begin, end = max(0, -axis.low), min(size, whole - axis.low)
        source.append(slice(begin, max(begin, end)))
        target.append(slice(begin + axis.low, max(begin, end) + axis.low))
    out = np.zeros((len(x), *room, x.shape[-1]), x.dtype)
    out[tuple(target)] = x[tuple(source)]
    return out


def _windows(padded: Array, axes: Sequence[_Axis], window: Sequence[int]) -> Array:
    """A view of [batch, space, features] as batch, places, window, features."""
    first, *space, last = padded.strides
    shape = (len(padded), *(axis.number for axis in axes), *window, padded.shape[-1])
    strides = (
        first,
        *(stride * axis.stride for stride, axis in zip(space, axes, strict=True)),
        *(stride * axis.spread for stride, axis in zip(space, axes, strict=True)),
        last,
    )
    return as_strided(padded, shape, strides, writeable=False)


CONVOLUTION: dict[str, Maker] = {"conv_general_dilated": _convolution}
