"""The function of arrays that a program computes, with value checks and guards of variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp

from tfcompat._core.programs.replay import Plan, Pullbacks, ReadNumber, flags_of
from tfcompat._core.structure.node import Node, Number
from tfcompat._core.structure.value_check import checked_steps


def computation(
    plan: Plan,
    slots: Sequence[int],
    outputs: Sequence[int],
    guards: Sequence[tuple[int, int]],
    *,
    has_floats: bool,
    has_ints: bool,
    everywhere: Callable[[Any], Any] = jnp.any,
    early: Sequence[int] = (),
) -> Callable[..., tuple[Any, ...]]:
    """The function of arrays that a program computes by `plan`, to be traced by JAX.

    It takes the vectors of the trace's floats and integers, if the program has them, and the values of `slots`. It
    returns the values of `outputs`, followed by a vector of flags, true for the value checks that fail, if there are
    checks. If one of them fails, the first slot of each pair in `guards` gets the value of the second one. `everywhere`
    takes the flags, and returns whether one of them is true, here or where other replicas are computed. The slots
    `early` are computed before the flags.
    """
    checked = checked_steps(plan.steps)
    evaluation = _Guarded(plan, checked, outputs, dict(guards), everywhere, early) if checked else None

    def replay(*args: Any) -> tuple[Any, ...]:
        floats = args[0] if has_floats else ()
        ints = args[has_floats] if has_ints else ()

        def read(number: Number) -> Any:
            return number.traced(floats, ints)

        known = dict(zip(slots, args[has_floats + has_ints :], strict=True))
        if evaluation is None:
            values = plan.evaluate(known, read)
            return tuple([values[slot] for slot in outputs])
        values, bad = evaluation(known, read)
        return (*[values[slot] for slot in outputs], bad)

    return replay


class _Guarded:
    """The evaluation of a plan with value checks: first the steps that the checks need, then the other steps.

    A step that only serves guarded values reads the guarded value of a variable instead of the new one. Otherwise XLA
    would compute the new value once more from the old one, and copy the old one, whose buffer is donated. Both are
    equal unless a check fails, and then no result of such a step is used.
    """

    def __init__(
        self,
        plan: Plan,
        checked: Sequence[Node],
        outputs: Sequence[int],
        guards: dict[int, int],
        everywhere: Callable[[Any], Any],
        first: Sequence[int],
    ) -> None:
        """`guards` has the slots of old values by those of the new ones; the slots `first` are computed first."""
        self._everywhere = everywhere
        self._plan = plan
        self._checked = checked
        self._guards = guards
        early = plan.needed_for((*first, *(slot for step in checked for slot in step.inputs if type(slot) is int)))
        self._early = [step for step in plan.steps if step.first in early]
        self._late = [step for step in plan.steps if step.first not in early]
        self._exact = plan.needed_for(set(outputs).difference(guards))

    def __call__(self, known: Mapping[int, Any], read: ReadNumber) -> tuple[dict[int, Any], Any]:
        """The values of the slots, and the vector of flags."""
        values = dict(known)
        pullbacks: Pullbacks = {}
        for node in self._early:
            self._plan.evaluate_step(node, values, read, pullbacks, values)
        flags = flags_of(self._checked, values, read)
        bad = jnp.stack([jnp.any(flag) for flag in flags])
        is_bad = self._everywhere(bad)
        guarded = dict(values)
        for node in self._late:
            made: dict[int, Any] = {}
            is_exact = node.first in self._exact
            self._plan.evaluate_step(node, values if is_exact else guarded, read, pullbacks, made)
            values.update(made)
            guarded.update(made)
            for new in made.keys() & self._guards.keys():
                if self._guards[new] in values:
                    guarded[new] = jnp.where(is_bad, values[self._guards[new]], made[new])
        for new, old in self._guards.items():
            values[new] = (
                guarded[new] if guarded[new] is not values[new] else jnp.where(is_bad, values[old], values[new])
            )
        return values, bad
