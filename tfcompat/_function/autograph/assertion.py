"""`assert`, for the optional feature `ASSERT_STATEMENTS`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._function.autograph.staging import is_staged
from tfcompat._ops.debugging.value_assertion import Assert


def assert_stmt(expression1: Any, expression2: Callable[[], Any]) -> None:
    """Asserts `expression1`, by `tf.debugging.Assert` if it is staged. The message is `expression2()`."""
    if is_staged(expression1):
        message = expression2()
        Assert(expression1, message if isinstance(message, list) else [message])
    else:
        assert expression1, expression2()
