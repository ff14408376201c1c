"""How often a loop runs, where that is known before it does: its condition depends on constants alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.tensor import Tensor

# A longer loop isn't counted: for the gradient of a loop of known length something of each iteration is kept.
_MOST = 1 << 16


def count_of(
    verdict: Callable[[Sequence[Any]], Any],
    after: Callable[[Sequence[Any], Sequence[int]], Sequence[Any]],
    reads: Callable[[int | None], set[int]],
    operands: Sequence[Tensor],
    size: int,
    most: int | None,
    wanted: Sequence[int] = (),
) -> tuple[int, list[int]] | None:
    """The number of iterations of a loop over the first `size` of `operands`, and what is in the places `wanted` then.

    None if that isn't known.

    `reads` tells which places the condition (None) or a part of the state is computed from; `verdict` and `after`
    compute these from the values in all places, of which place 0 is the number of the iteration.
    """
    needed = reads(None).union(wanted)
    while True:
        more = needed.union(*[reads(place) for place in needed if 0 < place <= size])
        if more == needed:
            break
        needed = more
    known = {place: _constant(operands[place - 1]) for place in needed if place}
    if any(value is None for value in known.values()):
        return None
    moving = sorted(place for place in known if place <= size)
    limit = _MOST + 1 if most is None else min(most, _MOST + 1)

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
        return k + 1, tuple(after(merged(k, state), moving))

    with jax.enable_x64(True):
        first = (jnp.int32(0), tuple(jnp.asarray(known[place]) for place in moving))
        count, state = jax.jit(lambda carried: jax.lax.while_loop(goes_on, advanced, carried))(first)
    final = dict(zip(moving, state, strict=True))
    return None if count > _MOST else (int(count), [int(final[place]) for place in wanted])


def _constant(tensor: Tensor) -> np.ndarray | None:
    return None if tensor._array is None else np.asarray(tensor._array)
