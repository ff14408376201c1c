"""Computes the first values of the variables that a function creates in its first call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from tfcompat._core.programs.replay import Plan
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.device import copied
from tfcompat._core.tracing.trace import Trace
from tfcompat._function.graphs.source import Argument
from tfcompat._function.graphs.stored_trace import StoredTrace
from tfcompat._function.sizes.sized_trace import sized


def initialise(stored: StoredTrace, flat: Sequence[Any] | None, sizes: Mapping[str, int] | None = None) -> bool:
    """Gives the variables that were created in `stored` their first values, for a call with the leaves `flat`.

    `sizes` are the values of the symbols, if the trace has some. Returns whether the values depend on arguments.

    Raises: ValueError if they do and `flat` is None.
    """
    if not stored.graph.created:
        return False
    if sizes:
        stored = sized(stored, sizes) or stored
    firsts = [slot for _, slot in stored.graph.created]
    needed = {leaf.leaves - 1 for leaf in Plan(stored.node.path(), (), firsts).leaves}
    depends = any(type(source) is Argument for k, source in enumerate(stored.sources) if k in needed)
    if flat is None and depends:
        raise ValueError(
            "tf.function: the function creates variables whose first values depend on its arguments; call it "
            "before get_concrete_function."
        )
    trace = Trace()
    trace.node = stored.node
    trace.runs_once = True
    nothing = Tensor(np.zeros(0))
    used = [source if k in needed else nothing for k, source in enumerate(stored.sources)]
    trace.leaves = [stored.leaf(source, flat or ()) for source in used]
    trace.floats, trace.ints = stored.numbers
    avals = {slot: aval for node in stored.node.path() for slot, aval in enumerate(node.avals, node.first)}
    for reference, slot in stored.graph.created:
        cell = reference()
        # Not if it was restored from a checkpoint when it became an attribute.
        if cell is not None and stored.graph.firsts.pop(cell._number, cell._held) is cell._held:
            cell._held = trace.tensor(slot, avals[slot])
    stored.graph.firsts.clear()
    trace.flush("function")
    # The trace keeps its constants, so a variable gets a copy: a program may donate the variable's buffer.
    constants = {id(leaf._array) for leaf in trace.leaves}
    for cell in stored.created:
        array = cell._held._array
        if id(array) in constants and isinstance(array, jax.Array):
            cell._held._array = copied(array)
    return depends
