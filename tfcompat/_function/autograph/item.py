"""Reading and writing items where the optional feature `LISTS` asks for them: a tensor is not written in place."""

from __future__ import annotations

from typing import Any

from tfcompat._function.autograph.staging import is_dense
from tfcompat._ops.array.scatter import tensor_scatter_nd_update


def get_item(target: Any, i: Any, opts: Any) -> Any:
    """`target[i]`."""
    del opts  # the type of what TensorFlow's untyped lists hold
    return target[i]


def set_item(target: Any, i: Any, x: Any) -> Any:
    """`target` after `target[i] = x`: itself, or for a tensor a new one."""
    if is_dense(target):
        return tensor_scatter_nd_update(target, [[i]], [x])
    target[i] = x
    return target
