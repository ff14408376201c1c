"""Recordings of steps, and their results: exactly, and by the program of their family."""

from __future__ import annotations

from typing import NamedTuple

import jax
import numpy as np
from jax.extend.core import jaxpr_as_fun

from tfcompat._core.programs.replay import Plan
from tfcompat._core.structure.node import Node
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import Trace, here


class Recorded(NamedTuple):
    """A recording: its steps, the slots of its results, and its inputs."""

    path: list[Node]
    outputs: tuple[int, ...]
    numbers: list[np.ndarray]
    leaves: list[Tensor]


def recorded(step, *sizes):
    """The recording of `step(*sizes)`, which returns tensors; nothing is computed."""
    here.trace = trace = Trace()
    found = step(*sizes)
    assert here.trace is trace
    node = trace.node
    numbers = [
        *([np.array(trace.floats[: node.floats])] if node.floats else []),
        *([np.array(trace.ints[: node.ints])] if node.ints else []),
    ]
    here.trace = Trace()
    slots = tuple(trace.slot_of(x) for x in found)
    return Recorded(node.path(), slots, numbers, list(trace.leaves))


def arguments(recording, plan):
    """The arguments of a program of `plan`."""
    return [*recording.numbers, *[np.asarray(recording.leaves[leaf.leaves - 1]._array) for leaf in plan.leaves]]


def exact(recording):
    """The results from a program for the recording's own sizes."""
    plan = Plan(recording.path, (), recording.outputs)
    has_floats = bool(recording.path[-1].floats)

    def replay(*args):
        numbers, arrays = args[: len(recording.numbers)], args[len(recording.numbers) :]
        floats = numbers[0] if has_floats else ()
        ints = numbers[-1] if recording.path[-1].ints else ()
        known = {leaf.first: array for leaf, array in zip(plan.leaves, arrays, strict=True)}
        values = plan.evaluate(known, lambda number: number.traced(floats, ints))
        return [values[slot] for slot in recording.outputs]

    with jax.enable_x64(True):
        return [np.asarray(x) for x in jax.jit(replay)(*arguments(recording, plan))]


def by_family(family, recording):
    """The results from the family's jaxpr, which JAX exports once for all sizes."""
    jaxpr = family.jaxpr(recording.outputs)
    structs = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in jaxpr.in_avals]
    with jax.enable_x64(True):
        exported = jax.export.export(jax.jit(jaxpr_as_fun(jaxpr)))(*structs)
        found = exported.call(*arguments(recording, family.plan(recording.outputs)))
    return [np.asarray(x) for x in found]
