"""Values in a branch or a loop that do not depend on it: the code around it can compute them, too."""

from __future__ import annotations

from typing import Any

from tfcompat._core.programs.replay import Plan
from tfcompat._core.structure.node import Node, Number
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import here, record


def outer_value(part: Any, tensor: Tensor) -> Tensor | None:
    """The value of `tensor`, which belongs to the graph `part`, as a tensor of the graph around it.

    None if it depends on the part, on a variable, or on an op that is an error for some values.
    """
    steps = Plan(part.node.path(), (), (tensor._slot,)).steps
    values: dict[int, Tensor] = {}

    def read(reference: Any) -> Tensor:
        if isinstance(reference, Number):
            return Tensor(reference.on_host(part.floats, part.ints))
        return values[reference]

    if not all(_is_outer(part, step) for step in steps):
        return None
    inner, here.trace = here.trace, part.outer
    try:
        for step in steps:
            if step.op is not None:
                outputs = record(step.op, tuple(map(read, step.inputs)))
                outputs = (outputs,) if type(outputs) is Tensor else outputs
            else:
                outputs = (read(step.inputs[0]) if step.inputs else part.sources[step.leaves - 1],)
            values.update(zip(range(step.first, step.slot), outputs, strict=True))
    finally:
        here.trace = inner
    return values[tensor._slot]


def _is_outer(part: Any, step: Node) -> bool:
    """Whether the graph around `part` can compute the outputs of `step` if it can compute its inputs."""
    if step.op is not None:
        return step.op.check is None and not step.op.calls_python
    return bool(step.inputs) or type(part.sources[step.leaves - 1]) is Tensor
