"""The room that a block needs for the sizes that it finds, and whether its steps run on arrays with that room."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import jax.numpy as jnp

from tfcompat._core.operation.bound import sizes_of
from tfcompat._core.operation.op import Op, linearize
from tfcompat._core.operation.sampling import sampled_values
from tfcompat._core.operation.sized import Sized
from tfcompat._core.structure.node import Node
from tfcompat._core.system.error import OpError
from tfcompat._core.types.aval import Aval
from tfcompat._function.block.found_run import Room
from tfcompat._function.block.procedure import Procedure
from tfcompat._function.graphs.graph import Graph
from tfcompat._function.sizes.bounded_step import are_symbols_in, costs_of, refused_size
from tfcompat._jaxpr.padded.bound import FOUND
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.size import is_open, symbols_of
from tfcompat._jaxpr.tracing import result_structs

# A room is compiled only if a larger one takes longer by this factor and these nanoseconds.
_FACTOR = 3.0
_WORTH = 50_000.0
_FEWEST, _TIMES = 8, 8
_LOOPS = frozenset(("foldl", "foldr", "map_fn", "scan", "while_loop"))


def rooms_of(graph: Graph, results: Sequence[Aval]) -> list[Room]:
    """The rooms for the sizes that `graph`, the trace of a block with `results`, finds; none if it finds no sizes.

    Raises: UntraceableError if no program can run it, whatever it finds.
    """
    bounds = graph.node.bounds
    if not bounds:
        return []
    path = graph.node.path()
    own = {bound.name for bound in bounds}
    if not own.isdisjoint(symbols_of([size for aval in results for size in aval.shape])):
        raise refused_size("a loop or a branch returns it, or assigns it to a variable")
    if any(name.startswith(FOUND) for node in path if node.op is None for name in symbols_of(node.aval.shape)):
        raise refused_size("a loop or a branch finds it, and takes arrays of sizes that the code around it has found")
    sample = Sized(sampled_values())
    steps = [_at(sample, node) for node in path if not own.isdisjoint(symbols_of(sizes_of(node)))]
    if any(map(is_open, graph.ints)):
        raise refused_size("as many random numbers are drawn in a loop or a branch")
    most = {bound.name: bound.most for bound in bounds}
    acting = _acting(graph, path)
    if any(map(are_symbols_in, acting)):
        raise refused_size("a loop or a branch finds it, and prints it or passes it to a Python function")
    if acting:
        return [most]  # its steps must not run in a room that turns out to be too small
    costs = costs_of(steps, bounds)

    def cost(room: Room) -> float:
        return sum(each(*[room[name] for name in names]) for names, each in costs)

    rooms: list[Room] = [most]
    if any(map(_has_loop, _of_found(path))):
        return rooms  # with fewer rows than there are it might not end
    size = _FEWEST
    while size < max(most.values()):
        room = {name: min(size, largest) for name, largest in most.items()}
        larger = {name: min(size * _TIMES, largest) for name, largest in most.items()}
        if cost(larger) > _FACTOR * cost(room) and cost(larger) > cost(room) + _WORTH:
            rooms.insert(len(rooms) - 1, room)
        size *= _TIMES
    return rooms


def _of_found(path: Sequence[Node]) -> Iterator[Op]:
    """The ops of `path` that have sizes with symbols, or take what steps with such sizes have computed."""
    slots: set[int] = set()
    for node in path:
        if node.op is not None and (are_symbols_in(node) or any(type(x) is int and x in slots for x in node.inputs)):
            slots.update(range(node.first, node.slot))
            yield node.op


def _has_loop(op: Op) -> bool:
    """Whether `op` is a loop or has one in it."""
    return op.name in _LOOPS or (op.recipe is not None and any(map(_has_loop, op.recipe.ops())))


def _acting(graph: Graph, path: Sequence[Node]) -> list[Node]:
    """The steps of `path`, those of `graph`, that call Python functions or have other side effects than checks."""
    effects = {graph.slot_of(tensor) for tensor in graph.effects}
    return [
        node
        for node in path
        if (node.op is not None and node.op.calls_python)
        or (not effects.isdisjoint(range(node.first, node.slot)) and (node.op is None or node.op.check is None))
    ]


def _at(sample: Sized, step: Node) -> Node:
    """`step` for the sizes that arguments have in the call that is traced."""
    found = copy.copy(step)
    found.signature, found.avals = tuple(map(sample.aval, step.signature)), tuple(map(sample.aval, step.avals))
    found.op = None if step.op is None else sample.op(step.op)
    return found


def require_padded(procedure: Procedure, avals: Sequence[Aval], results: Sequence[Aval]) -> None:
    """Raises UntraceableError unless `procedure`, of arrays of `avals`, and its derivative run on padded arrays."""
    sample = Sized(sampled_values())
    procedure = Procedure(procedure.structure, sample.argument(procedure.sized))
    wanted = _floating(avals)
    given = _floating(results)

    def trial(*arrays: Any) -> Any:
        outputs, pull = linearize(op, arrays, wanted, given)
        return pull(*[outputs[k] for k in given])

    op = Op("block", lambda *arrays: procedure(arrays)[0], many=True)
    try:
        result_structs(trial if wanted and given else op.outputs, [sample.aval(aval).struct for aval in avals])
    except (OpError, NoRule, ValueError, TypeError, KeyError) as refusal:
        raise refused_size(f"a loop or a branch finds it: {refusal}") from refusal


def _floating(avals: Sequence[Aval]) -> tuple[int, ...]:
    return tuple([k for k, aval in enumerate(avals) if jnp.issubdtype(aval.struct.dtype, jnp.inexact)])
