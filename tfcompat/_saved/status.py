"""The results of `tf.train.Checkpoint.restore`, by which a program checks which objects were restored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from tfcompat._saved.name_based import NameBasedRestoration
from tfcompat._saved.node_name import node_names
from tfcompat._saved.object_view import AttachedView, has_tensors, identity_of
from tfcompat._saved.restoration import Restoration
from tfcompat._saved.slot import slots_among
from tfcompat._state.handle import acting
from tfcompat._state.tracking.data_structure import TrackableDataStructure

_MOST_SHOWN = 10
_NOTHING = "No checkpoint specified (save_path=None); nothing is being restored."


class LoadStatus(ABC):
    """Which objects were restored. Objects are restored when they become dependencies, too."""

    @abstractmethod
    def assert_consumed(self) -> Self:
        """Raises AssertionError unless all objects and all values of the checkpoint were matched."""

    @abstractmethod
    def assert_existing_objects_matched(self) -> Self:
        """Raises AssertionError if an object of the program has no value in the checkpoint."""

    @abstractmethod
    def assert_nontrivial_match(self) -> Self:
        """Raises AssertionError if only the root was matched."""

    def run_restore_ops(self, session: Any = None) -> None:
        """Does nothing: objects were restored at once."""
        del session

    def initialize_or_restore(self, session: Any = None) -> None:
        """Does nothing: variables were initialised when they were created."""
        del session

    def expect_partial(self) -> Self:
        """Silences the warnings about values that were not restored."""
        return self


class CheckpointLoadStatus(LoadStatus):
    """The result of restoring from a checkpoint.

    Source: TF 2.21, the result of `tf.train.Checkpoint.restore`.
    """

    def __init__(self, restoration: Restoration, view: AttachedView, skips_slots: bool) -> None:
        self._restoration = restoration
        self._view = view
        self._skips_slots = skips_slots
        # The view does not keep the root alive.
        self._root = view.root

    def assert_consumed(self) -> Self:
        """Raises AssertionError unless all objects and all values of the checkpoint were matched."""
        self.assert_existing_objects_matched()
        graph, outcome = self._restoration.graph, self._restoration.outcome
        slots = {slot.slot_variable_node_id for node in graph.nodes for slot in node.slot_variables}
        for number, node in enumerate(graph.nodes):
            is_needed = node.attributes and not (self._skips_slots and number in slots)
            if is_needed and number not in self._restoration.objects:
                raise AssertionError(f"Unresolved object in checkpoint {node_names(graph)[number]}: {node}")
        if outcome.unused:
            names = node_names(graph)
            lines = [
                f"{names[number]} ({self._restoration.objects.get(number)}): {attributes}"
                for number, attributes in outcome.unused.items()
            ]
            raise AssertionError(
                "Unused attributes in these objects (the attributes exist in the checkpoint but were not restored):\n"
                + "\n".join(lines)
            )
        return self

    def assert_existing_objects_matched(self) -> Self:
        """Raises AssertionError if an object of the program has no value in the checkpoint."""
        for number, trackable in self._restoration.objects.items():
            if trackable._update_uid < self._restoration.restore_uid:
                node = self._restoration.graph.nodes[number]
                raise AssertionError(f"Object {node} not assigned a value from checkpoint.")
        unused = self._unmatched()
        if unused:
            shown = min(_MOST_SHOWN, len(unused))
            raise AssertionError(
                f"Found {len(unused)} Python objects that were not bound to checkpointed values, likely due to changes "
                f"in the Python program. Showing {shown} of {len(unused)} unmatched objects: {unused[:shown]}"
            )
        return self

    def assert_nontrivial_match(self) -> Self:
        """Raises AssertionError if only the root was matched."""
        unused = self._unmatched()
        if len(self._restoration.objects) <= 1:
            if unused:
                raise AssertionError(
                    "Nothing except the root object matched a checkpointed value. Typically this means that the "
                    "checkpoint does not match the Python program. The following objects have no matching "
                    f"checkpointed value: {unused}"
                )
            raise AssertionError(f"Nothing to load. No dependencies have been added to {self._root} yet.")
        return self

    def _unmatched(self) -> list[Any]:
        """The objects of the program that have tensors, and no node of the checkpoint."""
        found: dict[Any, Any] = {}
        for reference in self._restoration.seen.values():
            trackable = reference()
            if trackable is not None:
                found[identity_of(trackable)] = trackable
        visits = self._view.visits()
        for trackable in (*[visit.trackable for visit in visits], *[slot.value for slot in slots_among(visits)]):
            if not isinstance(trackable, TrackableDataStructure):
                found[identity_of(trackable)] = trackable
        matched = {identity_of(trackable) for trackable in self._restoration.objects.values()}
        return [each for identity, each in found.items() if identity not in matched and has_tensors(each)]

    def expect_partial(self) -> Self:
        """Silences the warnings about values that were not restored."""
        self._restoration.outcome.expects_partial = True
        return self


class InitializationOnlyStatus(LoadStatus):
    """The result of restoring from None: nothing.

    Source: TF 2.21, the result of `tf.train.Checkpoint.restore(None)`.
    """

    def assert_consumed(self) -> Self:
        """Raises AssertionError."""
        raise AssertionError(_NOTHING)

    def assert_existing_objects_matched(self) -> Self:
        """Raises AssertionError."""
        raise AssertionError(_NOTHING)

    def assert_nontrivial_match(self) -> Self:
        """Raises AssertionError."""
        raise AssertionError(_NOTHING)

    def run_restore_ops(self, session: Any = None) -> None:
        """Raises AssertionError."""
        del session
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to Saver.restore)."
        )


class NameBasedSaverStatus(LoadStatus):
    """The result of restoring from a file whose tensors have the names of variables.

    Attributes:
      optional: a variable that the file need not have.

    Source: TF 2.21, the result of `tf.train.Checkpoint.restore` for files of `tf.compat.v1.train.Saver`.
    """

    optional: Any = None

    def __init__(self, restoration: NameBasedRestoration, view: AttachedView) -> None:
        self._restoration = restoration
        self._view = view
        self._root = view.root

    def assert_consumed(self) -> Self:
        """Raises AssertionError unless the file had the values of all variables."""
        unused = [each for each in self._restoration.unused if acting(each) is not acting(self.optional)]
        if unused:
            lines = "".join(f"\n    {each}: ['VARIABLE_VALUE']" for each in unused)
            raise AssertionError(f"Some objects had attributes which were not restored: {lines}")
        for trackable in self._view.descendants():
            if trackable._update_uid < self._restoration.restore_uid:
                raise AssertionError(f"Object not restored: {trackable}")
        return self

    def assert_existing_objects_matched(self) -> Self:
        """The same as `assert_consumed`."""
        return self.assert_consumed()

    def assert_nontrivial_match(self) -> Self:
        """The same as `assert_consumed`."""
        return self.assert_consumed()
