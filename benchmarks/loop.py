"""The training loop of a workload: a step as users would write it, with the data of each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class TensorLoop(NamedTuple):
    """A TensorFlow training loop: `step(*batch(i))` updates `variables` and returns the loss."""

    step: Callable[..., Any]
    batch: Callable[[int], tuple[Any, ...]]
    variables: list[Any]


class ArrayLoop(NamedTuple):
    """The same loop in JAX: `state, loss = step(state, *batch(i))`."""

    step: Callable[..., tuple[Any, Any]]
    batch: Callable[[int], tuple[Any, ...]]
    state: Any


def no_batch(_index: int) -> tuple[Any, ...]:
    """The batch of a step without arguments."""
    return ()
