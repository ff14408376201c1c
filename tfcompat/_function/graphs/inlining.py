"""Records the steps of a function's body in the caller's trace: a call under a tape, or in another function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._autodiff.gradient import CustomCall
from tfcompat._core.calls.host_call import before
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._core.tracing.trace import Trace, here
from tfcompat._function.graphs.called import starting
from tfcompat._function.graphs.graph import Graph
from tfcompat._function.graphs.source import Argument, Drawn
from tfcompat._function.graphs.splice import splice
from tfcompat._function.graphs.stored_trace import StoredTrace
from tfcompat._ops.debugging.value_assertion import watch
from tfcompat._state.position import Position


def inlined(stored: StoredTrace, flat: Sequence[Any], *, shares_streams: bool = False) -> list[Any]:
    """The outputs of `stored` for the leaves `flat` of a call's arguments, recorded in the running trace.

    A traced function draws from streams of its own, or, with `shares_streams`, from those of `stored`.
    """
    trace = here.trace
    positions = {} if shares_streams else _positions(stored, trace)
    with starting():
        leaves = [trace.slot_of(_operand(stored, source, flat, trace, positions)) for source in stored.sources]
    slots = splice(stored.node, trace, tuple(leaves), stored.numbers)
    for first, custom in stored.customs.items():
        inputs = tuple([slots[slot] for slot in custom.inputs])
        moved = CustomCall(inputs, _InlinedPull(stored.graph, slots, custom.pull))
        for tape in here.tapes:
            tape.customs[slots[first]] = moved
    for slot, aval in stored.effects:
        watch.wait(trace.tensor(slots[slot], aval))
    for cell, slot in stored.late_reads:
        for tape in here.tapes:
            tape.touch_at(stored.cell(cell, flat), slots[slot])
    for cell, slot, aval in stored.updates:
        positions.get(cell._number, stored.cell(cell, flat))._rebind(trace.tensor(slots[slot], aval))
    if isinstance(trace, Graph):
        trace.embedded.update(stored.graph.embedded)
        # With their first values: later assignments of the body are made again when the function is called.
        trace.created += [(cell, slots[slot]) for cell, slot in stored.graph.created if cell() is not None]
    return [value if aval is None else trace.tensor(slots[value], aval) for value, aval in stored.outputs]


def _positions(stored: StoredTrace, trace: Trace) -> dict[int, Position]:
    """By number, the stream positions of `stored` with those that `trace`, if it is a function's, keeps instead."""
    if not isinstance(trace, Graph):
        return {}
    return {source._number: source.again() for source in stored.sources if isinstance(source, Position)}


def _operand(
    stored: StoredTrace, source: Any, flat: Sequence[Any], trace: Trace, positions: dict[int, Position]
) -> Tensor:
    """The value of the leaf from `source` in `trace`. While a function is traced, draws are deferred to its calls."""
    if type(source) is Drawn:
        if isinstance(trace, Graph):
            return trace.drawn(Drawn(source.stream.again()))
        return Tensor(np.array(source.stream(), np.int64))
    if type(source) is Sizes:
        return here.graph.sizes(source)
    if (effect := before(source)) is not None:
        return effect
    leaf = flat[source.index] if type(source) is Argument else source
    return leaf if type(leaf) is Tensor else positions.get(leaf._number, stored.cell(leaf, flat))._read()


class _InlinedPull:
    """The gradient function of a step with a custom gradient, for the trace in which the step is recorded again.

    The function reads tensors of the body. While it runs, these refer to their copies in the trace.
    """

    def __init__(self, graph: Graph, slots: dict[int, int], pull: Callable[..., Any]) -> None:
        self._graph = graph
        self._slots = slots
        self._pull = pull

    def __call__(self, trace: Trace, cotangents: Any) -> Any:
        alive = [tensor for reference in self._graph.pending if (tensor := reference()) is not None]
        copies = {id(tensor): self._slots[tensor._slot] for tensor in alive}
        hidden = {key: trace.leaf_slots[key] for key in copies if key in trace.leaf_slots}
        trace.leaf_slots.update(copies)
        try:
            return self._pull(trace, cotangents)
        finally:
            for key in copies:
                del trace.leaf_slots[key]
            trace.leaf_slots.update(hidden)
