"""Marks in a recording: which replica of a strategy has recorded the steps that follow."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tfcompat._core.operation.op import Op
from tfcompat._core.operation.recipe import made_once
from tfcompat._core.tracing.trace import here


class Mark(NamedTuple):
    """The meaning of a mark for the steps that follow it.

    Attributes:
      devices: a device of JAX for each replica.
      replica: the number of the replica; None for steps that are recorded once for all replicas.
    """

    devices: tuple[Any, ...]
    replica: int | None


@made_once
def _mark(devices: tuple[Any, ...], replica: int | None) -> Op:
    op = Op("replica", tuple, many=True, label=str(replica))
    op.inferred[()] = ()
    op.mark = Mark(devices, replica)
    return op


def mark(devices: tuple[Any, ...] | None, replica: int | None) -> None:
    """Marks the steps that this thread records from now on as those of `replica`.

    Without `devices` all replicas are computed on one device, and nothing is marked.
    """
    if devices is not None:
        here.trace.step(_mark(devices, replica), (), ())


@contextmanager
def marked(devices: tuple[Any, ...] | None, replica: int) -> Generator[None]:
    """A context in code for all replicas whose steps are those of `replica`."""
    mark(devices, replica)
    try:
        yield
    finally:
        mark(devices, None)


@contextmanager
def for_all(devices: tuple[Any, ...] | None, replica: int) -> Generator[None]:
    """A context in code of `replica` whose steps are for all replicas, as those of the initial value of a variable."""
    mark(devices, None)
    try:
        yield
    finally:
        mark(devices, replica)
