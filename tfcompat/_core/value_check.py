"""Value checks (an index in range, ...) among the steps of a program: their messages, and the slots derived."""

from __future__ import annotations

from collections.abc import Sequence

from tfcompat._core.node import Node


def checked_steps(steps: Sequence[Node]) -> list[Node]:
    """Those of `steps` whose op has a value check."""
    return [step for step in steps if step.op is not None and step.op.check is not None]


def messages_of(checked: Sequence[Node]) -> tuple[str, ...]:
    """The message of the error for each of the `checked` steps."""
    return tuple(
        f"tf.{step.op.name}: {step.op.check.message} (at {step.line})" for step in checked if step.op and step.op.check
    )


def derivations(steps: Sequence[Node], checked: Sequence[Node], outputs: Sequence[int]) -> dict[int, frozenset[int]]:
    """The numbers of the `checked` steps that each slot of `outputs` derives from. Slots without any are left out.

    The derivative of a checked step counts as derived from it.
    """
    own = {step.first: frozenset((k,)) for k, step in enumerate(checked)}
    known: dict[int, frozenset[int]] = {}
    nothing: frozenset[int] = frozenset()
    for step in steps:
        forward = nothing if step.origin is None else own.get(step.origin.forward.first, nothing)
        read = [known.get(slot, nothing) for slot in step.inputs if type(slot) is int]
        known.update(dict.fromkeys(range(step.first, step.slot), own.get(step.first, nothing).union(forward, *read)))
    return {slot: known[slot] for slot in outputs if known.get(slot)}
