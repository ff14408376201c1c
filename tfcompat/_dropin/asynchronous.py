"""`tf.experimental.async_scope` and its relatives: everything is asynchronous until it is read."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

from tfcompat._core.structure import check_outcome
from tfcompat._core.tracing.trace import sync


@contextlib.contextmanager
def async_scope() -> Generator[None]:
    """A context that computes all pending ops at its end.

    Raises: at its end, the errors of the computed values.
    Source: TF 2.21 `tf.experimental.async_scope`.
    """
    yield
    sync()
    check_outcome.raise_failed_checks()


def async_clear_error() -> None:
    """Discards errors of programs that have not been raised yet.

    Source: TF 2.21 `tf.experimental.async_clear_error`.
    """
    check_outcome.clear()


@contextlib.contextmanager
def function_executor_type(executor_type: Any) -> Generator[None]:
    """A context that has no effect for any `executor_type`: XLA runs functions.

    Source: TF 2.21 `tf.experimental.function_executor_type`.
    """
    del executor_type
    yield
