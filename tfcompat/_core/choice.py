"""The choice of an executor: a program, a padded program, or op by op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfcompat._core.config import settings
from tfcompat._core.host import host
from tfcompat._core.hosting import compilation, estimated, is_small
from tfcompat._core.node import Node
from tfcompat._core.op_by_op import planned
from tfcompat._core.program import Extent
from tfcompat._core.program_cache import cache
from tfcompat._core.recording import Recording
from tfcompat._core.replay import Plan
from tfcompat._core.segment import is_deep

if TYPE_CHECKING:
    from tfcompat._core.family.variants import Variants

# An op compiled alone costs about what eight steps of a program do (measured on two CPU cores).
_ALONE = 8
# A trace of this many steps takes seconds to compile.
_LONG = 200
# If at least this many programs ran only once, the structure of the loop varies.
_VARYING = 4


def runs_op_by_op(recording: Recording, node: Node, plan: Plan) -> bool:
    """Whether the trace up to `node` runs op by op rather than as a program: the one place where this is decided.

    A structure that comes back is compiled. Before that, the host evaluates its ops if that takes much less time than
    compiling them. A larger structure that never comes back would cost a compilation, too; its ops, though, are few,
    and each is compiled once for all structures. So where several programs were compiled that never ran again, a new
    structure of known ops is taken for one that varies. A long chain with its gradients is a training step's, which
    comes back, and is compiled in parts; else the way is taken that compiles less. Where each op is run at once, a
    program would be one op at one place: a loop's second step would compile every op again.
    """
    if settings.is_immediate or recording.runs_once:
        return True
    steps = [step for step in plan.steps if step.op is not None]
    if node.visits > 1 and not _has_come_too_rarely(node, steps):
        return False
    if is_small(steps, reads_device=bool(plan.leaves)):
        return True
    if node.visits > 1:
        return False
    if recording.comes_back:
        return False
    if cache.ran_once >= _VARYING and all(step.signature in step.op.met for step in steps if step.op):
        return True
    if any(step.origin is not None for step in steps) and is_deep(steps):
        return False
    missing = {(step.op, step.signature) for step in steps if step.op and step.signature not in step.op.seen}
    return _ALONE * len(missing) < len(steps)


def _has_come_too_rarely(node: Node, steps: Sequence[Node]) -> bool:
    """Whether the host takes less time for all visits of `node` so far than it takes to compile its many `steps`.

    Loops in Python over a length make such a trace for each length.
    """
    return len(steps) >= _LONG and node.visits * estimated(steps) < compilation(len(steps))


def varying(recording: Recording, node: Node, extent: Extent, slots: tuple[int, ...]) -> Variants | None:
    """The recordings like that up to `node` but for their sizes, if padded programs serve it: they do once that pays.

    None if it has to run op by op, or by a program of its own.
    """
    if not settings.is_padding or settings.is_immediate or recording.runs_once or host.is_expected or host.has_effects:
        return None
    from tfcompat._core.family.variants import variants_of

    variants = variants_of(node, extent)
    if variants.refusal:
        return None
    plan = planned(node, extent, slots)
    steps = [step for step in plan.steps if step.op is not None]
    if is_deep(steps):
        return None
    is_cheap = is_small(steps, reads_device=bool(plan.leaves))
    return variants if variants.are_served(node.path(), estimated(steps), is_cheap=is_cheap) else None
