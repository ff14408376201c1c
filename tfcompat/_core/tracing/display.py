"""A trace as a readable listing."""

from __future__ import annotations

from collections.abc import Collection

from tfcompat._core.structure.check_outcome import Failure
from tfcompat._core.structure.node import Node, Number
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import Trace


def listing(trace: Trace, watched: Collection[int] = ()) -> str:
    """The steps of `trace`, one on each line, marked if they are alive, have run, or are watched by a tape.

    A line contains the slot, the op with its inputs and its attributes other than defaults, the shape and the dtype.
    """
    alive = {tensor._slot for reference in trace.pending if (tensor := reference()) is not None}
    path = trace.node.path()
    rows = [_row(trace, node, alive, watched) for node in path]
    widths = [max((len(row[k]) for row in rows), default=0) for k in range(3)]
    lines = [f"{row[0]:>{widths[0]}} = {row[1]:<{widths[1]}}  {row[2]:<{widths[2]}}  {row[3]}".rstrip() for row in rows]
    return "\n".join(lines)


def _row(trace: Trace, node: Node, alive: Collection[int], watched: Collection[int]) -> tuple[str, str, str, str]:
    slots = range(node.first, node.slot)
    notes: list[str] = []
    if any(slot in watched for slot in slots):
        notes.append("watched")
    if any(slot in alive for slot in slots):
        notes.append("alive")
    if node.op is not None and node.slot <= trace.start:
        notes.append("run")
    names = ", ".join(f"%{slot}" for slot in slots)
    return names, _call(trace, node), ", ".join(map(repr, node.avals)), " ".join(notes)


def _call(trace: Trace, node: Node) -> str:
    inputs = [_number(trace, r) if type(r) is Number else f"%{r}" for r in node.inputs]
    if node.op is None:
        return f"number {inputs[0]}" if inputs else "leaf"
    return f"{node.op.name}({', '.join([*inputs, *([node.op.label] if node.op.label else [])])})"


def _number(trace: Trace, number: Number) -> str:
    return repr(number.of(trace.floats, trace.ints))


def listing_of(tensor: Tensor) -> str:
    """The trace that `tensor` is pending in; one line if it already has a value, or can't have one."""
    trace = tensor._trace
    if isinstance(trace, Failure):
        return f"no value: {trace.error.message}"
    return listing(trace) if trace is not None else f"a finished value: {tensor._aval!r}"
