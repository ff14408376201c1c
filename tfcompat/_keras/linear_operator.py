"""Linear operators of libraries."""

from __future__ import annotations

from typing import TypeVar

_T = TypeVar("_T")


def make_composite_tensor(cls: type[_T], module_name: str = "tf.linalg") -> type[_T]:
    """`cls`, a class of linear operators: all of them are composite tensors.

    Source: TF 2.21, `make_composite_tensor` of `tensorflow.python.ops.linalg.linear_operator`.
    """
    del module_name
    return cls
