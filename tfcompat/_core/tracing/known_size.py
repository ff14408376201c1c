"""Whether a function is traced for sizes that TensorFlow does not know while it traces."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from tfcompat._core.system.thread_state import Inherited
from tfcompat._core.tracing.trace import here


class _Traced(Inherited):
    are_open = False


_traced = _Traced()


@contextmanager
def for_known_sizes(*, are_open: bool = True) -> Generator[None]:
    """A context in which a function is traced for the sizes of one call, though they `are_open` in TensorFlow."""
    before, _traced.are_open = _traced.are_open, are_open
    try:
        yield
    finally:
        _traced.are_open = before


def is_for_known_sizes() -> bool:
    """Whether a function with open sizes is traced for the sizes of one call."""
    return _traced.are_open


def is_known_while_traced() -> bool:
    """Whether TensorFlow checks known sizes while it traces, and not when a kernel runs."""
    return here.graph is not None and not _traced.are_open
