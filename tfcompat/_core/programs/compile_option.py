"""Options of XLA's compiler for programs."""

from __future__ import annotations

import os
from collections.abc import Sequence

import jax

from tfcompat._core.structure.node import Node

_SCHEDULER = "xla_cpu_scheduler_type"
_ONE_AFTER_ANOTHER = {_SCHEDULER: "CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED"}
# The most elements of an array that a CPU computes in about the time that it takes to wake a thread.
_SMALL = 1 << 16


def compiler_options(steps: Sequence[Node]) -> dict[str, str] | None:
    """The options for a program of `steps`; None for those of the user.

    On a CPU XLA prefers an order of instructions in which several can run at the same time, and hands them to threads.
    If all arrays are small, that takes longer than computing them: 88 us instead of 55 for a training step of a
    perceptron with layers of 64 units.
    """
    if jax.default_backend() != "cpu" or _SCHEDULER in os.environ.get("XLA_FLAGS", ""):
        return None
    avals = (aval for step in steps for aval in (*step.signature, *step.avals))
    return _ONE_AFTER_ANOTHER if all(aval.size <= _SMALL for aval in avals) else None
