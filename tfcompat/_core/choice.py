"""The choice between compiling a program and running op by op."""

from __future__ import annotations

from tfcompat._core.config import settings
from tfcompat._core.node import Node
from tfcompat._core.program_cache import cache
from tfcompat._core.replay import Plan
from tfcompat._core.segment import is_deep

# An op compiled alone costs about what eight steps of a program do (measured on two CPU cores).
_ALONE = 8
# If at least this many programs ran only once, the structure of the loop varies.
_VARYING = 4


def runs_op_by_op(node: Node, plan: Plan, runs_once: bool) -> bool:
    """Whether a structure that comes up for the first time runs op by op: the one place where this is decided.

    With `runs_once` it is known that it will not come back.

    A structure that comes back is compiled. One that never does would cost a compilation each time; its ops, though,
    are few, and each is compiled once for all structures. So where several programs were compiled that never ran again,
    a new structure of known ops is taken for one that varies. A long chain with its gradients is a training step's,
    which comes back, and is compiled in parts; else the way is taken that compiles less. Where each op is run at once,
    a program would be one op at one place: a loop's second step would compile every op again.
    """
    if settings.is_immediate or runs_once:
        return True
    if node.visits > 1:
        return False
    steps = [step for step in plan.steps if step.op is not None]
    if cache.ran_once >= _VARYING and all(step.signature in step.op.met for step in steps if step.op):
        return True
    if any(step.origin is not None for step in steps) and is_deep(steps):
        return False
    missing = {(step.op, step.signature) for step in steps if step.op and step.signature not in step.op.seen}
    return _ALONE * len(missing) < len(steps)
