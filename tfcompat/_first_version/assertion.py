"""Assertions with TensorFlow 1's arguments: failures also show `data`, and `message` comes later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import is_tensor
from tfcompat._ops.debugging import shape_assertion, value_assertion


def _with_data(message: str | None, data: Any) -> str | None:
    """`message` followed by `data`."""
    if data is None:
        return message
    shown = [str(np.asarray(value)) if is_tensor(value) else str(value) for value in data]
    return "\n".join([*([message] if message else []), *shown])


def _of_two(function: Callable[..., Any]) -> Callable[..., Any]:
    def check(
        x: Any,
        y: Any,
        data: Any = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        return function(x, y, message=_with_data(message, data), summarize=summarize, name=name)

    return _named(check, function)


def _of_one(function: Callable[..., Any]) -> Callable[..., Any]:
    def check(
        x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
    ) -> Any:
        return function(x, message=_with_data(message, data), summarize=summarize, name=name)

    return _named(check, function)


def _named(check: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    check.__name__ = check.__qualname__ = function.__name__
    check.__doc__ = f"`tf.debugging.{function.__name__}`, which also shows `data`.\n\n    Source: TF 2.21."
    return check


assert_equal = _of_two(value_assertion.assert_equal)
assert_greater = _of_two(value_assertion.assert_greater)
assert_greater_equal = _of_two(value_assertion.assert_greater_equal)
assert_less = _of_two(value_assertion.assert_less)
assert_less_equal = _of_two(value_assertion.assert_less_equal)
assert_none_equal = _of_two(value_assertion.assert_none_equal)
assert_negative = _of_one(value_assertion.assert_negative)
assert_non_negative = _of_one(value_assertion.assert_non_negative)
assert_non_positive = _of_one(value_assertion.assert_non_positive)
assert_positive = _of_one(value_assertion.assert_positive)


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """`tf.debugging.assert_near`, which also shows `data`.

    Source: TF 2.21 `tf.compat.v1.assert_near`.
    """
    return value_assertion.assert_near(x, y, rtol, atol, _with_data(message, data), summarize, name)


def assert_rank(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """`tf.debugging.assert_rank`, which also shows `data`; `summarize` has no effect, since ranks are known.

    Source: TF 2.21 `tf.compat.v1.assert_rank`.
    """
    del summarize
    return shape_assertion.assert_rank(x, rank, _with_data(message, data), name)


def assert_rank_at_least(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """`tf.debugging.assert_rank_at_least`, which also shows `data`; `summarize` has no effect.

    Source: TF 2.21 `tf.compat.v1.assert_rank_at_least`.
    """
    del summarize
    return shape_assertion.assert_rank_at_least(x, rank, _with_data(message, data), name)


def assert_rank_in(
    x: Any,
    ranks: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """`tf.debugging.assert_rank_in`, which also shows `data`; `summarize` has no effect.

    Source: TF 2.21 `tf.compat.v1.assert_rank_in`.
    """
    del summarize
    return shape_assertion.assert_rank_in(x, ranks, _with_data(message, data), name)


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> Any:
    """`tf.debugging.assert_integer`.

    Source: TF 2.21 `tf.compat.v1.assert_integer`.
    """
    return shape_assertion.assert_integer(x, message, name)


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> Any:
    """`tf.debugging.assert_type`.

    Source: TF 2.21 `tf.compat.v1.assert_type`.
    """
    return shape_assertion.assert_type(tensor, tf_type, message, name)


def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Any:
    """`tf.debugging.assert_scalar`, with another order of the arguments.

    Source: TF 2.21 `tf.compat.v1.assert_scalar`.
    """
    return shape_assertion.assert_scalar(tensor, message, name)
