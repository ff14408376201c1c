"""The first run of a trace that finds sizes: for the sizes at hand, so that nothing waits for a compiler."""

from __future__ import annotations

from collections.abc import Sequence

from tfcompat._core.operation.bound import Bound
from tfcompat._core.programs.hosting import is_small
from tfcompat._core.programs.replay import Plan
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._function.graphs.stored_trace import StoredTrace
from tfcompat._function.sizes.expected_value import value_at
from tfcompat._function.sizes.sized_trace import sized


def for_found_sizes(
    stored: StoredTrace, slots: Sequence[int], leaves: Sequence[Tensor]
) -> tuple[StoredTrace, dict[str, int]] | None:
    """The copy of `stored` for the sizes that it finds if its leaves are `leaves`, and these sizes.

    None unless the host computes them, and the `slots` of the copy, in less time than compiling takes.
    """
    values = {bound.name: bound.most for bound in stored.node.bounds}
    try:
        for bound in stored.node.bounds:
            copied = sized(stored, values, [bound.slot])
            if copied is None or not _is_small(copied, [bound.slot]):
                return None
            values[bound.name] = _size(copied, bound, leaves)
        copied = sized(stored, values)
    except InvalidArgumentError:  # the program says it, at the line of the op
        return None
    return (copied, values) if copied is not None and _is_small(copied, slots) else None


def _is_small(stored: StoredTrace, slots: Sequence[int]) -> bool:
    steps = [step for step in Plan(stored.node.path(), (), slots).steps if step.op is not None]
    return is_small(steps, reads_device=True)


def _size(stored: StoredTrace, bound: Bound, leaves: Sequence[Tensor]) -> int:
    """The value of `bound`, computed by the steps of `stored`."""
    aval = next(node.avals[bound.slot - node.first] for node in stored.node.path() if bound.slot < node.slot)
    return int(value_at(bound.slot, aval, stored.node, leaves, stored.numbers))
