"""Kernels of products of arrays: dot_general and convolutions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tfcompat._jaxpr.host.step import Array, Kernel, Maker, Step, is_narrow


def _working(step: Step) -> np.dtype[Any]:
    """The dtype in which products are summed: at least float32."""
    target = step.outputs[0].dtype
    return np.dtype(np.float32) if is_narrow(target) else target


def _dot_general(step: Step) -> Kernel:
    (cx, cy), (bx, by) = step.params["dimension_numbers"]
    x, y = step.inputs
    fx = [k for k in range(len(x.shape)) if k not in (*cx, *bx)]
    fy = [k for k in range(len(y.shape)) if k not in (*cy, *by)]
    order_x, order_y = (*bx, *fx, *cx), (*by, *cy, *fy)
    batch = tuple(x.shape[k] for k in bx)
    inner = math.prod(x.shape[k] for k in cx)
    left = (*batch, math.prod(x.shape[k] for k in fx), inner)
    right = (*batch, inner, math.prod(y.shape[k] for k in fy))
    shape, target, working = step.shape, step.outputs[0].dtype, _working(step)
    if (x.dtype, y.dtype, target) == (working,) * 3:
        return lambda x, y: np.matmul(x.transpose(order_x).reshape(left), y.transpose(order_y).reshape(right)).reshape(
            shape
        )

    def kernel(x: Array, y: Array) -> Array:
        first = x.astype(working).transpose(order_x).reshape(left)
        second = y.astype(working).transpose(order_y).reshape(right)
        return np.matmul(first, second).reshape(shape).astype(target)

    return kernel


def _convolution(step: Step) -> Kernel:
    """A product of a matrix of windows and a matrix of weights, for each group.

    Axes are brought into the order group, batch, features, space.
    """
    params = step.params
    lhs, rhs, out = params["dimension_numbers"]
    groups, batch_groups = params["feature_group_count"], params["batch_group_count"]
    count = groups * batch_groups
    strides, spread = params["window_strides"], params["rhs_dilation"]
    dilate = _dilation(params["lhs_dilation"], params["padding"], [step.inputs[0].shape[axis] for axis in lhs[2:]])
    weights = [step.inputs[1].shape[axis] for axis in rhs]
    space = [step.shape[axis] for axis in out[2:]]
    reach = [(size - 1) * gap + 1 for size, gap in zip(weights[2:], spread, strict=True)]
    rank = len(space)
    shape = step.shape
    target, working = step.outputs[0].dtype, _working(step)
    inner = weights[1] * math.prod(weights[2:])
    back = np.argsort(out)
    if 0 in shape or inner == 0:
        return lambda *_: np.zeros(shape, target)
    picked = (
        *(slice(None, None, stride) for stride in strides),
        *(slice(None, None, gap) for gap in spread),
    )

    def kernel(x: Array, w: Array) -> Array:
        x = dilate(x.astype(working).transpose(lhs))
        batch, features = x.shape[:2]
        if batch_groups > 1:
            x = x.reshape(batch_groups, batch // batch_groups, features, *x.shape[2:])
        else:
            x = np.moveaxis(x.reshape(batch, groups, features // groups, *x.shape[2:]), 1, 0)
        windows = sliding_window_view(x, reach, tuple(range(3, 3 + rank)))[(..., *picked)]
        # Group, batch, space, features, window.
        order = (0, 1, *range(3, 3 + rank), 2, *range(3 + rank, 3 + 2 * rank))
        rows = windows.transpose(order).reshape(count, -1, inner)
        columns = w.astype(working).transpose(rhs).reshape(count, weights[0] // count, inner).transpose(0, 2, 1)
        product = np.matmul(rows, columns).reshape(count, x.shape[1], *space, weights[0] // count)
        # Batch, group, features, space.
        product = product.transpose(1, 0, 2 + rank, *range(2, 2 + rank)).reshape(x.shape[1], weights[0], *space)
        return product.transpose(back).astype(target)

    return kernel


def _dilation(gaps: Any, padding: Any, sizes: list[int]) -> Kernel:
    """Puts zeros between the elements and around them along the axes behind the first two, or cuts them off."""
    if all(gap == 1 for gap in gaps) and all(low == high == 0 for low, high in padding):
        return lambda x: x
    reach = [max(0, (size - 1) * gap + 1) for size, gap in zip(sizes, gaps, strict=True)]
    room = [max(0, low) + size + max(0, high) for size, (low, high) in zip(reach, padding, strict=True)]
    inside = [
        slice(max(0, low), max(0, low) + size, gap) for size, gap, (low, _) in zip(reach, gaps, padding, strict=True)
    ]
    kept = [slice(max(0, -low), size - max(0, -high)) for size, (low, high) in zip(room, padding, strict=True)]

    def kernel(x: Array) -> Array:
        spread = np.zeros((*x.shape[:2], *room), x.dtype)
        spread[(..., *inside)] = x
        return spread[(..., *kept)]

    return kernel


CONTRACTION: dict[str, Maker] = {"conv_general_dilated": _convolution, "dot_general": _dot_general}
