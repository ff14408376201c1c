"""`tf.__internal__.smart_cond`: a condition that is decided while a function is traced, where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.constancy import constant_value
from tfcompat._function.control.branch import cond


def smart_cond(
    pred: Any, true_fn: Callable[[], Any] | None = None, false_fn: Callable[[], Any] | None = None, name: Any = None
) -> Any:
    """The result of `true_fn` or `false_fn`: only one is called if the value of `pred` is known, else as `tf.cond`.

    Raises: TypeError if a function cannot be called.
    Source: TF 2.21 `tf.__internal__.smart_cond.smart_cond`.
    """
    for argument, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"Argument `{argument}` must be callable. Received {function}")
    assert true_fn is not None
    assert false_fn is not None
    known = smart_constant_value(pred)
    if known is None:
        return cond(pred, true_fn, false_fn, name=name)
    return true_fn() if known else false_fn()


def smart_constant_value(pred: Any) -> bool | None:
    """The value of `pred`, if it is known while a function is traced; else None.

    Raises: TypeError if `pred` is not a boolean, 0, 1, or a tensor.
    """
    if isinstance(pred, Tensor):
        value = constant_value(pred)
        return None if value is None else bool(value)
    if pred in (0, 1):
        return bool(pred)
    if isinstance(pred, bool):
        return pred
    raise TypeError(f"Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: pred={pred}")
