"""Kernels that move elements and compute none."""

from __future__ import annotations

import numpy as np

from tfcompat._jaxpr.host.step import Array, Kernel, Maker, Step, always


def _reshape(step: Step) -> Kernel:
    shape, order = step.shape, step.params.get("dimensions")
    if order is not None:
        return lambda x, *_: np.transpose(x, order).reshape(shape)
    return lambda x, *_: x.reshape(shape)


def _squeeze(step: Step) -> Kernel:
    shape = step.shape
    return lambda x: x.reshape(shape)


def _broadcast(step: Step) -> Kernel:
    shape = step.shape
    aligned = [1] * len(shape)
    for size, axis in zip(step.inputs[0].shape, step.params["broadcast_dimensions"], strict=True):
        aligned[axis] = size
    if not any(size != 1 for size in aligned):
        return lambda x, *_: np.broadcast_to(x.reshape(()), shape)
    return lambda x, *_: np.broadcast_to(x.reshape(aligned), shape)


def _transpose(step: Step) -> Kernel:
    order = step.params["permutation"]
    return lambda x: x.transpose(order)


def _slice(step: Step) -> Kernel:
    starts, limits = step.params["start_indices"], step.params["limit_indices"]
    strides = step.params["strides"] or (1,) * len(starts)
    index = tuple(map(slice, starts, limits, strides))
    return lambda x: x[index]


def _reverse(step: Step) -> Kernel:
    turned = step.params["dimensions"]
    index = tuple(slice(None, None, -1) if k in turned else slice(None) for k in range(len(step.shape)))
    return lambda x: x[index]


def _pad(step: Step) -> Kernel:
    low, _, interior = zip(*step.params["padding_config"], strict=True) if step.shape else ((), (), ())
    shape, sizes = step.shape, step.inputs[0].shape
    kept, places = [], []
    for first, size, gap, room in zip(low, sizes, interior, shape, strict=True):
        step_size = gap + 1
        begin = max(0, -(first // step_size))  # the first element that lies at 0 or behind
        end = max(begin, min(size, -((first - room) // step_size)))
        kept.append(slice(begin, end))
        start = first + begin * step_size
        places.append(
            slice(start, start + (end - begin - 1) * step_size + 1, step_size) if end > begin else slice(0, 0)
        )
    source, target = tuple(kept), tuple(places)

    def kernel(x: Array, fill: Array) -> Array:
        out = np.full(shape, fill, x.dtype)
        out[target] = x[source]
        return out

    return kernel


def _iota(step: Step) -> Kernel:
    shape, dtype, axis = step.shape, step.outputs[0].dtype, step.params["dimension"]
    aligned = [-1 if k == axis else 1 for k in range(len(shape))]
    return lambda *_: np.broadcast_to(np.arange(shape[axis]).astype(dtype).reshape(aligned), shape)


def _split(step: Step) -> Kernel:
    axis = step.params["axis"]
    places = np.cumsum(step.params["sizes"])[:-1]
    return lambda x: np.split(x, places, axis)


def _concatenate(step: Step) -> Kernel:
    axis = step.params["dimension"]
    return lambda *xs: np.concatenate(xs, axis)


def _stack(step: Step) -> Kernel:
    axis = step.params["axis"]
    return lambda *xs: np.stack(xs, axis)


def _unstack(step: Step) -> Kernel:
    axis = step.params["axis"]
    return lambda x: list(np.moveaxis(x, axis, 0))


def _tile(step: Step) -> Kernel:
    count = step.params["reps"]
    return lambda x: np.tile(x, count)


def _empty(step: Step) -> Kernel:
    shape, dtype = step.shape, step.outputs[0].dtype
    return lambda *_: np.zeros(shape, dtype)


def _size(step: Step) -> Kernel:
    value = np.array(step.params["dim"], step.outputs[0].dtype)
    return lambda: value


LAYOUT: dict[str, Maker] = {
    "broadcast_in_dim": _broadcast,
    "concatenate": _concatenate,
    "copy": always(np.array),
    "copy_p": always(np.array),
    "dim_as_value": _size,
    "empty": _empty,
    "empty2": _empty,
    "iota": _iota,
    "optimization_barrier": always(lambda *xs: xs),
    "pad": _pad,
    "reshape": _reshape,
    "rev": _reverse,
    "slice": _slice,
    "split": _split,
    "squeeze": _squeeze,
    "stack": _stack,
    "stop_gradient": always(lambda x: x),
    "tile": _tile,
    "transpose": _transpose,
    "unstack": _unstack,
}
