"""`and`, `or`, `not`, `==` and `!=`, which become ops on staged tensors.

The right operand of `and` and `or` is evaluated lazily, by `tf.cond`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._function.autograph.staging import is_dense, is_staged
from tfcompat._function.control.branch import cond
from tfcompat._ops.elementwise.comparison import equal, logical_not


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() and b()`."""
    left = a()
    return cond(left, b, lambda: left) if is_staged(left) else left and b()


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() or b()`."""
    left = a()
    return cond(left, lambda: left, b) if is_staged(left) else left or b()


def not_(a: Any) -> Any:
    """`not a`."""
    return logical_not(a) if is_staged(a) else not a


def eq(a: Any, b: Any) -> Any:
    """`a == b`, elementwise for tensors."""
    return equal(a, b) if is_dense(a) or is_dense(b) else a == b


def not_eq(a: Any, b: Any) -> Any:
    """`a != b`, elementwise for tensors."""
    return logical_not(equal(a, b)) if is_dense(a) or is_dense(b) else a != b
