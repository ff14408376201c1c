"""Restoring objects from a checkpoint: all of them, or none.

First the objects are matched with nodes of the graph, and names, dtypes and shapes are compared. Then the tensors are
read without being kept, which finds broken files. Then the objects are set, one after the other, variables last:
setting these cannot fail any more, and no signal handler interrupts it, so that the values before need not be kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.device import adopted
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import DType, string, variant
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.datasets.iterator import Iterator
from tfcompat._data.format.bundle_reader import Entry
from tfcompat._jaxpr.postponement import postponed
from tfcompat._saved.object_view import AttachedView, escaped, has_tensors
from tfcompat._saved.python_state import PythonState
from tfcompat._saved.saving import ATTRIBUTES
from tfcompat._state.handle import acting
from tfcompat._state.variable import SAVED, Variable

# TensorFlow's names of dtypes in messages, where they are not those of `DType.name`.
_NAMES = {"float16": "half", "float32": "float", "float64": "double"}
# The rank of variables, see `_rank`.
_LAST = 2


class _Task(NamedTuple):
    """An object to set: the names of its tensors with those in the checkpoint, and what takes the change back."""

    trackable: Any
    keys: dict[str, str]
    before: dict[str, Any] | None


class Restoring:
    """A walk through the graph of a checkpoint.

    Attributes:
      _undo: functions that undo the changes of objects, in the order of the changes.
    """

    def __init__(self, restoration: Any) -> None:
        self._restoration = restoration
        self._tasks: list[_Task] = []
        self._undo: list[Callable[[], Any]] = []

    def run(self, starts: Sequence[tuple[int, Any]]) -> None:
        """Restores objects and their dependencies from nodes, unless these belong to other objects already."""
        try:
            for number, trackable in starts:
                if number not in self._restoration.objects and self._restoration.bind(number, trackable):
                    self._match(number, trackable)
            self._set()
        except BaseException as error:
            with postponed():
                self._restoration.conclude(is_interrupted=not isinstance(error, Exception))
                for undo in reversed(self._undo):
                    undo()
            raise
        self._restoration.conclude()

    def _match(self, number: int, trackable: Any) -> None:
        waiting = deque([(number, trackable)])
        while waiting:
            number, trackable = waiting.popleft()
            trackable._maybe_initialize_trackable()
            node = self._restoration.graph.nodes[number]
            before = trackable._update_uid
            if before < self._restoration.restore_uid:
                self._add_task(number, node, trackable)
                trackable._update_uid = self._restoration.restore_uid
                self._undo.append(lambda changed=trackable, uid=before: setattr(changed, "_update_uid", uid))
            children = AttachedView.children(trackable)
            for child in node.children:
                if child.node_id in self._restoration.objects:
                    continue
                found = trackable._lookup_dependency(child.local_name, children)
                if found is None:
                    self._defer(trackable, child)
                elif self._restoration.bind(child.node_id, found):
                    waiting.append((child.node_id, found))
            waiting.extend(self._slots(number))

    def _slots(self, number: int) -> list[tuple[int, Any]]:
        """The nodes and variables of the slots that can be restored now that the node `number` is matched."""
        found: list[tuple[int, Any]] = []
        for owner, variable, slot in self._restoration.slots.ready(number, self._restoration.objects.get):
            value = owner._create_or_restore_slot_variable(
                slot_variable_position=self._restoration.position(slot.slot_variable_node_id),
                slot_name=slot.slot_name,
                variable=variable,
            )
            if value is not None and self._restoration.bind(slot.slot_variable_node_id, value):
                found.append((slot.slot_variable_node_id, value))
        return found

    def _defer(self, trackable: Any, child: Any) -> None:
        """Lets a node wait for a dependency, if it has values."""
        node = self._restoration.graph.nodes[child.node_id]
        is_known = node.HasField("has_checkpoint_values")
        if node.has_checkpoint_values.value if is_known else bool(node.children or node.attributes):
            positions = trackable._deferred_dependencies.setdefault(child.local_name, [])
            positions.append(self._restoration.position(child.node_id))
            self._undo.append(positions.pop)

    def _add_task(self, number: int, node: Any, trackable: Any) -> None:
        if node.HasField("registered_saver"):
            raise ValueError(
                f"tf.train.Checkpoint: the object {trackable} was saved by the registered saver "
                f"{node.registered_saver.name!r}, which does not exist here."
            )
        if not node.attributes:
            return
        if isinstance(trackable, PythonState):
            task = _Task(trackable, {node.attributes[0].name: node.attributes[0].checkpoint_key}, None)
            self._restoration.values.entry(node.attributes[0].checkpoint_key)
            self._tasks.append(task)
            return
        if not has_tensors(trackable):
            self._restoration.outcome.unused[number] = [attribute.name for attribute in node.attributes]
            return
        present = trackable._present_tensors()
        keys = _keys(node, trackable, present)
        for name, key in keys.items():
            _require_fitting(self._restoration.values.entry(key), key, name, present[name], trackable)
        self._tasks.append(_Task(trackable, keys, None if _rank(trackable) else present))

    def _set(self) -> None:
        values = self._restoration.values
        ranked = sorted(self._tasks, key=lambda task: _rank(task.trackable))
        others = [task for task in ranked if _rank(task.trackable) < _LAST]
        variables = [task for task in ranked if _rank(task.trackable) == _LAST]
        with values:
            values.verify({key for task in ranked for key in task.keys.values()})
            for task in others:
                if _rank(task.trackable) == 0:
                    self._undo.append(lambda done=task: done.trackable._restore_from_tensors(done.before))
                task.trackable._restore_from_tensors(self._tensors(task))
            _release([acting(task.trackable) for task in variables])
            with postponed():
                for task in variables:
                    self._set_variable(task)
                # A handler that raises at the end of this context finds all objects restored.
                self._undo.clear()

    def _set_variable(self, task: _Task) -> None:
        variable, tensors = acting(task.trackable), self._tensors(task)
        if type(variable)._restore_from_tensors is Variable._restore_from_tensors:
            variable._overwrite(tensors[SAVED])
        else:
            task.trackable._restore_from_tensors(tensors)

    def _tensors(self, task: _Task) -> dict[str, Tensor]:
        return {name: _tensor(self._restoration.values.verified(key)) for name, key in task.keys.items()}


def _release(variables: Sequence[Variable]) -> None:
    """Flushes the trace if it reads values of `variables`, which it would keep in memory."""
    held = {id(variable._held) for variable in variables if variable._held._array is not None}
    trace = here.trace
    if any(id(leaf) in held for leaf in trace.leaves) or any(id(old) in held for _, old in trace.replaced.values()):
        trace.flush("checkpoint")


def _tensor(array: np.ndarray) -> Tensor:
    """A tensor that has the memory of `array`."""
    return Tensor(array) if array.dtype == object else Tensor(adopted(array))


def _rank(trackable: Any) -> int:
    """The place of an object in the order of setting: variables last, before them the state of Python objects."""
    if isinstance(acting(trackable), Variable):
        return _LAST
    return 1 if isinstance(trackable, PythonState) else 0


def _keys(node: Any, trackable: Any, names: Any) -> dict[str, str]:
    """The names in the checkpoint of the tensors `names`."""
    listed = {attribute.name: attribute.checkpoint_key for attribute in node.attributes}
    start = node.attributes[0].checkpoint_key
    start = start[: start.find(ATTRIBUTES) + len(ATTRIBUTES)] + trackable._saveable_name
    return {name: listed.get(escaped(name)) or start + escaped(name) for name in names}


def _require_fitting(entry: Entry, key: str, name: str, present: Any, trackable: Any) -> None:
    """Raises InvalidArgumentError for another dtype than that of the present tensor, ValueError for another shape."""
    wanted: DType = present.dtype
    if entry.dtype in (string, variant) and isinstance(trackable, Iterator):
        return
    if entry.dtype is not wanted:
        raise InvalidArgumentError.of(
            f"tensor_name = {key}; expected dtype {_dtype_name(wanted)} does not equal original dtype "
            f"{_dtype_name(entry.dtype)}"
        )
    variable = acting(trackable)
    if name == SAVED and isinstance(variable, Variable) and not variable.shape.is_compatible_with(entry.shape):
        raise ValueError(
            f"Received incompatible tensor with shape {TensorShape(entry.shape)} when attempting to restore variable "
            f"with shape {variable.shape} and name {variable.name}."
        )


def _dtype_name(dtype: DType) -> str:
    return _NAMES.get(dtype.name, dtype.name)
