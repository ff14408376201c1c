"""Slots: variables that an optimizer holds for another variable. No object depends on them, but checkpoints have them.

The optimizers of `tf.keras.optimizers.legacy` have them, and other objects with the methods `get_slot_names`,
`get_slot` and `_create_or_restore_slot_variable`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tfcompat._saved.object_view import Visit, escaped, identity_of, name_of

_SLOT = ".OPTIMIZER_SLOT"


class Slot(NamedTuple):
    """The slot `name` of the object with the number `variable`; the optimizer has the number `owner`."""

    owner: int
    variable: int
    name: str
    value: Any


def slots_among(visits: Sequence[Visit]) -> list[Slot]:
    """The slots that objects of `visits` have for others of them, numbered by their places.

    Raises: NotImplementedError for a slot that is a dependency, too.
    """
    found: list[Slot] = []
    known = {identity_of(visit.trackable) for visit in visits}
    for owner, visit in enumerate(visits):
        if "get_slot_names" not in dir(visit.trackable):
            continue
        for name in visit.trackable.get_slot_names():
            for number, other in enumerate(visits):
                value = _slot(visit.trackable, other.trackable, name)
                if value is None:
                    continue
                if identity_of(value) in known:
                    raise NotImplementedError(
                        f"tf.train.Checkpoint: {value} is a slot of an optimizer and a dependency, too; remove the "
                        "attribute that holds it."
                    )
                known.add(identity_of(value))
                found.append(Slot(owner, number, name, value))
    return found


def _slot(owner: Any, variable: Any, name: str) -> Any:
    """The slot, None without one."""
    try:
        return owner.get_slot(variable, name)
    except (AttributeError, KeyError):  # it is not a variable, or one without slots
        return None


def slot_name_of(slot: Slot, visits: Sequence[Visit]) -> str:
    """The name of the slot in names of tensors."""
    return f"{name_of(visits[slot.variable].path)}/{_SLOT}/{name_of(visits[slot.owner].path)}/{escaped(slot.name)}"


class WaitingSlots:
    """The slots in the graph of a checkpoint, each until both its optimizer and its variable are matched."""

    def __init__(self, graph: Any) -> None:
        self._waiting: dict[int, list[tuple[int, Any]]] = {}
        for number, node in enumerate(graph.nodes):
            for slot in node.slot_variables:
                self._waiting.setdefault(number, []).append((number, slot))
                self._waiting.setdefault(slot.original_variable_node_id, []).append((number, slot))

    def ready(self, number: int, object_of: Callable[[int], Any]) -> list[tuple[Any, Any, Any]]:
        """Removes and returns the optimizers, variables and references of the slots whose objects are matched.

        `number` is a node that has been matched, `object_of` returns the object of a node, or None.
        """
        found: list[tuple[Any, Any, Any]] = []
        for pair in tuple(self._waiting.get(number, ())):
            owner, variable = object_of(pair[0]), object_of(pair[1].original_variable_node_id)
            if owner is None or variable is None:
                continue
            self._waiting[pair[0]].remove(pair)
            self._waiting[pair[1].original_variable_node_id].remove(pair)
            if hasattr(owner, "_create_or_restore_slot_variable"):  # else an object with the same names
                found.append((owner, variable, pair[1]))
        return found
