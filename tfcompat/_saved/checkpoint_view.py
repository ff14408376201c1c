"""The graph of the objects in a checkpoint: `tf.train.CheckpointView`."""

from __future__ import annotations

import os
from collections import deque
from typing import Any

from tfcompat._saved.message import GRAPH_KEY, graph_of
from tfcompat._saved.object_view import TrackableView, identity_of
from tfcompat._saved.stored_values import StoredValues
from tfcompat._state.tracking.trackable import Trackable


class CheckpointView:
    """The graph of the objects in a checkpoint.

    Raises: ValueError if the checkpoint has no graph; the errors of `tf.train.load_checkpoint`.
    Source: TF 2.21 `tf.train.CheckpointView`.
    """

    def __init__(self, save_path: Any) -> None:
        values = StoredValues(os.fspath(save_path))
        if GRAPH_KEY not in values.entries:
            raise ValueError(
                f'The specified checkpoint "{save_path}" does not appear to be object-based (saved with TF2) since it '
                f'is missing the key "{GRAPH_KEY}". Likely it was created with the TF1 name-based saver and does not '
                "contain an object dependency graph."
            )
        self._graph = graph_of(values.text(GRAPH_KEY), values.prefix)

    def children(self, node_id: int) -> dict[str, int]:
        """The numbers of the nodes that the node `node_id` refers to, by name."""
        return {child.local_name: child.node_id for child in self._graph.nodes[node_id].children}

    def descendants(self) -> list[int]:
        """The numbers of the nodes that the root refers to, directly and indirectly, the nearest first."""
        found = {0: None}
        waiting = deque(found)
        while waiting:
            for child in self.children(waiting.popleft()).values():
                if child not in found:
                    found[child] = None
                    waiting.append(child)
        return list(found)

    def match(self, obj: Any) -> dict[int, Any]:
        """The objects that `obj` depends on, by the numbers of their nodes.

        Raises: ValueError if `obj` is not trackable.
        Source: TF 2.21 `tf.train.CheckpointView.match`.
        """
        if not isinstance(obj, Trackable):
            raise ValueError(f"Expected a Trackable, got {obj} of type {type(obj)}.")
        found: dict[int, Any] = {0: obj}
        waiting = deque([0])
        while waiting:
            number = waiting.popleft()
            children = TrackableView.children(found[number])
            for name, child in self.children(number).items():
                if name in children and child not in found:
                    found[child] = children[name]
                    waiting.append(child)
        return found

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """The matched objects as `match`, the nodes without an object, and the objects without a node.

        Raises: as `match`.
        Source: TF 2.21 `tf.train.CheckpointView.diff`.
        """
        matched = self.match(obj)
        known = {identity_of(each) for each in matched.values()}
        only_here = [each for each in TrackableView(obj).descendants() if identity_of(each) not in known]
        return matched, [number for number in self.descendants() if number not in matched], only_here
