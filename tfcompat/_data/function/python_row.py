"""Elements whose sizes no trace serves: Python computes them, one op after the other.

Such sizes are found while an element is computed: an op of the host has returned another size than the trace stands
for, and what follows depends on sizes that are not known before it is computed.
"""

from __future__ import annotations

from tfcompat._core.calls.by_row import apart
from tfcompat._data.blocks.block import Block, column_of
from tfcompat._data.blocks.structure import read
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.trace import Instances
from tfcompat._function.graphs.source import Drawn


def can_be_computed(calls: Calls) -> bool:
    """Whether Python computes the same as the programs: without effects, draws from streams, and outer tensors."""
    draws = any(isinstance(source, Drawn) for plan in filter(None, calls.plans) for source, _ in plan.leaves)
    nests = any(isinstance(result, Instances) for result in calls.trace.results)
    is_alone = calls.function.structure is not None and calls.is_pure and not calls.is_sequential
    return is_alone and not (draws or nests or calls.captured())


def computed_by_python(calls: Calls, element: Block) -> Block:
    """The result of the only element of `element`. Raises the errors of the function; TypeError for another type."""
    function = calls.function
    with apart():
        structure, values = read(function.call(element))
    for given, wanted in zip(structure.specs, function.structure.specs, strict=True):
        if not wanted.is_compatible_with(given):
            raise TypeError(f"{function.label}: expected a result of type {wanted}, got {given}.")
    return Block(tuple([column_of([value]) for value in values]), element.count)
