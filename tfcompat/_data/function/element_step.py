"""The next element of an iterator in a function of elements, which the host takes for each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tfcompat._core.system.error import OutOfRangeError, UntraceableError
from tfcompat._data.blocks.component import Nested
from tfcompat._data.blocks.host_value import arrays_of
from tfcompat._data.blocks.nesting import flatten
from tfcompat._data.blocks.structure import Structure, read_component
from tfcompat._data.function.graph import ElementGraph, HostStep


def next_element(graph: ElementGraph, iterator: Any, structure: Structure) -> Any:
    """The next element of `iterator`, of the type `structure`. At its end the element of the function has the error.

    Raises: UntraceableError if it contains a dataset.
    """
    if any(isinstance(part, Nested) for part in structure.components):
        raise UntraceableError("the next element of an iterator has a dataset")

    def compute(values: Mapping[str, int]) -> list[np.ndarray]:
        del values
        found = iterator.take()
        if found is None:
            raise OutOfRangeError.of("End of sequence")
        return [array for leaf in flatten(found[0]) for array in arrays_of(read_component(leaf)[1])]

    kinds = [part.spec._tensor_kinds() for part in structure.components]
    step = HostStep("next", compute, (), has_effects=True)
    made = iter(graph.stepped(step, [kind for each in kinds for kind in each]))
    pairs = zip(structure.components, kinds, strict=True)
    return structure.pack([part.spec._of_tensors([next(made) for _ in each]) for part, each in pairs])
