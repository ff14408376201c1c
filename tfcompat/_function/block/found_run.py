"""Blocks that find sizes, as functions on padded arrays: from outside all of their sizes are known.

The arrays have room for the largest sizes. If few rows may be found among many, there are smaller rooms, too: the block
runs in the first one that turns out to be large enough.

JAX would differentiate the steps on padded arrays, and multiply cotangents of 0 by what lies in the padding, which may
be nan. So the derivative is that of the steps with symbols, which then runs on padded arrays itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tfcompat._core.operation.reversal import depth, reversible
from tfcompat._jaxpr.padded.evaluation import self_sized
from tfcompat._jaxpr.size import is_open
from tfcompat._jaxpr.tracing import traced

Arrays = tuple[Any, ...]
# Takes arrays; returns its results, followed by the values of the sizes that it finds.
Run = Callable[..., Arrays]
# By symbol, the largest size for which there is room.
Room = Mapping[str, int]


def on_padded(run: Run, rooms: Sequence[Room], *arrays: Any) -> Arrays:
    """The results of `run`, whose sizes have the symbols of each of `rooms`; the last room is always large enough.

    If sizes of `arrays` are open, for which only shapes are inferred, no arrays are padded.

    Raises: NoRule if padded arrays can't hold those of a step.
    """
    return _differentiable(run, rooms, depth())(*arrays)


def _differentiable(run: Run, rooms: Sequence[Room], order: int) -> Callable[..., Arrays]:
    """The function `on_padded` of arrays, which can be differentiated backward `order` times."""

    def call(*arrays: Any) -> Arrays:
        return _evaluated(run, rooms, arrays)

    if not order:
        return call  # also differentiable forward
    found = jax.custom_vjp(call)

    def forward(*arrays: Any) -> tuple[Arrays, Arrays]:
        # Copies: of arguments that are returned as they are, second derivatives of a scan receive other arrays.
        return found(*arrays), tuple(map(jnp.copy, arrays))

    def backward(arrays: Arrays, cotangents: Arrays) -> Arrays:
        wanted = [k for k, array in enumerate(arrays) if jnp.issubdtype(array.dtype, jnp.inexact)]
        given = [k for k, cotangent in enumerate(cotangents) if cotangent.dtype != jax.dtypes.float0]
        pull = _pullback(run, len(rooms[0]), order, len(arrays), wanted, given)
        pulled = _differentiable(pull, rooms, order - 1)(*arrays, *[cotangents[k] for k in given])
        gradients = dict(zip(wanted, pulled, strict=True))
        return tuple([gradients.get(k) for k in range(len(arrays))])

    found.defvjp(forward, backward)
    return found


def _pullback(run: Run, sizes: int, order: int, count: int, wanted: Sequence[int], given: Sequence[int]) -> Run:
    """The pullback of `run`, which finds some `sizes`, from the results `given` to those `wanted` of `count` arrays.

    It takes the arrays and the cotangents, and finds the same sizes.
    """

    def pull(*values: Any) -> Arrays:
        arrays, cotangents = values[:count], values[count:]

        def of_wanted(*moved: Any) -> tuple[Arrays, Arrays]:
            full = list(arrays)
            for place, value in zip(wanted, moved, strict=True):
                full[place] = value
            found = run(*full)
            return tuple([found[k] for k in given]), found[-sizes:]

        with reversible(order):
            _, pulled, found = jax.vjp(of_wanted, *[arrays[k] for k in wanted], has_aux=True)
        return (*pulled(cotangents), *found)

    return pull


def _evaluated(run: Run, rooms: Sequence[Room], arrays: Arrays) -> Arrays:
    """The results in the first of `rooms` that is large enough."""
    if any(is_open(size) for array in arrays for size in array.shape):
        return run(*arrays)[: -len(rooms[0])]
    with reversible(0):
        jaxpr = traced(run, [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays])
    return _in_rooms(jaxpr, rooms, arrays)


def _in_rooms(jaxpr: Any, rooms: Sequence[Room], arrays: Arrays) -> Arrays:
    room, *larger = rooms
    first = len(jaxpr.outvars) - len(room)
    places = {name: first + k for k, name in enumerate(room)}
    found = self_sized(jaxpr, room, places, is_bounded=not larger)(*arrays)
    results = tuple(map(jnp.asarray, found[:first]))
    if not larger:
        return results
    sizes = zip(found[first:], room.values(), strict=True)
    is_enough = jnp.stack([size <= most for size, most in sizes]).all()
    return jax.lax.cond(is_enough, lambda: results, lambda: _in_rooms(jaxpr, larger, arrays))
