"""A checkpoint that objects are restored from, at once, or when they become dependencies of restored objects."""

from __future__ import annotations

import itertools
import logging
import weakref
from collections.abc import Hashable
from typing import Any

from tfcompat._autodiff.suspension import init_scope
from tfcompat._core.structure.tensor import Tensor
from tfcompat._saved.node_name import node_names
from tfcompat._saved.object_view import AttachedView, identity_of
from tfcompat._saved.restoring import Restoring
from tfcompat._saved.slot import WaitingSlots
from tfcompat._saved.stored_values import StoredValues
from tfcompat._state.variable import SAVED

_numbers = itertools.count()
_logger = logging.getLogger("tensorflow")


def next_uid() -> int:
    """A number larger than those of all restorations before."""
    return next(_numbers)


class _Outcome:
    """How the objects in a checkpoint were matched.

    Attributes:
      graph: the objects in the checkpoint.
      matched: the nodes with an object in the program.
      unused: for nodes whose object has no tensors of its own, the names of those in the checkpoint.
      expects_partial: whether a difference is expected.
    """

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.matched: set[int] = set()
        self.unused: dict[int, list[str]] = {}
        self.expects_partial = False

    def is_complete(self) -> bool:
        """Whether every value in the checkpoint was restored."""
        return not (self.unused or self._lost())

    def _lost(self) -> list[int]:
        nodes = enumerate(self.graph.nodes)
        return [number for number, node in nodes if node.attributes and number not in self.matched]

    def report(self) -> None:
        """Logs a warning for each value that was not restored."""
        if self.expects_partial:
            return
        names = node_names(self.graph)
        lost = [names[number] for number in self._lost()]
        if lost or self.unused:
            _logger.warning(
                "A checkpoint was restored with unrestored values; the next lines name them. To silence these "
                "warnings, use `status.expect_partial()` of the object that `tf.train.Checkpoint.restore` returns."
            )
        for name in lost:
            _logger.warning("Value in checkpoint could not be found in the restored object: %s", name)
        for number, attributes in self.unused.items():
            _logger.warning(
                "An attribute in the restored object could not be found in the checkpoint. Object: %s, attribute: %s",
                names[number],
                attributes,
            )


class Restoration:
    """The state of restoring objects from a checkpoint.

    Attributes:
      values: the tensors of the checkpoint.
      graph: its objects.
      restore_uid: the number of this restoration.
      objects: the objects that nodes were matched with; they are not kept alive.
      slots: the slots of optimizers that are not restored yet.
      seen: objects that were matched with a node, by identity, as weak references.
    """

    def __init__(self, values: StoredValues, graph: Any) -> None:
        self.values = values
        self.graph = graph
        self.restore_uid = next_uid()
        self.objects: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self.seen: dict[Hashable, weakref.ref[Any]] = {}
        self.slots = WaitingSlots(graph)
        self.outcome = _Outcome(graph)
        self._report = weakref.finalize(self, self.outcome.report)

    def restore(self, number: int, trackable: Any) -> None:
        """Restores `trackable` and its dependencies from the node `number`.

        Raises: the errors of files and objects; then every object is as it was.
        """
        with init_scope():
            Restoring(self).run([(number, trackable)])

    def restore_view(self, view: AttachedView) -> None:
        """Restores the objects of a view, those that are attached to its root included. Raises as `restore`."""
        numbers = {child.local_name: child.node_id for child in self.graph.nodes[0].children}
        starts = [(0, view.root)]
        for name, reference in view.attached:
            child = reference() if isinstance(reference, weakref.ref) else reference
            if child is not None and name in numbers:
                starts.append((numbers[name], child))
        with init_scope():
            Restoring(self).run(starts)

    def conclude(self, *, is_interrupted: bool = False) -> None:
        """Drops the report if it would be empty, or after an interrupt: another one in the report would be lost."""
        if is_interrupted or self.outcome.is_complete():
            self._report.detach()

    def __deepcopy__(self, memo: dict[int, Any]) -> Restoration:
        """The restoration of copies of objects, which wait for the same values."""
        copied = memo[id(self)] = Restoration(self.values, self.graph)
        copied.restore_uid = self.restore_uid
        copied.outcome.expects_partial = True
        return copied

    def position(self, number: int) -> Position:
        """The node `number` as what waits for an object."""
        return Position(self, number)

    def bind(self, number: int, trackable: Any) -> bool:
        """Matches a node with an object, and returns whether it had none before."""
        self.seen[identity_of(trackable)] = weakref.ref(trackable)
        self.outcome.matched.add(number)
        bound = self.objects.get(number)
        if bound is None:
            self.objects[number] = trackable
            return True
        if identity_of(bound) != identity_of(trackable):
            _logger.warning(
                "Inconsistent references when loading the checkpoint into this object graph: one object of the "
                "checkpoint is two objects of the program, (%s and %s).",
                bound,
                trackable,
            )
        return False


class Position:
    """An object in a checkpoint, which waits for an object of the program."""

    def __init__(self, restoration: Restoration, number: int) -> None:
        self.restoration = restoration
        self.number = number

    @property
    def restore_uid(self) -> int:
        """The number of the restoration."""
        return self.restoration.restore_uid

    def is_simple_variable(self) -> bool:
        """Whether the object is a variable with one tensor."""
        node = self._node()
        return [attribute.name for attribute in node.attributes] == [SAVED] and not node.children

    def value_shape(self) -> list[int]:
        """The shape of the variable."""
        return list(self.restoration.values.entry(self._node().attributes[0].checkpoint_key).shape)

    def value(self) -> Tensor:
        """The value of the variable. Raises DataLossError if it is corrupted."""
        return Tensor(self.restoration.values.value(self._node().attributes[0].checkpoint_key))

    def _node(self) -> Any:
        return self.restoration.graph.nodes[self.number]

    def restore(self, trackable: Any) -> None:
        """Restores `trackable`, which has just become the dependency."""
        self.restoration.restore(self.number, trackable)
