"""Value checks (an index in range, ...) among the steps of a program: their messages, and the slots derived."""

from __future__ import annotations

from collections.abc import Sequence

from tfcompat._core.structure.node import Node


def checked_steps(steps: Sequence[Node]) -> list[Node]:
    """Those of `steps` whose op has a value check."""
    return [step for step in steps if step.op is not None and step.op.check is not None]


def messages_of(checked: Sequence[Node]) -> tuple[str, ...]:
    """The message of the error for each of the `checked` steps."""
    return tuple(
        f"tf.{step.op.name}: {step.op.check.message} (at {step.line})" for step in checked if step.op and step.op.check
    )


def messages_and_derivations(
    steps: Sequence[Node], outputs: Sequence[int]
) -> tuple[tuple[str, ...], dict[int, frozenset[int]]]:
    """For the checked steps among `steps`, the messages of their errors, and the slots of `outputs` that they decide.

    The slots have the numbers of the checked steps that they derive from; slots that derive from none are left out. The
    derivative of a checked step counts as derived from it.
    """
    checked = checked_steps(steps)
    return messages_of(checked), _derivations(steps, checked, outputs) if checked else {}


def _derivations(steps: Sequence[Node], checked: Sequence[Node], outputs: Sequence[int]) -> dict[int, frozenset[int]]:
    # A set of checks is an integer with a bit for each of them.
    own = {step.first: 1 << k for k, step in enumerate(checked)}
    known: dict[int, int] = {}
    for step in steps:
        found = own.get(step.first, 0)
        if step.origin is not None:
            found |= own.get(step.origin.forward.first, 0)
        for slot in step.inputs:
            if type(slot) is int:
                found |= known.get(slot, 0)
        if found:
            known.update(dict.fromkeys(range(step.first, step.slot), found))
    sets = {bits: frozenset([k for k in range(len(checked)) if bits >> k & 1]) for bits in set(known.values())}
    return {slot: sets[known[slot]] for slot in outputs if slot in known}
