"""The contents of a checkpoint: the tensors of all objects, and the graph of the objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import here
from tfcompat._data.format.bundle_writer import BundleWriter
from tfcompat._jaxpr.postponement import postponed
from tfcompat._saved.message import GRAPH_KEY, checkpoint_messages
from tfcompat._saved.object_view import Visit, escaped, has_tensors, identity_of, name_of
from tfcompat._saved.shard import free_shards, made_folder_of, remove_other_shards
from tfcompat._saved.sharding import ShardByTaskPolicy, ShardingCallback, add_shards, shardable
from tfcompat._saved.slot import Slot, slot_name_of
from tfcompat._state.tracking.trackable import Trackable

ATTRIBUTES = ".ATTRIBUTES/"


class Attribute(NamedTuple):
    """Tensors of an object under one name in the graph."""

    name: str
    key: str
    tensors: dict[str, Any]


class Contents(NamedTuple):
    """The tensors of a checkpoint by name, the objects that they belong to, and the graph."""

    tensors: dict[str, Tensor]
    owners: dict[str, Any]
    graph: bytes


def gathered(visits: Sequence[Visit], slots: Sequence[Slot] = ()) -> Contents:
    """The contents of a checkpoint of the objects `visits`, and of `slots` of them.

    Later assignments to variables do not change them. Values that are pending are computed, not waited for.

    Raises: the errors of objects that cannot be saved.
    """
    numbers = {identity_of(visit.trackable): number for number, visit in enumerate(visits)}
    graph = checkpoint_messages()["TrackableObjectGraph"]()
    tensors: dict[str, Tensor] = {}
    owners: dict[str, Any] = {}
    parents: dict[int, list[int]] = {}
    valued: list[int] = []
    for number, visit in enumerate(visits):
        node = graph.nodes.add()
        for name, child in visit.children:
            place = numbers[identity_of(child)]
            node.children.add(node_id=place, local_name=name)
            parents.setdefault(place, []).append(number)
    for number, slot in enumerate(slots, len(visits)):
        graph.nodes.add()
        graph.nodes[slot.owner].slot_variables.add(
            original_variable_node_id=slot.variable, slot_name=slot.name, slot_variable_node_id=number
        )
        valued.append(slot.owner)
    named = [(visit.trackable, name_of(visit.path)) for visit in visits]
    named += [(slot.value, slot_name_of(slot, visits)) for slot in slots]
    for number, (trackable, name) in enumerate(named):
        for attribute in _attributes(trackable, name):
            graph.nodes[number].attributes.add(
                name=attribute.name, checkpoint_key=attribute.key, full_name=_full_name(trackable)
            )
            valued.append(number)
            tensors.update({key: convert_to_tensor(value) for key, value in attribute.tensors.items()})
            owners.update(dict.fromkeys(attribute.tensors, trackable))
    _mark(graph, parents, valued)
    here.trace.flush("checkpoint")
    for tensor in tensors.values():
        if tensor._array is None:
            # A signal handler saves while its thread computes it: another thread would wait for that one.
            tensor._value()
    return Contents(tensors, owners, graph.SerializeToString(deterministic=True))


def _attributes(trackable: Any, place: str) -> list[Attribute]:
    """The tensors of `trackable`, whose name in the checkpoint is `place`."""
    if not has_tensors(trackable):
        if type(trackable)._gather_saveables_for_checkpoint is not Trackable._gather_saveables_for_checkpoint:
            raise NotImplementedError(
                f"tf.train.Checkpoint: {type(trackable).__name__}._gather_saveables_for_checkpoint is not supported; "
                "define _serialize_to_tensors and _restore_from_tensors."
            )
        return []
    start = f"{place}/{ATTRIBUTES}"
    tensors = trackable._serialize_to_tensors()
    own = trackable._saveable_name
    if own:
        key = start + own
        return [Attribute(own, key, {key + name: value for name, value in tensors.items()})] if tensors else []
    found: list[Attribute] = []
    for name, value in tensors.items():
        key = start + escaped(escaped(name))
        found.append(Attribute(escaped(name), key, {key: value}))
    return found


def _full_name(trackable: Any) -> str:
    """The name of a variable; empty for other objects."""
    return getattr(trackable, "_shared_name", "") or ""


def _mark(graph: Any, parents: dict[int, list[int]], valued: list[int]) -> None:
    """Marks the nodes that have values, and those that depend on them."""
    marked = set(valued)
    waiting = list(marked)
    while waiting:
        for parent in parents.get(waiting.pop(), ()):
            if parent not in marked:
                marked.add(parent)
                waiting.append(parent)
    for number, node in enumerate(graph.nodes):
        node.has_checkpoint_values.value = number in marked


def written(prefix: str, contents: Contents, callback: ShardingCallback | None = None) -> None:
    """Writes `contents` to the files `prefix`, which replace others of that name at once.

    `callback` distributes the tensors among data files; without one all are in one file.

    Raises: NotFoundError or another of `tf.errors` if the files cannot be written; the errors of `callback`, and
      InvalidArgumentError if it returns tensors that are not the parts that it describes.
    """
    made_folder_of(prefix)
    tensors = {**contents.tensors, GRAPH_KEY: Tensor(np.array(contents.graph, object))}
    listed = [shardable(key, tensor, contents.owners.get(key)) for key, tensor in tensors.items()]
    divided = list((callback or ShardByTaskPolicy())(listed))
    writer: BundleWriter | None = None
    try:
        with postponed():  # an interrupt must not leave files behind that nothing refers to
            writer = BundleWriter(prefix)
        add_shards(writer, divided)
        writer.end_data()
        with postponed():  # a signal handler that writes to `prefix`, too, must not come between these
            shards = free_shards(prefix, writer.files)
            writer.finish(shards)
            remove_other_shards(prefix, shards, writer.files)
    finally:
        if writer is not None:
            writer.discard()
