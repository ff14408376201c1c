"""Linear operators of libraries."""

from __future__ import annotations

from typing import Any, TypeVar

from tfcompat._keras.type_spec_registry import register
from tfcompat._linear_operator.spec import composite

_Kind = TypeVar("_Kind", bound=type[Any])


def make_composite_tensor(cls: _Kind, module_name: str = "tf.linalg") -> _Kind:
    """`cls`, a class of linear operators, as a class of composite tensors. Its spec is registered in `module_name`.

    Source: TF 2.21, `make_composite_tensor` of `tensorflow.python.ops.linalg.linear_operator`.
    """
    made: Any = composite(cls)
    register(f"{module_name}.{made._spec_class.__name__}")(made._spec_class)
    return cls
