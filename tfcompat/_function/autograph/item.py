"""Reading and writing items, for the optional feature `LISTS`. A tensor is not written in place."""

from __future__ import annotations

from typing import Any

from tfcompat._function.autograph.staging import is_dense
from tfcompat._ops.array.scatter import tensor_scatter_nd_update


def get_item(target: Any, i: Any, opts: Any) -> Any:
    """`target[i]`."""
    del opts  # the element type, for TensorFlow's untyped lists
    return target[i]


def set_item(target: Any, i: Any, x: Any) -> Any:
    """`target` after `target[i] = x`: the same object, or a new tensor if `target` is one."""
    if is_dense(target):
        return tensor_scatter_nd_update(target, [[i]], [x])
    target[i] = x
    return target
