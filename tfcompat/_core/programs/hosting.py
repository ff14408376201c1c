"""Ops evaluated on the host, so that code that runs only a few times does not wait for a compiler."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import jax

from tfcompat._core.operation.op import Avals, Op
from tfcompat._core.structure.node import Node
from tfcompat._core.system.config import settings
from tfcompat._core.system.device import computing_device
from tfcompat._core.types.aval import Aval
from tfcompat._jaxpr.postponement import postponed

if TYPE_CHECKING:
    from tfcompat._core.programs.hosted_op import HostedOp

# Nanoseconds. Compiling a single op takes at least this long, so an op is evaluated on the host for at most as long.
_COMPILATION = 100e6
# The same for a program: a constant, and a cost for each step. (On two CPU cores 110 steps take 650 to 900 ms.)
_PROGRAM, _STEP_OF_PROGRAM = 100e6, 6e6
# Rough costs of a step whose op has not been evaluated yet: a constant, for each element, for each multiplication.
_STEP, _ELEMENT, _PRODUCT = 50e3, 1.0, 0.03
# For each multiplication of a convolution, which copies its windows.
_WINDOW = 0.04
_MATRIX, _OPERANDS = 2, 3


def hosted(op: Op, signature: Avals, inputs: Sequence[Any]) -> HostedOp | None:
    """The evaluation of `op` on the host; None if that is impossible, or has taken longer than compiling would."""
    if not settings.is_hosting or signature in op.compiled_alone_for:
        return None
    if computing_device().platform != "cpu" and any(isinstance(array, jax.Array) for array in inputs):
        return None
    found = op.hosted.get(signature, _UNKNOWN)
    if found is _UNKNOWN:
        found = op.hosted[signature] = _hosted_op().hosted_op(op, signature)
    most = math.inf if settings.is_deterministic else _COMPILATION
    return found if found is not None and found.spent + found.work < most else None


def is_small(steps: Sequence[Node], *, reads_device: bool) -> bool:
    """Whether the host evaluates `steps` in less time than it takes to compile them, by a rough estimate.

    `reads_device` is whether they read arrays on a device, which only the CPU shares with the host.
    """
    if not settings.is_hosting or (reads_device and computing_device().platform != "cpu"):
        return False
    return estimated(steps) <= compilation(len(steps))


def compilation(steps: int) -> float:
    """The estimated nanoseconds for compiling a program of `steps` steps."""
    return _PROGRAM + _STEP_OF_PROGRAM * steps


def estimated(steps: Sequence[Node]) -> float:
    """The roughly estimated nanoseconds for evaluating `steps` on the host."""
    return sum(map(_estimated, steps))


def _estimated(step: Node) -> float:
    """The roughly estimated nanoseconds for evaluating `step` on the host."""
    assert step.op is not None
    known = step.op.hosted.get(step.signature)
    if known is not None:
        return known.work
    avals: list[Aval] = [*step.signature, *step.avals]
    estimate = _STEP + _ELEMENT * sum(aval.size for aval in avals)
    operands = sorted([aval for aval in avals if aval.ndim >= _MATRIX], key=lambda aval: aval.size)[-_OPERANDS:]
    if len(operands) < _OPERANDS or step.op.is_elementwise:
        return estimate
    if "conv" in step.op.name:
        kernel, _, largest = operands
        return estimate + _WINDOW * largest.size * kernel.size / max(1, largest.shape[-1])
    # The product of an m x k and a k x n matrix takes as many multiplications.
    return estimate + _PRODUCT * math.sqrt(math.prod(aval.size for aval in operands))


def untraced(steps: Sequence[Node]) -> int:
    """The number of `steps` whose ops the host would have to trace before it evaluates them."""
    is_traced = _hosted_op().is_traced
    return sum(not is_traced(step.op, step.signature) for step in steps if step.op is not None)


_UNKNOWN: Any = object()


@cache
def _hosted_op() -> ModuleType:
    with postponed():  # a signal handler that needs it must not find half of it
        from tfcompat._core.programs import hosted_op as module
    return module
