"""The graph of objects of a SavedModel, and the places of their values in its checkpoint."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from typing import Any

from tfcompat._core.system.error import DataLossError, NotFoundError
from tfcompat._saved.message import GRAPH_KEY, graph_of
from tfcompat._saved.stored_values import StoredValues

VARIABLES = os.path.join("variables", "variables")
_KINDS = (
    *("user_object", "asset", "function", "variable", "bare_concrete_function", "constant", "resource"),
    "captured_tensor",
)


def kind_of(node: Any) -> str | None:
    """The field of a `SavedObject` that is set; None if none is."""
    return next((kind for kind in _KINDS if node.HasField(kind)), None)


def require_sound(graph: Any, assets: int) -> None:
    """Raises DataLossError if the `SavedObjectGraph` `graph` refers to what does not exist."""
    count = len(graph.nodes)
    if not count:
        raise DataLossError.of("a SavedModel is corrupted: it has no objects")
    for place, node in enumerate(graph.nodes):
        numbers = [child.node_id for child in (*node.children, *node.dependencies)]
        for slot in node.slot_variables:
            numbers += [slot.original_variable_node_id, slot.slot_variable_node_id]
        if any(not 0 <= number < count for number in numbers):
            raise DataLossError.of("a SavedModel is corrupted: an object refers to one that does not exist")
        if node.HasField("asset") and not 0 <= node.asset.asset_file_def_index < assets:
            raise DataLossError.of("a SavedModel is corrupted: an asset has no file")
        if kind_of(node) is None:
            raise DataLossError.of(f"a SavedModel is corrupted: object {place} has no kind")
    for name, concrete in graph.concrete_functions.items():
        if any(not 0 <= number < count for number in concrete.bound_inputs):
            raise DataLossError.of(f"a SavedModel is corrupted: {name!r} uses an object that does not exist")


class StoredObjects:
    """The values of the objects of a SavedModel in its checkpoint.

    Raises: NotFoundError if there is no checkpoint; DataLossError if it is corrupted.
    """

    def __init__(self, folder: str, graph: Any) -> None:
        self.values = StoredValues(os.path.join(folder, VARIABLES))
        if GRAPH_KEY not in self.values.entries:
            raise NotFoundError.of(f"the checkpoint of the SavedModel in {folder} has no graph of objects")
        self._stored = graph_of(self.values.text(GRAPH_KEY), f"the checkpoint of the SavedModel in {folder}")
        self._numbers = self._matched(graph)

    def _matched(self, graph: Any) -> dict[int, int]:
        """For each object of `graph` its number in the checkpoint: that with the same path from the root."""
        found = {0: 0}
        waiting = deque([0])
        while waiting:
            number = waiting.popleft()
            for child, other in self._pairs(graph.nodes[number], self._stored.nodes[found[number]], found):
                if child not in found:
                    found[child] = other
                    waiting.append(child)
        return found

    def _pairs(self, node: Any, stored: Any, found: dict[int, int]) -> Iterator[tuple[int, int]]:
        """The objects that `node` refers to, each with its number in the checkpoint."""
        names = {child.local_name: child.node_id for child in stored.children}
        for child in node.children:
            if child.local_name in names:
                yield child.node_id, names[child.local_name]
        slots = {(slot.original_variable_node_id, slot.slot_name): slot for slot in stored.slot_variables}
        for slot in node.slot_variables:
            known = slots.get((found.get(slot.original_variable_node_id, -1), slot.slot_name))
            if known is not None:
                yield slot.slot_variable_node_id, known.slot_variable_node_id

    def keys(self, number: int) -> dict[str, str]:
        """The tensors of object `number` in the checkpoint: the names of attributes, and those of tensors."""
        if number not in self._numbers:
            return {}
        return {each.name: each.checkpoint_key for each in self._stored.nodes[self._numbers[number]].attributes}
