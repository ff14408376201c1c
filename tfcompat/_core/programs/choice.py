"""The choice of an executor: a program, a padded program, one that equal continuations share, or op by op."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import cache as cached
from types import ModuleType
from typing import TYPE_CHECKING

from tfcompat._core.operation.bound import bounds_in
from tfcompat._core.programs.continuation import Continuation, continuations, part_of
from tfcompat._core.programs.hosting import compilation, estimated, is_small, untraced
from tfcompat._core.programs.op_by_op import planned
from tfcompat._core.programs.program import WHOLE, Extent
from tfcompat._core.programs.program_cache import cache
from tfcompat._core.programs.replay import Plan
from tfcompat._core.programs.replicas.folding import Folded, NotFolded
from tfcompat._core.programs.segment import Part, is_deep
from tfcompat._core.structure.node import Node
from tfcompat._core.structure.recording import Recording
from tfcompat._core.structure.sharding import divides, placed
from tfcompat._core.system.config import settings
from tfcompat._core.types.dtype import INTEGER, TRAINABLE
from tfcompat._jaxpr.postponement import postponed

if TYPE_CHECKING:
    from tfcompat._core.programs.family.variants import Variants

# An op compiled alone costs about what eight steps of a program do (measured on two CPU cores).
_ALONE = 8
# The part of the time for compiling that the host spends before a structure that may vary is compiled: one of at least
# `_UNROLLED` steps that is not that of a steady loop, or one that continues another. It is more if the structures that
# end at the line did vary: among the last `_RECENT` runs there were at least `_SEVERAL` structures.
_EARLY, _LATE = 0.1, 0.5
_UNROLLED = 50
_RECENT, _SEVERAL = 16, 4
# The estimated nanoseconds that the host may take with determinism for a structure that reads arrays.
_TINY = 51e3
# The structures that ran last are known for this many lines.
_MOST_LINES = 256
# A long structure is that of a steady loop if it runs as often in a row as it has this number of steps.
_STEADY = 100
# If at least this many programs ran only once, the structure of the loop varies.
_VARYING = 4


class _Line:
    """The structures that end at one line of the user's code.

    Attributes:
      recent: the last ones that ran; `runs`: how often the last one ran in a row.
    """

    def __init__(self) -> None:
        self.recent: deque[Node] = deque(maxlen=_RECENT)
        self.runs = 0


class _Lines:
    """How the structures of loops vary."""

    def __init__(self) -> None:
        self._lines: dict[str, _Line] = {}

    def clear(self) -> None:
        """Forgets all structures."""
        self._lines.clear()

    def is_alone(self, node: Node) -> bool:
        """Whether no other long structure that ends at the same line ran lately."""
        line = self._lines.get(node.line)
        return line is None or all(other is node for other in line.recent)

    def patience(self, node: Node, steps: int) -> float:
        """The part of the time for compiling that the host may spend on the structure of `steps` up to `node`.

        It is 0 for a steady loop, which has run in a row once for every `_STEADY` steps, and as often as there are
        structures.
        """
        if len(self._lines) >= _MOST_LINES:
            self.clear()
        line = self._lines.setdefault(node.line, _Line())
        line.runs = line.runs + 1 if line.recent and line.recent[-1] is node else 1
        line.recent.append(node)
        kinds = len(set(line.recent))
        is_steady = line.runs >= max(steps / _STEADY, 2, kinds if kinds >= _SEVERAL else 0)
        return 0.0 if is_steady else _LATE if kinds >= _SEVERAL else _EARLY


lines = _Lines()


def runs_op_by_op(recording: Recording, node: Node, plan: Plan, extent: Extent = WHOLE) -> bool:
    """Whether the trace up to `node` runs op by op rather than as a program of its own.

    Only this module decides: for continuations that recur, `is_worth_compiling`.

    A structure that runs a second time is compiled. One that may vary must run more often: until the host has spent a
    part of the time that compiling takes. Those are structures that continue others, as where a recording under a tape
    is read and then continues, those of functions with open sizes once these have varied, those that a coincidence of
    their sizes keeps out of a family, and long ones that take turns with others at their line, as those do that Python
    unrolls over the steps of an episode, until one has run several times in a row.

    At its first run, the host evaluates its ops if that takes much less time than compiling them. A larger structure
    that never runs again would also cost a compilation, whereas its ops are of few kinds, each compiled once for all
    structures. So if several programs were compiled and never ran again, a new structure of known ops is taken for one
    more that varies. A long chain with gradients is taken for a training step, which runs again and is compiled in
    parts. Otherwise the choice is the one that compiles less. Values that were placed on devices need a program. In
    immediate mode a program would be one op at one place of the trace, and the second step of a loop would compile
    every op again. Op by op, all replicas of a strategy are computed on one device, so those that can share a program
    of several devices need it.

    With determinism the choice depends on the structure only, since the host and a program round differently: the host
    evaluates first values of variables, and small structures, for which it takes about as long as a call of a program.

    In a program with checkpoints, a training step that does not look like one that varies is compiled at its first run.

    Sizes that a program finds need a program.
    """
    if bounds_in(plan.steps, node.bounds):
        return False
    if settings.is_immediate or recording.runs_once:
        return True
    if extent.placement is not None or (node.is_marked and _is_spread(node, plan)):
        return False
    steps = [step for step in plan.steps if step.op is not None]
    if settings.is_deterministic:
        return _is_tiny(plan, steps)
    is_alone = recording.is_recurring or lines.is_alone(node)
    patience = lines.patience(node, _length(recording, steps)) if len(steps) >= _UNROLLED else 0.0
    if node.visits > 1:
        may_vary = recording.start > 0 or (recording.has_open_sizes and _has_varied(node, extent))
        patience = max(patience, _EARLY if may_vary else 0.0, _LATE if _is_apart(node, extent) else 0.0)
        is_cheap = patience > 0 and is_small(steps, reads_device=bool(plan.leaves))
        return is_cheap and node.visits * estimated(steps) < patience * compilation(len(steps))
    is_steady = is_alone and not recording.start and cache.ran_once < _VARYING
    if settings.is_continuing and is_steady and _trains(recording, steps):
        return False
    if is_small(steps, reads_device=bool(plan.leaves)):
        return True
    if recording.is_recurring:
        return False
    if cache.ran_once >= _VARYING and all(step.signature in step.op.compiled_for for step in steps if step.op):
        return True
    if any(step.origin is not None for step in steps) and is_deep(steps):
        return False
    missing = {
        (step.op, step.signature) for step in steps if step.op and step.signature not in step.op.compiled_alone_for
    }
    return _ALONE * len(missing) < len(steps)


def _is_spread(node: Node, plan: Plan) -> bool:
    """Whether the replicas that have recorded the steps up to `node` can share a program of several devices."""
    try:
        Folded(node.path(), {leaf.first for leaf in plan.leaves})
    except NotFolded:
        return False
    return True


def _length(recording: Recording, steps: Sequence[Node]) -> int:
    """The number of `steps`; in a function that was traced for certain sizes, of those that differ.

    Such a function runs again. It repeats its steps for each replica, and for each layer of a kind.
    """
    if not recording.is_recurring or recording.has_open_sizes:
        return len(steps)
    return len({(step.op, step.signature) for step in steps})


def continuation_of(
    recording: Recording, node: Node, plan: Plan, extent: Extent, slots: tuple[int, ...]
) -> tuple[Continuation, Part] | None:
    """The continuation that ends the recording up to `node`, if such ones recur at several places, and its steps.

    Not used with determinism, since the executor would depend on what ran before.
    """
    if not recording.start or recording.runs_once or node.is_marked or node.bounds or extent.placement is not None:
        return None
    if placed.is_used or extent.guards or settings.is_deterministic or settings.is_immediate:
        return None
    part = part_of(plan, recording.start, slots)
    if part is None:
        return None
    found = continuations.of(part, node)
    return (found, part) if found.recurs else None


def is_worth_compiling(continuation: Continuation, plan: Plan) -> bool:
    """Whether the function of `continuation`, which recurs, is compiled, or is to be compiled now."""
    if continuation.is_compiled:
        return True
    steps = [step for step in plan.steps if step.op is not None]
    is_cheap = is_small(steps, reads_device=bool(plan.leaves))
    return not is_cheap or continuation.visits * estimated(steps) >= _EARLY * compilation(len(steps))


def _is_tiny(plan: Plan, steps: Sequence[Node]) -> bool:
    """Whether the host always evaluates the `steps` of `plan`, whatever ran before."""
    reads_numbers = any(leaf.aval.dtype not in INTEGER for leaf in plan.leaves)
    is_cheap = estimated(steps) <= _TINY or (not reads_numbers and all(map(_fills, steps)))
    return is_cheap and is_small(steps, reads_device=bool(plan.leaves))


def _fills(step: Node) -> bool:
    """Whether `step` makes or draws numbers, or computes element by element."""
    op = step.op
    return op is not None and (not step.inputs or op.on_host is not None or op.is_elementwise)


def _trains(recording: Recording, steps: list[Node]) -> bool:
    """Whether `steps` are a training step: they have gradients, a tape follows them, or they assign to weights."""
    if recording.is_held() or any(step.origin is not None for step in steps):
        return True
    return any(old._aval.dtype in TRAINABLE for _, old in recording.replaced.values())


def varying(recording: Recording, node: Node, extent: Extent, slots: tuple[int, ...]) -> Variants | None:
    """The recordings that differ from that up to `node` in sizes only, if the programs of a family are to serve them.

    None if the recording has to run op by op or by a program of its own.
    """
    if not settings.is_padding or settings.is_immediate or recording.runs_once or node.is_marked or node.bounds:
        return None
    variants = _variants().variants_of(node, extent)
    if variants.refusal:
        return None
    if not (placed.is_used or settings.is_deterministic) and variants.have(node.path()):
        return variants
    plan = planned(node, extent, slots)
    steps = [step for step in plan.steps if step.op is not None]
    if settings.is_deterministic and _is_tiny(plan, steps):
        return None
    if variants.is_only(node.path()):  # tested first, because `is_deep` traces ops, which may never run again
        return None
    if is_deep(steps) or (placed.is_used and divides(steps)):
        return None
    is_cheap = is_small(steps, reads_device=bool(plan.leaves))
    missing = untraced(steps) if is_cheap else 0
    return variants if variants.are_served(node.path(), estimated(steps), missing, is_cheap=is_cheap) else None


def _is_apart(node: Node, extent: Extent) -> bool:
    """Whether only a coincidence of its sizes has kept the recording up to `node` out of a family."""
    return settings.is_padding and _variants().variants_of(node, extent).is_apart


def _has_varied(node: Node, extent: Extent) -> bool:
    """Whether recordings have run that differ from the one up to `node` in sizes only."""
    return settings.is_padding and _variants().variants_of(node, extent).have_varied


@cached
def _variants() -> ModuleType:
    with postponed():  # a signal handler that needs it must not find half of it
        from tfcompat._core.programs.family import variants as module
    return module
