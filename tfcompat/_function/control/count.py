"""How often a loop runs whose condition depends on constants alone, but not by arithmetic on integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tfcompat._core.tensor import Tensor
from tfcompat._function.control.course import MOST_TURNS
from tfcompat._function.control.turn import constant
from tfcompat._function.control.wiring import Wiring


def count_of(wiring: Wiring, operands: Sequence[Tensor]) -> int | None:
    """The number of iterations of a loop over `operands`; None if that isn't known, or if they are too many."""
    parts = range(1, 1 + wiring.size)
    needed = wiring.reads(None)
    while True:
        more = needed.union(*[wiring.reads(place - 1) for place in needed if place in parts])
        if more == needed:
            break
        needed = more
    known = {place: constant(operands[place - 1]) for place in needed if place}
    if any(value is None for value in known.values()):
        return None
    moving = sorted(place for place in known if place in parts)
    limit = MOST_TURNS + 1 if wiring.most is None else min(wiring.most, MOST_TURNS + 1)
    verdict, after = wiring.goes_on(), wiring.next([place - 1 for place in moving])

    def merged(k: Any, state: Sequence[Any]) -> list[Any]:
        values: list[Any] = [None] * (len(operands) + 1)
        values[0] = k
        for place, value in {**known, **dict(zip(moving, state, strict=True))}.items():
            values[place] = value
        return values

    def goes_on(carried: Any) -> Any:
        k, state = carried
        return (k < limit) & verdict(merged(k, state))

    def advanced(carried: Any) -> Any:
        k, state = carried
        return k + 1, tuple(after(merged(k, state)))

    with jax.enable_x64(True):
        first = (jnp.int32(0), tuple(jnp.asarray(known[place]) for place in moving))
        count, _ = jax.jit(lambda carried: jax.lax.while_loop(goes_on, advanced, carried))(first)
    return None if count > MOST_TURNS else int(count)
