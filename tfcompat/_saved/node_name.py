"""The names of the objects in a checkpoint, for messages."""

from __future__ import annotations

from collections import deque
from typing import Any


def node_names(graph: Any) -> list[str]:
    """For each node of `graph`, the names that lead to it from the root, joined by dots."""
    found: dict[int, str] = {0: "(root)"}
    waiting = deque([0])
    while waiting:
        number = waiting.popleft()
        for child in graph.nodes[number].children:
            if child.node_id not in found:
                found[child.node_id] = f"{found[number]}.{child.local_name}"
                waiting.append(child.node_id)
    names = [found.get(number, f"(node {number})") for number in range(len(graph.nodes))]
    for number, node in enumerate(graph.nodes):
        for slot in node.slot_variables:
            variable = names[slot.original_variable_node_id]
            names[slot.slot_variable_node_id] = f"{names[number]}'s state '{slot.slot_name}' for {variable}"
    return names
