"""The kernel of products of arrays: dot_general."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfcompat._jaxpr.host.blas_thread import NUMPY, one_thread
from tfcompat._jaxpr.host.step import Array, Kernel, Maker, Step, is_narrow

# From as many multiplications on, OpenBLAS shares a product with its threads; of a matrix and a vector a bit earlier.
_SHARED = 9_000


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

        def kernel(x: Array, y: Array) -> Array:
            return np.matmul(x.transpose(order_x).reshape(left), y.transpose(order_y).reshape(right)).reshape(shape)

    else:

        def kernel(x: Array, y: Array) -> Array:
            first = x.astype(working).transpose(order_x).reshape(left)
            second = y.astype(working).transpose(order_y).reshape(right)
            return np.matmul(first, second).reshape(shape).astype(target)

    return kernel if left[-2] * inner * right[-1] < _SHARED else _on_one_thread(kernel)


def _on_one_thread(kernel: Kernel) -> Kernel:
    def alone(x: Array, y: Array) -> Array:
        with one_thread(NUMPY):
            return kernel(x, y)

    return alone


CONTRACTION: dict[str, Maker] = {"dot_general": _dot_general}
